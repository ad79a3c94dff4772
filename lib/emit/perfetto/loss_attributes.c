#include "emit/perfetto/loss_attributes.h"

#include "stream/kind_name.h"

/* A TraceAttributes message, for one file at a time. */
struct message {
    struct tm_buf bytes;
    uint32_t file; /* its place in the order of processing */
    bool failed;
};

static void put(struct message *m, const char *group, const char *what, uint64_t count)
{
    size_t attribute, key;
    if (count == 0)
        return;
    m->failed |= tm_pb_begin(&m->bytes, TM_ATTRIBUTES_ATTRIBUTE, &attribute) != TM_OK ||
                 tm_pb_begin(&m->bytes, TM_ATTRIBUTE_KEY, &key) != TM_OK ||
                 tm_buf_addf(&m->bytes, TM_PROVENANCE_FILE "%u.%s%s", (unsigned)m->file, group, what) != TM_OK ||
                 tm_pb_end(&m->bytes, key) != TM_OK ||
                 tm_pb_put_varint(&m->bytes, TM_ATTRIBUTE_INT, count) != TM_OK ||
                 tm_pb_end(&m->bytes, attribute) != TM_OK;
}

static void put_file(struct message *m, const struct tm_unsupported_counts_file *file)
{
    static const char left_out[] = "left_out.";
    for (uint32_t kind = 0; kind < TM_UNSUPPORTED_COUNTS_KINDS; kind++) {
        const char *name = tm_name_of_kind(kind);
        put(m, left_out, name ? name : "unknown", file->events[kind]);
    }
    put(m, left_out, "early_ftrace_events", file->others[TM_UNSUPPORTED_EARLY]);
    put(m, left_out, "clock_readings", file->others[TM_UNSUPPORTED_READINGS]);
    put(m, left_out, "surplus_clock_readings", file->others[TM_UNSUPPORTED_SURPLUS]);
    put(m, left_out, "surplus_names", file->others[TM_UNSUPPORTED_NAMES]);
    put(m, left_out, "surplus_facts", file->others[TM_UNSUPPORTED_FACTS]);
    put(m, "", "times_as_recorded", file->others[TM_UNSUPPORTED_TIMES]);
}

enum tm_status tm_loss_attributes_write(struct tm_packet_writer *w, uint32_t home, struct tm_error *err)
{
    const struct tm_unsupported_counts *counts = w->unsupported;
    struct message m = {0};
    size_t mark;
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; counts && i < counts->file_count && i < w->catalog->file_count; i++) {
        m.file = w->catalog->files[i].processing_order;
        put_file(&m, &counts->files[i]);
    }
    if (!m.failed && m.bytes.len && (st = tm_packet_begin(w, home, err)) == TM_OK) {
        m.failed = tm_pb_begin(&w->out, TM_PACKET_TRACE_ATTRIBUTES, &mark) != TM_OK ||
                   tm_buf_add(&w->out, m.bytes.data, m.bytes.len) != TM_OK || tm_pb_end(&w->out, mark) != TM_OK;
        st = m.failed ? TM_OK : tm_packet_end(w, err);
    }
    tm_buf_release(&m.bytes);
    return m.failed ? tm_error_nomem(err) : st;
}
