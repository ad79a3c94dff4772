#include "format/perfetto/stated.h"

#include "format/perfetto/count.h"
#include "format/perfetto/numbers.h"
#include "perfetto/message_fields.h"

#include <assert.h>
#include <stdlib.h>

enum { STATS_BUFFERS = 1, STATS_FILTER = 11, STATS_FINAL_FLUSH = 15 };
enum { FILTER_BYTES_OF_BUFFERS = 20 };
enum { FTRACE_PHASE = 1, FTRACE_CPUS = 2, FTRACE_ERRORS = 9, FTRACE_KPROBES = 10 };
enum { FTRACE_ATRACE_ERRORS = 5, FTRACE_UNKNOWN = 6, FTRACE_FAILED = 7, FTRACE_EXCLUSIVE_ERROR = 13 };
enum { PHASE_START = 1, PHASE_END = 2, CPU_NUMBER = 1, ERROR_ZERO_DATA_LENGTH = 12 };

/* A number of a message, by its field. */
struct stated {
    uint8_t field;
    uint8_t severity; /* Tracemerge__Severity */
    const char *name;
};

enum { INFO = TRACEMERGE__SEVERITY__INFO, LOSS = TRACEMERGE__SEVERITY__DATA_LOSS, FAULT = TRACEMERGE__SEVERITY__ERROR,
       NOTICE = TRACEMERGE__SEVERITY__NOTICE };

static const struct stated service_stats[] = {
    {2, INFO, "traced_producers_connected"}, {3, INFO, "traced_producers_seen"},
    {4, INFO, "traced_data_sources_registered"}, {5, INFO, "traced_data_sources_seen"},
    {6, INFO, "traced_tracing_sessions"}, {7, INFO, "traced_total_buffers"}, {8, INFO, "traced_chunks_discarded"},
    {9, INFO, "traced_patches_discarded"}, {12, INFO, "traced_flushes_requested"},
    {13, INFO, "traced_flushes_succeeded"}, {14, LOSS, "traced_flushes_failed"},
};

static const struct stated filter_stats[] = {
    {1, INFO, "filter_input_packets"}, {2, INFO, "filter_input_bytes"}, {3, INFO, "filter_output_bytes"},
    {4, FAULT, "filter_errors"}, {5, INFO, "filter_time_taken_ns"},
};

static const struct stated buffer_stats[] = {
    {1, INFO, "traced_buf_bytes_written"}, {2, INFO, "traced_buf_chunks_written"},
    {3, INFO, "traced_buf_chunks_overwritten"}, {4, INFO, "traced_buf_write_wrap_count"},
    {5, INFO, "traced_buf_patches_succeeded"}, {6, LOSS, "traced_buf_patches_failed"},
    {7, INFO, "traced_buf_readaheads_succeeded"}, {8, INFO, "traced_buf_readaheads_failed"},
    {9, LOSS, "traced_buf_abi_violations"}, {10, INFO, "traced_buf_chunks_rewritten"},
    {11, INFO, "traced_buf_chunks_committed_out_of_order"}, {12, INFO, "traced_buf_buffer_size"},
    {13, INFO, "traced_buf_bytes_overwritten"}, {14, INFO, "traced_buf_bytes_read"},
    {15, INFO, "traced_buf_padding_bytes_written"}, {16, INFO, "traced_buf_padding_bytes_cleared"},
    {17, INFO, "traced_buf_chunks_read"}, {18, INFO, "traced_buf_chunks_discarded"},
    {19, LOSS, "traced_buf_trace_writer_packet_loss"}, {20, INFO, "traced_buf_chunks_relocated"},
};

/* Numbers without an index: the final_flush_outcome (fields 1 and 2), and ftrace records without data (3). */
static const struct stated once_stats[] = {
    {1, INFO, "traced_final_flush_succeeded"},
    {2, LOSS, "traced_final_flush_failed"},
    {3, INFO, "ftrace_abi_errors_skipped_zero_data_length"},
};

static const struct stated filtered_stats[] = {{FILTER_BYTES_OF_BUFFERS, INFO, "traced_buf_bytes_filtered_out"}};

/* Losses of the sequences of a buffer, by enum tm_stated_writer. */
static const struct stated writer_stats[] = {
    {TM_STATED_PACKET_LOSS, LOSS, "traced_buf_sequence_packet_loss"},
    {TM_STATED_SEQUENCES_DROPPED, LOSS, "traced_buf_incremental_sequences_dropped"},
    {TM_STATED_LOSS_OF_CAUSE, LOSS, "traced_buf_data_loss_read_gap"},
    {TM_STATED_LOSS_OF_CAUSE + 1, LOSS, "traced_buf_data_loss_chunk_corrupted"},
    {TM_STATED_LOSS_OF_CAUSE + 2, LOSS, "traced_buf_data_loss_orphan_continuation"},
    {TM_STATED_LOSS_OF_CAUSE + 3, LOSS, "traced_buf_data_loss_reassembly_gap"},
    {TM_STATED_LOSS_OF_CAUSE + 4, LOSS, "traced_buf_data_loss_reassembly_broken_chain"},
    {TM_STATED_LOSS_OF_CAUSE + 5, LOSS, "traced_buf_data_loss_overwrite"},
    {TM_STATED_LOSS_OF_CAUSE + 6, LOSS, "traced_buf_data_loss_writer_abort"},
    {TM_STATED_LOSS_OF_CAUSE + 7, LOSS, "traced_buf_data_loss_smb_full"},
};

/* AndroidLogPacket.Stats */
static const struct stated log_stats[] = {
    {TM_LOG_STATS_NUM_TOTAL, INFO, "android_log_num_total"},
    {TM_LOG_STATS_NUM_FAILED, FAULT, "android_log_num_failed"},
    {TM_LOG_STATS_NUM_SKIPPED, INFO, "android_log_num_skipped"},
};

/* PackagesList and AndroidGameInterventionList */
static const struct stated package_stats[] = {
    {2, FAULT, "packages_list_has_parse_errors"}, {3, FAULT, "packages_list_has_read_errors"},
};
static const struct stated game_stats[] = {
    {2, FAULT, "game_intervention_has_parse_errors"}, {3, FAULT, "game_intervention_has_read_errors"},
};

/* Categories and events that could not be recorded; the index is the sequence, and their sum is shown. */
static const struct stated setup_stats[] = {{FTRACE_FAILED, NOTICE, "ftrace_setup_errors"}};

/* SystemdJournaldEvent; a packet with one of these is no message. */
static const struct stated journal_stats[] = {
    {TM_JOURNALD_NUM_TOTAL, INFO, "systemd_journal_num_total"},
    {TM_JOURNALD_NUM_FAILED, FAULT, "systemd_journal_num_failed"},
};

/* What a heap profile states about its process, by enum tm_stated_heap. */
static const struct stated client_stats[] = {
    {TM_STATED_HEAP_ERROR, FAULT, "heapprofd_client_error"},
    {TM_STATED_HEAP_INTERVAL_CHANGE, INFO, "heapprofd_sampling_interval_adjusted"},
};

/* Numbers of a cpu at the start of the trace, at its end, and the difference. */
static const struct stated cpu_start_stats[] = {
    {2, INFO, "ftrace_cpu_entries_begin"},   {3, INFO, "ftrace_cpu_overrun_begin"},
    {4, INFO, "ftrace_cpu_commit_overrun_begin"}, {5, INFO, "ftrace_cpu_bytes_begin"},
    {6, INFO, "ftrace_cpu_oldest_event_ts_begin"}, {7, INFO, "ftrace_cpu_now_ts_begin"},
    {8, INFO, "ftrace_cpu_dropped_events_begin"}, {9, INFO, "ftrace_cpu_read_events_begin"},
};

static const struct stated cpu_end_stats[] = {
    {2, INFO, "ftrace_cpu_entries_end"},   {3, INFO, "ftrace_cpu_overrun_end"},
    {4, INFO, "ftrace_cpu_commit_overrun_end"}, {5, INFO, "ftrace_cpu_bytes_end"},
    {6, INFO, "ftrace_cpu_oldest_event_ts_end"}, {7, INFO, "ftrace_cpu_now_ts_end"},
    {8, INFO, "ftrace_cpu_dropped_events_end"}, {9, INFO, "ftrace_cpu_read_events_end"},
};

static const struct stated cpu_delta_stats[] = {
    {2, INFO, "ftrace_cpu_entries_delta"},       {3, INFO, "ftrace_cpu_overrun_delta"},
    {4, FAULT, "ftrace_cpu_commit_overrun_delta"}, {5, INFO, "ftrace_cpu_bytes_delta"},
    {8, FAULT, "ftrace_cpu_dropped_events_delta"}, {9, INFO, "ftrace_cpu_read_events_delta"},
};

static const struct stated kprobe_start_stats[] = {{1, INFO, "ftrace_kprobe_hits_begin"},
                                                   {2, INFO, "ftrace_kprobe_misses_begin"}};
static const struct stated kprobe_end_stats[] = {{1, INFO, "ftrace_kprobe_hits_end"},
                                                 {2, INFO, "ftrace_kprobe_misses_end"}};
static const struct stated kprobe_delta_stats[] = {{1, INFO, "ftrace_kprobe_hits_delta"},
                                                   {2, LOSS, "ftrace_kprobe_misses_delta"}};

/* Groups of numbers. Those of the start, the end and the difference follow each other. */
enum group { OF_SERVICE, OF_FILTER, OF_ONCE, OF_BUFFER, OF_FILTERED, OF_WRITER, OF_LOG, OF_JOURNAL, OF_CLIENT,
             OF_PACKAGES, OF_GAMES, OF_SETUP,
             OF_CPU, OF_CPU_END, OF_CPU_DELTA, OF_KPROBE, OF_KPROBE_END, OF_KPROBE_DELTA };

#define GROUP(list, has_index) {list, sizeof(list) / sizeof *(list), has_index}

static const struct {
    const struct stated *list;
    size_t count;
    bool has_index; /* index of a buffer, a cpu or a process */
} groups[] = {
    [OF_SERVICE] = GROUP(service_stats, false),
    [OF_FILTER] = GROUP(filter_stats, false),
    [OF_ONCE] = GROUP(once_stats, false),
    [OF_BUFFER] = GROUP(buffer_stats, true),
    [OF_FILTERED] = GROUP(filtered_stats, true),
    [OF_WRITER] = GROUP(writer_stats, true),
    [OF_LOG] = GROUP(log_stats, false),
    [OF_JOURNAL] = GROUP(journal_stats, false),
    [OF_CLIENT] = GROUP(client_stats, true),
    [OF_PACKAGES] = GROUP(package_stats, false),
    [OF_GAMES] = GROUP(game_stats, false),
    [OF_SETUP] = GROUP(setup_stats, false),
    [OF_CPU] = GROUP(cpu_start_stats, true),
    [OF_CPU_END] = GROUP(cpu_end_stats, true),
    [OF_CPU_DELTA] = GROUP(cpu_delta_stats, true),
    [OF_KPROBE] = GROUP(kprobe_start_stats, false),
    [OF_KPROBE_END] = GROUP(kprobe_end_stats, false),
    [OF_KPROBE_DELTA] = GROUP(kprobe_delta_stats, false),
};

/* Returns the key of a number: the field in bits 0 to 7, the group from bit 8, the index from bit 32 on. */
static uint64_t key_of(enum group group, uint32_t field, uint32_t index)
{
    return (uint64_t)index << 32 | (uint64_t)group << 8 | field;
}

static enum group group_of(uint64_t key)
{
    return (enum group)(key >> 8 & UINT8_MAX);
}

static uint32_t field_of(uint64_t key)
{
    return (uint32_t)(key & UINT8_MAX);
}

static uint32_t index_of(uint64_t key)
{
    return (uint32_t)(key >> 32);
}

static const struct stated *stated_of(enum group group, uint32_t field)
{
    for (size_t i = 0; i < groups[group].count; i++)
        if (groups[group].list[i].field == field)
            return &groups[group].list[i];
    return NULL;
}

/* The numbers about one machine. */
struct of_machine {
    struct tm_proto_map *stated;
    uint32_t machine;
};

/* Notes one number; a later one replaces it. Numbers past the limit are left out. */
static enum tm_status note(struct of_machine of, uint64_t key, uint64_t value, struct tm_error *err)
{
    struct tm_proto_map_entry *entry;
    enum tm_status st = tm_proto_map_add(of.stated, of.machine, key, TM_PROTO_STATED_MAX, &entry);
    if (st == TM_OK)
        entry->v1 = value;
    return st < 0 ? tm_error_nomem(err) : TM_OK;
}

enum tm_status tm_proto_stated_note_loss(struct tm_proto_map *stated, uint32_t machine,
                                         const struct tm_stated_loss *loss, struct tm_error *err)
{
    const struct of_machine of = {stated, machine};
    return note(of, key_of(OF_WRITER, loss->what, loss->buffer), loss->count, err);
}

enum tm_status tm_proto_stated_note_client(struct tm_proto_map *stated, uint32_t machine,
                                           const struct tm_stated_client *client, struct tm_error *err)
{
    const struct of_machine of = {stated, machine};
    return note(of, key_of(OF_CLIENT, client->what, client->pid), (uint64_t)client->value, err);
}

/* Notes all numbers of MESSAGE in GROUP; absent ones are 0. */
static enum tm_status note_all(struct of_machine of, const struct tm_pb_field *message, enum group group,
                               uint32_t index, struct tm_error *err)
{
    enum { FIELDS = 32 };
    uint64_t values[FIELDS] = {0};
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.type == TM_PB_VARINT && f.id < FIELDS)
            values[f.id] = f.value;
    for (size_t i = 0; st >= 0 && i < groups[group].count; i++) {
        uint32_t field = groups[group].list[i].field;
        st = note(of, key_of(group, field, index), values[field], err);
    }
    return st;
}

static enum tm_status read_filter(struct of_machine of, const struct tm_pb_field *message, struct tm_error *err)
{
    struct tm_proto_numbers bytes = {.pb = tm_pb_of(message->data, message->len), .id = FILTER_BYTES_OF_BUFFERS};
    enum tm_status st = note_all(of, message, OF_FILTER, 0, err);
    uint64_t value;
    for (uint32_t buffer = 0; st >= 0 && tm_proto_numbers_next(&bytes, &value); buffer++)
        st = note(of, key_of(OF_FILTERED, FILTER_BYTES_OF_BUFFERS, buffer), value, err);
    return st;
}

static enum tm_status read_trace_stats(struct tm_proto_map *stated, const struct tm_proto_packet *packet,
                                       struct tm_error *err)
{
    const struct of_machine of = {stated, packet->machine};
    struct tm_pb pb = tm_pb_of(packet->body.data, packet->body.len);
    struct tm_pb_field f;
    uint32_t buffer = 0;
    enum tm_status st = note_all(of, &packet->body, OF_SERVICE, 0, err);
    while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == STATS_FINAL_FLUSH && f.type == TM_PB_VARINT && stated_of(OF_ONCE, (uint32_t)f.value))
            st = note(of, key_of(OF_ONCE, (uint32_t)f.value, 0), 1, err);
        else if (f.id == STATS_BUFFERS && f.type == TM_PB_LEN)
            st = note_all(of, &f, OF_BUFFER, buffer++, err);
        else if (f.id == STATS_FILTER && f.type == TM_PB_LEN)
            st = read_filter(of, &f, err);
    }
    return st;
}

/* Converts seconds, the bits of a double, to nanoseconds. A value that does not fit becomes the nearest that does. */
static int64_t whole_ns(uint64_t bits)
{
    double ns = tm_pb_double(bits) * 1e9;
    return ns >= 9223372036854775808.0 ? INT64_MAX : ns > -9223372036854775808.0 ? (int64_t)ns : INT64_MIN;
}

/* Notes the increase from the number of KEY, one of a start, to NOW, if the number of the start is known. */
static enum tm_status note_delta(struct of_machine of, uint64_t key, uint64_t now, struct tm_error *err)
{
    const struct tm_proto_map_entry *before = tm_proto_map_find(of.stated, of.machine, key);
    enum group delta = (enum group)(group_of(key) + 2);
    if (before == NULL || stated_of(delta, field_of(key)) == NULL)
        return TM_OK;
    return note(of, key_of(delta, field_of(key), index_of(key)), now - before->v1, err);
}

/* Notes the numbers of MESSAGE; absent ones are 0. GROUP is the group of the start. For the end, the numbers are noted
 * in the next group, and the increases too. */
static enum tm_status read_phase(struct of_machine of, const struct tm_pb_field *message, enum group group, bool is_end,
                                 struct tm_error *err)
{
    enum { FIELDS = 10 };
    uint64_t values[FIELDS] = {0};
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id < FIELDS)
            values[f.id] = f.type == TM_PB_I64 ? (uint64_t)whole_ns(f.value) : f.value;
    uint32_t index = groups[group].has_index ? (uint32_t)values[CPU_NUMBER] : 0;
    for (size_t i = 0; st >= 0 && i < groups[group].count; i++) {
        uint32_t field = groups[group].list[i].field;
        st = note(of, key_of((enum group)(group + is_end), field, index), values[field], err);
        if (st >= 0 && is_end)
            st = note_delta(of, key_of(group, field, index), values[field], err);
    }
    return st;
}

/* Notes the number of errors of the setup in MESSAGE, unless the sequence has stated errors before. */
static enum tm_status note_setup_errors(struct of_machine of, const struct tm_proto_packet *packet,
                                        struct tm_error *err)
{
    const uint64_t key = key_of(OF_SETUP, FTRACE_FAILED, packet->sequence_id);
    struct tm_pb pb = tm_pb_of(packet->body.data, packet->body.len);
    struct tm_pb_field f;
    uint64_t events = 0;
    bool atrace = false, exclusive = false;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        events += f.type == TM_PB_LEN && (f.id == FTRACE_UNKNOWN || f.id == FTRACE_FAILED);
        atrace |= f.id == FTRACE_ATRACE_ERRORS && f.len;
        exclusive |= f.id == FTRACE_EXCLUSIVE_ERROR && f.len;
    }
    events += (uint64_t)atrace + exclusive;
    return events && !tm_proto_map_find(of.stated, of.machine, key) ? note(of, key, events, err) : TM_OK;
}

static enum tm_status read_ftrace_stats(struct tm_proto_map *stated, const struct tm_proto_packet *packet,
                                        struct tm_error *err)
{
    const struct of_machine of = {stated, packet->machine};
    struct tm_pb pb = tm_pb_of(packet->body.data, packet->body.len), look = pb;
    struct tm_proto_numbers errors = {.pb = pb, .id = FTRACE_ERRORS};
    struct tm_pb_field f;
    uint64_t phase = 0, value, skipped = 0;
    enum tm_status st = TM_OK;
    while (tm_pb_next(&look, &f) == TM_OK)
        if (f.id == FTRACE_PHASE)
            phase = f.value;
    while (tm_proto_numbers_next(&errors, &value))
        skipped += value == ERROR_ZERO_DATA_LENGTH;
    if (skipped)
        st = note(of, key_of(OF_ONCE, 3, 0), skipped, err);
    if (st >= 0 && phase == PHASE_START)
        st = note_setup_errors(of, packet, err);
    if (phase != PHASE_START && phase != PHASE_END)
        return st;
    while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK)
        if (f.type == TM_PB_LEN && (f.id == FTRACE_CPUS || f.id == FTRACE_KPROBES))
            st = read_phase(of, &f, f.id == FTRACE_CPUS ? OF_CPU : OF_KPROBE, phase == PHASE_END, err);
    return st;
}

/* Notes the numbers of GROUP that MESSAGE states; those that it leaves out keep their value. */
static enum tm_status note_present(struct of_machine of, const struct tm_pb_field *message, enum group group,
                                   struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK)
        if (f.type == TM_PB_VARINT && stated_of(group, f.id))
            st = note(of, key_of(group, f.id, 0), f.value, err);
    return st;
}

/* Notes the statistics of a packet of a log: a message in android_log, fields of journald_event. */
static enum tm_status read_log_stats(struct tm_proto_map *stated, const struct tm_proto_packet *packet,
                                     struct tm_error *err)
{
    const struct of_machine of = {stated, packet->machine};
    if (packet->body.id == TM_PACKET_JOURNALD)
        return note_present(of, &packet->body, OF_JOURNAL, err);
    struct tm_pb pb = tm_pb_of(packet->body.data, packet->body.len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK)
        if (f.type == TM_PB_LEN && f.id == TM_ANDROID_LOG_STATS)
            st = note_present(of, &f, OF_LOG, err);
    return st;
}

enum tm_status tm_proto_stated_read(struct tm_proto_map *stated, const struct tm_proto_packet *packet,
                                    struct tm_error *err)
{
    switch (packet->body.id) {
    case TM_PACKET_TRACE_STATS:
        return read_trace_stats(stated, packet, err);
    case TM_PACKET_ANDROID_LOG:
    case TM_PACKET_JOURNALD:
        return read_log_stats(stated, packet, err);
    case TM_PACKET_PACKAGES:
        return note_all((struct of_machine){stated, packet->machine}, &packet->body, OF_PACKAGES, 0, err);
    case TM_PACKET_GAME_INTERVENTIONS:
        return note_all((struct of_machine){stated, packet->machine}, &packet->body, OF_GAMES, 0, err);
    default:
        return read_ftrace_stats(stated, packet, err);
    }
}

enum tm_status tm_proto_stated_flush(struct tm_proto_map *stated, struct tm_proto_counts *counts, struct tm_error *err)
{
    struct tm_proto_map_entry *all;
    if (tm_proto_map_list(stated, &all) < 0)
        return tm_error_nomem(err);
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < stated->count && st >= 0; i++) {
        enum group group = group_of(all[i].k2);
        const struct stated *known = stated_of(group, field_of(all[i].k2));
        assert(known); /* only known numbers are noted */
        const struct tm_proto_stated row = {
            .name = known->name,
            .severity = (Tracemerge__Severity)known->severity,
            .is_found = group == OF_WRITER && known->field < TM_STATED_LOSS_OF_CAUSE,
            .idx = groups[group].has_index ? (int64_t)index_of(all[i].k2) : -1,
            .machine = all[i].k1,
            .value = (int64_t)all[i].v1,
        };
        st = tm_proto_count_stated(counts, &row, err);
    }
    free(all);
    tm_proto_map_clear(stated);
    return st;
}
