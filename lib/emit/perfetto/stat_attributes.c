#include "emit/perfetto/stat_attributes.h"

#include "base/text.h"

/* Statistics that a reader counts again from the packets of the merged trace. */
static const char *const reader_stats[] = {
    "compact_sched_has_parse_errors",
    "debug_annotation_errors",
    "flow_invalid_id",
    "flow_without_direction",
    "gpu_counters_invalid_spec",
    "interned_data_skipped_incremental_state_invalid",
    "interned_data_tokenizer_errors",
    "packet_skipped_seq_needs_incremental_state_invalid",
    "systrace_parse_failure",
    "thread_descriptor_missing_sequence_id",
    "thread_descriptor_skipped_incremental_state_invalid",
    "track_descriptor_missing_uuid",
    "track_descriptor_thread_missing_pid_tid",
    "track_event_counter_invalid_track_uuid",
    "track_event_counter_missing_track_uuid",
    "track_event_counter_missing_value",
    "track_event_extra_counter_exceeds_max",
    "track_event_extra_counter_invalid_track",
    "track_event_extra_counter_missing_track_uuids",
    "track_event_extra_counter_track_uuid_mismatch",
    "track_event_missing_timestamp",
    "track_event_parser_errors",
    "traced_buf_sequence_packet_loss",
    "unknown_extension_fields",
};

static bool is_counted_by_reader(const struct tm_catalog *c, const Tracemerge__Stat *stat)
{
    bool is_of_packets = stat->has_file && c->files[stat->file].clock_policy == TRACEMERGE__CLOCK_POLICY__PROTO;
    if (!is_of_packets || stat->from_trace)
        return is_of_packets;
    for (size_t i = 0; i < sizeof reader_stats / sizeof *reader_stats; i++)
        if (tm_text_is((struct tm_text){stat->name.data, stat->name.len}, reader_stats[i]))
            return true;
    return false;
}

static enum tm_status put_key(const struct tm_catalog *c, const Tracemerge__Stat *stat, struct tm_buf *out)
{
    size_t mark;
    enum tm_status st = tm_pb_begin(out, TM_ATTRIBUTE_KEY, &mark);
    if (st == TM_OK && stat->has_file)
        st = tm_buf_addf(out, TM_PROVENANCE_FILE "%u.stat.", (unsigned)c->files[stat->file].processing_order);
    else if (st == TM_OK)
        st = tm_buf_add_str(out, "tracemerge.stat.");
    if (st == TM_OK)
        st = tm_buf_add(out, stat->name.data, stat->name.len);
    if (st == TM_OK && stat->has_idx)
        st = tm_buf_addf(out, "[%lld]", (long long)stat->idx);
    return st == TM_OK ? tm_pb_end(out, mark) : st;
}

enum tm_status tm_stat_attributes_write(struct tm_packet_writer *w, uint32_t home, struct tm_error *err)
{
    const struct tm_catalog *c = w->catalog;
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < c->stat_count && st == TM_OK; i++) {
        const Tracemerge__Stat *stat = c->stats[i];
        size_t attributes, attribute;
        if (stat->value == 0 || is_counted_by_reader(c, stat))
            continue;
        if ((st = tm_packet_begin(w, stat->has_machine ? stat->machine : home, err)) < 0)
            break;
        if (tm_pb_begin(&w->out, TM_PACKET_TRACE_ATTRIBUTES, &attributes) != TM_OK ||
            tm_pb_begin(&w->out, TM_ATTRIBUTES_ATTRIBUTE, &attribute) != TM_OK || put_key(c, stat, &w->out) != TM_OK ||
            tm_pb_put_varint(&w->out, TM_ATTRIBUTE_INT, (uint64_t)stat->value) != TM_OK ||
            tm_pb_end(&w->out, attribute) != TM_OK || tm_pb_end(&w->out, attributes) != TM_OK)
            return tm_error_nomem(err);
        st = tm_packet_end(w, err);
    }
    return st;
}
