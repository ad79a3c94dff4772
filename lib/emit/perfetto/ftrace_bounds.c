#include "emit/perfetto/ftrace_bounds.h"

#include "base/table.h"
#include "perfetto/ftrace_event_fields.h"
#include "perfetto/packet_times.h"
#include "perfetto/recording_rows.h"

#include <stdlib.h>

enum { SERVICE_TRACING_STARTED = 2 };
enum { READER_CPUS_MAX = 1024 };

static enum tm_status row_of(struct tm_ftrace_bounds *b, const struct tm_event *e, uint32_t *at, struct tm_error *err)
{
    uint64_t key = (uint64_t)e->file << 32 | e->machine;
    if (tm_map_find(&b->index, key, at))
        return TM_OK;
    if (tm_array_grow(&b->rows, &b->cap, b->count, sizeof *b->rows, err) < 0)
        return TM_E_SYSTEM;
    *at = b->count;
    b->rows[b->count] = (struct tm_ftrace_bound){.file = e->file, .machine = e->machine};
    return tm_map_set(&b->index, key, b->count++) == TM_OK ? TM_OK : tm_error_nomem(err);
}

/* Finds the end, on trace time, of the data that was in the buffer of E's cpu before E, the rest of a bundle. *HAS_END:
 * E states it. */
static enum tm_status previous_end(struct tm_ftrace_bounds *b, const struct tm_event *e, bool *has_end,
                                   int64_t *end_ns, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(e->raw, e->raw_bytes);
    struct tm_pb_field f, g;
    const struct tm_packet_readings on_trace_time = {NULL, NULL};
    uint32_t unchanged = 0;
    *has_end = false;
    if (!(e->flags & TM_EVENT_INNER_TIMES))
        return TM_OK;
    b->scratch.len = 0;
    enum tm_status st = tm_packet_times_rewrite(e, &on_trace_time, &b->scratch, &unchanged);
    if (st == TM_E_SYSTEM)
        return tm_error_nomem(err);
    if (st < 0 || unchanged)
        return TM_OK; /* counted when it is written */
    pb = tm_pb_of(b->scratch.data, b->scratch.len);
    while (tm_pb_next(&pb, &f) == TM_OK) {
        struct tm_pb inner = tm_pb_of(f.data, f.len);
        while (f.id == TM_PACKET_FTRACE_EVENTS && tm_pb_next(&inner, &g) == TM_OK)
            if (g.id == TM_BUNDLE_PREVIOUS_END || (g.id == TM_BUNDLE_LAST_READ && !*has_end)) {
                *end_ns = (int64_t)g.value;
                *has_end = true;
            }
    }
    return TM_OK;
}

/* True when KEY occurs for the first time. */
static bool is_first(struct tm_ftrace_bounds *b, uint64_t key, enum tm_status *st)
{
    uint32_t any;
    if (tm_map_find(&b->bundled, key, &any))
        return false;
    *st = tm_map_set(&b->bundled, key, 1);
    return *st == TM_OK;
}

enum { OF_MACHINE = 1 }; /* keys of bundled: (row or machine) << 32 | cpu << 1, plus OF_MACHINE for a machine */

/* Notes bundle E. The first bundle of a cpu states from when on the cpu's data is complete. */
static enum tm_status note_bundle(struct tm_ftrace_bounds *b, uint32_t at, const struct tm_event *e,
                                  struct tm_error *err)
{
    uint64_t cpu = (uint64_t)e->cpu << 1;
    struct tm_ftrace_bound *row = &b->rows[at];
    bool has_end;
    int64_t end_ns;
    enum tm_status st = TM_OK;
    row->has_data = true;
    if (!is_first(b, (uint64_t)at << 32 | cpu, &st))
        return st < 0 ? tm_error_nomem(err) : TM_OK;
    (void)is_first(b, (uint64_t)e->machine << 32 | cpu | OF_MACHINE, &st);
    if (st < 0)
        return tm_error_nomem(err);
    st = previous_end(b, e, &has_end, &end_ns, err);
    if (has_end && (!row->has_valid || end_ns > row->valid_ns)) {
        row->valid_ns = end_ns;
        row->has_valid = true;
    }
    return st;
}

enum tm_status tm_ftrace_bounds_note(struct tm_ftrace_bounds *b, const struct tm_packet_writer *w,
                                     const struct tm_event *e, struct tm_error *err)
{
    bool is_bundle = e->kind == TM_KIND_PACKET && e->flags & TM_EVENT_HAS_CPU;
    bool is_word = e->kind == TM_KIND_METADATA && e->flags & TM_EVENT_DERIVED && e->name;
    uint32_t at;
    if (!is_bundle && !is_word)
        return TM_OK;
    enum tm_status st = row_of(b, e, &at, err);
    if (st < 0 || is_bundle)
        return st < 0 ? st : note_bundle(b, at, e, err);
    struct tm_text name = tm_catalog_string(w->catalog, e->name, e);
    if (tm_text_is(name, TM_ROW_PRESERVES_FTRACE_BUFFER)) {
        b->rows[at].preserves_buffer = true;
    } else if (tm_text_is(name, TM_ROW_FTRACE_DATA)) {
        b->rows[at].has_data = true;
    } else if (tm_text_is(name, TM_ROW_TRACING_STARTED)) {
        b->rows[at].has_start = true;
        b->rows[at].start_ns = e->time_ns;
    }
    return TM_OK;
}

static int64_t start_of(const struct tm_ftrace_bound *row)
{
    return row->has_start && !row->preserves_buffer && row->start_ns > 0 ? row->start_ns : 0;
}

/* Adds a file with data to MACHINE. The data counts from START_NS, and is complete from *VALID_NS on (NULL: not
 * stated). */
static void add_file(struct tm_ftrace_machine_bound *machine, int64_t start_ns, const int64_t *valid_ns)
{
    if (!machine->has_data || start_ns < machine->start_ns)
        machine->start_ns = start_ns;
    if (valid_ns && (!machine->has_data || *valid_ns < machine->valid_ns))
        machine->valid_ns = *valid_ns;
    machine->has_valid = valid_ns && (!machine->has_data || machine->has_valid);
    machine->is_shared = machine->has_data;
    machine->has_data = true;
}

/* Adds the files whose events become ftrace events here and that state no bounds. */
static void add_others(struct tm_ftrace_bounds *b, const struct tm_catalog *c)
{
    for (uint32_t i = 0; i < c->placement_count; i++) {
        const Tracemerge__Placement *p = c->placements[i];
        if (p->file >= c->file_count || p->machine >= b->machine_count)
            continue;
        Tracemerge__ClockPolicy policy = c->files[p->file].clock_policy;
        if (policy == TRACEMERGE__CLOCK_POLICY__MONOTONIC_CLOCK || policy == TRACEMERGE__CLOCK_POLICY__BOOTTIME_CLOCK)
            add_file(&b->machines[p->machine], 0, NULL);
    }
}

/* Returns a cpu of MACHINE that has no events. */
static uint32_t free_cpu(const struct tm_ftrace_bounds *b, uint32_t machine)
{
    uint32_t cpu = READER_CPUS_MAX - 1, any;
    while (cpu > 0 && tm_map_find(&b->bundled, (uint64_t)machine << 32 | (uint64_t)cpu << 1 | OF_MACHINE, &any))
        cpu--;
    return cpu;
}

/* Writes the time from which MACHINE's data is complete, as the first bundle of a cpu without events. */
static enum tm_status write_valid_time(const struct tm_ftrace_bounds *b, struct tm_packet_writer *w, uint32_t machine,
                                       struct tm_error *err)
{
    uint8_t fields[2 * TM_PB_FIELD_MAX];
    uint8_t *end = tm_pb_varint_at(fields, TM_BUNDLE_CPU, free_cpu(b, machine));
    end = tm_pb_varint_at(end, TM_BUNDLE_PREVIOUS_END, (uint64_t)b->machines[machine].valid_ns);
    const struct iovec bundle[2] = {{fields, (size_t)(end - fields)}, {fields, 0}};
    return tm_packet_message(w, (struct tm_packet_head){machine, 0, TM_PACKET_FTRACE_EVENTS}, bundle, err);
}

static enum tm_status write_start(const struct tm_ftrace_bounds *b, struct tm_packet_writer *w, uint32_t machine,
                                  struct tm_error *err)
{
    size_t mark;
    enum tm_status st = tm_packet_begin(w, machine, err);
    if (st < 0)
        return st;
    if (tm_pb_put_varint(&w->out, TM_PACKET_TIMESTAMP, (uint64_t)b->machines[machine].start_ns) != TM_OK ||
        tm_pb_begin(&w->out, TM_PACKET_SERVICE_EVENT, &mark) != TM_OK ||
        tm_pb_put_varint(&w->out, SERVICE_TRACING_STARTED, 1) != TM_OK || tm_pb_end(&w->out, mark) != TM_OK)
        return tm_error_nomem(err);
    return tm_packet_end(w, err);
}

enum tm_status tm_ftrace_bounds_settle(struct tm_ftrace_bounds *b, struct tm_packet_writer *w, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    b->is_settled = true;
    b->machine_count = w->machine_count;
    b->machines = calloc((size_t)b->machine_count + 1, sizeof *b->machines);
    if (b->machines == NULL)
        return tm_error_nomem(err);
    for (uint32_t i = 0; i < b->count; i++) {
        const struct tm_ftrace_bound *row = &b->rows[i];
        if (row->machine < b->machine_count && (row->has_data || row->preserves_buffer))
            add_file(&b->machines[row->machine], start_of(row), row->has_valid ? &row->valid_ns : NULL);
    }
    add_others(b, w->catalog);
    for (uint32_t i = 0; i < b->count; i++)
        b->is_cutting |= b->rows[i].machine < b->machine_count && b->rows[i].has_data &&
                         start_of(&b->rows[i]) > b->machines[b->rows[i].machine].start_ns;
    for (uint32_t i = 0; i < b->machine_count && st == TM_OK; i++) {
        if (b->machines[i].has_valid)
            st = write_valid_time(b, w, i, err);
        if (st == TM_OK && b->machines[i].is_shared && b->machines[i].start_ns > 0)
            st = write_start(b, w, i, err);
    }
    return st;
}

int64_t tm_ftrace_bounds_start(const struct tm_ftrace_bounds *b, const struct tm_event *e)
{
    uint32_t at;
    if (e->machine >= b->machine_count || !tm_map_find(&b->index, (uint64_t)e->file << 32 | e->machine, &at))
        return INT64_MIN;
    int64_t start_ns = start_of(&b->rows[at]);
    return start_ns > b->machines[e->machine].start_ns ? start_ns : INT64_MIN;
}

enum tm_status tm_ftrace_bounds_switch(struct tm_ftrace_bounds *b, const struct tm_event *e, bool is_cut,
                                       bool *after_cut, struct tm_error *err)
{
    uint64_t key = (uint64_t)e->machine << 32 | e->cpu;
    uint32_t was_cut = 0;
    (void)tm_map_find(&b->cut_cpus, key, &was_cut);
    *after_cut = was_cut;
    if (was_cut != is_cut && tm_map_set(&b->cut_cpus, key, is_cut) != TM_OK)
        return tm_error_nomem(err);
    return TM_OK;
}

enum tm_status tm_ftrace_bounds_service_event(const struct tm_ftrace_bounds *b, struct tm_event *e,
                                              const struct tm_pb_field *field, struct tm_buf *raw,
                                              struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(field->data, field->len);
    struct tm_pb_field f;
    size_t mark;
    if (e->machine >= b->machine_count || !b->machines[e->machine].has_data ||
        b->machines[e->machine].start_ns == e->time_ns)
        return TM_OK;
    raw->len = 0;
    enum tm_status st = tm_buf_add(raw, e->raw, (size_t)(field->start - e->raw));
    if (st == TM_OK)
        st = tm_pb_begin(raw, field->id, &mark);
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK)
        if (f.id != SERVICE_TRACING_STARTED)
            st = tm_buf_add(raw, f.start, (size_t)(f.end - f.start));
    if (st == TM_OK)
        st = tm_pb_end(raw, mark);
    if (st == TM_OK)
        st = tm_buf_add(raw, field->end, (size_t)(e->raw + e->raw_bytes - field->end));
    if (st < 0)
        return tm_error_nomem(err);
    e->raw = raw->data;
    e->raw_bytes = (uint32_t)raw->len;
    return TM_OK;
}

void tm_ftrace_bounds_release(struct tm_ftrace_bounds *b)
{
    free(b->rows);
    free(b->machines);
    tm_map_release(&b->index);
    tm_map_release(&b->bundled);
    tm_map_release(&b->cut_cpus);
    tm_buf_release(&b->scratch);
    *b = (struct tm_ftrace_bounds){0};
}
