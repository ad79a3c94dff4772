#include "format/perf_data/perf_data.h"

#include "format/perf_data/internal.h"
#include "kernel/sched_state.h"
#include "stream/clock_id.h"

#include <stdio.h>
#include <stdlib.h>

enum { RECORDS_AT_ONCE = 256 };
enum { CLOCKID_REALTIME = 0, CLOCKID_MONOTONIC = 1, CLOCKID_MONOTONIC_RAW = 4, CLOCKID_BOOTTIME = 7 };

static Tracemerge__ClockPolicy policy_of(const struct tm_perf_attr *attr)
{
    if (attr == NULL || !attr->has_clockid)
        return TRACEMERGE__CLOCK_POLICY__MONOTONIC_CLOCK;
    switch (attr->clockid) {
    case CLOCKID_REALTIME:
        return TRACEMERGE__CLOCK_POLICY__REALTIME_CLOCK;
    case CLOCKID_MONOTONIC:
        return TRACEMERGE__CLOCK_POLICY__MONOTONIC_CLOCK;
    case CLOCKID_MONOTONIC_RAW:
        return TRACEMERGE__CLOCK_POLICY__MONOTONIC_RAW_CLOCK;
    case CLOCKID_BOOTTIME:
        return TRACEMERGE__CLOCK_POLICY__BOOTTIME_CLOCK;
    default:
        return TRACEMERGE__CLOCK_POLICY__PRIVATE;
    }
}

static uint32_t clock_of(const struct tm_perf_attr *attr)
{
    static const uint32_t clocks[] = {[TRACEMERGE__CLOCK_POLICY__PRIVATE] = TM_CLOCK_TRACE_FILE,
                                      [TRACEMERGE__CLOCK_POLICY__MONOTONIC_CLOCK] = TM_CLOCK_MONOTONIC,
                                      [TRACEMERGE__CLOCK_POLICY__REALTIME_CLOCK] = TM_CLOCK_REALTIME,
                                      [TRACEMERGE__CLOCK_POLICY__BOOTTIME_CLOCK] = TM_CLOCK_BOOTTIME,
                                      [TRACEMERGE__CLOCK_POLICY__MONOTONIC_RAW_CLOCK] = TM_CLOCK_MONOTONIC_RAW};
    return clocks[policy_of(attr)];
}

/* Reads the first attr of a file that was written to a pipe. */
static enum tm_status first_attr(const struct tm_perf_header *header, const struct tm_extent *whole,
                                 struct tm_perf_attrs *attrs, struct tm_error *err)
{
    struct tm_perf p = {.header = *header};
    struct tm_perf_record record;
    p.records.is_big = header->is_big;
    p.records.on_damage = TM_DAMAGE_HALT;
    enum tm_status st = tm_perf_records_open(&p.records, whole, header->records, err);
    while (st == TM_OK && p.attrs.count == 0 && (st = tm_perf_records_next(&p.records, &record, err)) == TM_OK)
        if (record.type == TM_PERF_RECORD_ATTR)
            st = tm_perf_survey(&p, &record, err);
    tm_perf_records_release(&p.records);
    *attrs = p.attrs;
    return st;
}

/* Finds the clock of the file WHOLE. Damage is reported later, when the file is read. TM_OK or TM_E_SYSTEM. */
static enum tm_status find_policy(const struct tm_extent *whole, Tracemerge__ClockPolicy *policy, struct tm_error *err)
{
    struct tm_perf_header header;
    struct tm_perf_attrs attrs = {0};
    struct tm_error why = {0};
    enum tm_status st = tm_perf_header_read(&header, whole, &why);
    if (st == TM_OK)
        st = header.is_pipe ? first_attr(&header, whole, &attrs, &why)
                            : tm_perf_header_attrs(&header, whole, &attrs, &why);
    *policy = policy_of(attrs.count ? attrs.list : NULL);
    tm_perf_attrs_release(&attrs);
    if (st == TM_E_SYSTEM)
        *err = why;
    return st == TM_E_SYSTEM ? st : TM_OK;
}

/* Relates the file's clock to REALTIME by the time of day that perf recorded. */
static enum tm_status put_clock_pair(struct tm_perf *p, struct tm_error *err)
{
    Tracemerge__Snapshot snapshot = TRACEMERGE__SNAPSHOT__INIT;
    const struct tm_perf_attr *attr = p->attrs.count ? p->attrs.list : NULL;
    const struct tm_perf_clock_pair *pair = &p->clock_pair;
    if (!pair->is_known || attr == NULL || !attr->has_clockid || (uint32_t)attr->clockid != pair->clockid ||
        clock_of(attr) == TM_CLOCK_REALTIME)
        return TM_OK;
    const struct tm_clock_reading readings[2] = {{clock_of(attr), pair->clock_ns}, {TM_CLOCK_REALTIME, pair->wall_ns}};
    snapshot.has_no_default = snapshot.no_default = true;
    return tm_event_sink_snapshot(p->context.sink, &snapshot, readings, err);
}

static enum tm_status perf_open(const struct tm_format_context *context, void **state, struct tm_error *err)
{
    struct tm_perf *p = calloc(1, sizeof *p);
    if (p == NULL)
        return tm_error_nomem(err);
    *state = p;
    p->context = *context;
    p->ftrace.sink = context->sink;
    p->first_time = UINT64_MAX;
    p->kernel_version = TM_KERNEL_VERSION(4, 14); /* the meaning of states has not changed since */
    tm_perf_mappings_init(&p->mappings);
    tm_perf_task_names_init(&p->names);
    p->frames = malloc(TM_PERF_DATA_FRAMES_ROOM * sizeof *p->frames);
    return p->frames ? find_policy(&context->whole, &p->policy, err) : tm_error_nomem(err);
}

static Tracemerge__ClockPolicy perf_policy(const void *state)
{
    const struct tm_perf *p = state;
    return p->policy;
}

static enum tm_status open_records(struct tm_perf *p, struct tm_error *err)
{
    tm_perf_records_release(&p->records);
    p->records.expansion = p->context.expansion;
    p->records.is_big = p->header.is_big;
    p->records.on_damage = p->context.options->on_damage;
    return tm_perf_records_open(&p->records, &p->context.whole, p->header.records, err);
}

/* Handles the result ST of reading what is at BYTE. TM_END is damage: an error WHAT if the run halts at it, otherwise
 * it is counted. The text of an error gets the byte, unless it has one. */
static enum tm_status take_result(struct tm_perf *p, enum tm_status st, uint64_t byte, const char *what,
                                  struct tm_error *err)
{
    if (st == TM_END && p->context.options->on_damage == TM_DAMAGE_HALT) {
        tm_error_at(err, byte, "%s", what);
        return tm_error_recoverable(err);
    }
    if (st == TM_END)
        tm_perf_count(&p->damaged, byte);
    if (st == TM_E_INPUT && err->byte == 0)
        return tm_error_prefix(err, "byte %llu", (unsigned long long)byte);
    return st < 0 ? st : TM_OK;
}

/* Handles the result ST of reading RECORD. */
static enum tm_status take_record_result(struct tm_perf *p, enum tm_status st, const struct tm_perf_record *record,
                                         struct tm_error *err)
{
    char what[64];
    if (st == TM_OK)
        return TM_OK;
    snprintf(what, sizeof what, "a record of type %u is too short for its fields", record->type);
    return take_result(p, st, record->byte, what, err);
}

static enum tm_status read_features(struct tm_perf *p, struct tm_error *err)
{
    char what[64];
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < TM_PERF_FEATURES && st == TM_OK; i++) {
        if (p->header.features[i].len == 0)
            continue;
        st = tm_perf_section_read(p->header.features[i], &p->context.whole, &p->line, err);
        struct tm_perf_cursor c = {p->line.data, p->line.data + p->line.len, p->header.is_big, false};
        if (st == TM_OK)
            st = tm_perf_feature_read(p, i, c, err);
        snprintf(what, sizeof what, "feature %u of the header is damaged", i);
        st = take_result(p, st, p->header.features[i].at, what, err);
    }
    return st;
}

/* Relates the events that are tracepoints to their formats. */
static void find_tracepoints(struct tm_perf *p)
{
    for (uint32_t i = 0; i < p->attrs.count; i++) {
        struct tm_perf_attr *attr = &p->attrs.list[i];
        if (attr->type != TM_PERF_TYPE_TRACEPOINT)
            continue;
        const struct tm_tracepoint *point = tm_tracepoints_find(&p->tracepoints, attr->config);
        attr->tracepoint = point;
        p->has_switches |= point && tm_text_is(point->name, "sched_switch");
        p->has_new_tasks |= point && tm_text_is(point->name, "task_newtask");
    }
}

/* Reads the facts about the whole file in a first pass over its records, and begins the second. */
static enum tm_status begin(struct tm_perf *p, struct tm_error *err)
{
    struct tm_perf_record record;
    p->is_begun = true;
    enum tm_status st = tm_perf_header_read(&p->header, &p->context.whole, err);
    if (st == TM_OK && p->header.is_cut && p->context.options->on_damage == TM_DAMAGE_HALT) {
        tm_error_at(err, p->context.whole.len, "cut short: perf record did not end this file");
        return tm_error_recoverable(err);
    }
    if (st == TM_OK)
        st = tm_perf_header_attrs(&p->header, &p->context.whole, &p->attrs, err);
    if (st == TM_OK)
        st = read_features(p, err);
    if (st == TM_OK)
        st = open_records(p, err);
    while (st == TM_OK && (st = tm_perf_records_next(&p->records, &record, err)) == TM_OK)
        st = take_record_result(p, tm_perf_survey(p, &record, err), &record, err);
    if (st < 0)
        return st;
    find_tracepoints(p);
    tm_perf_symbols_settle(&p->symbols);
    st = tm_perf_mappings_settle(&p->mappings, err);
    if (st == TM_OK)
        st = tm_perf_task_names_settle(&p->names, err);
    if (st == TM_OK)
        st = put_clock_pair(p, err);
    return st < 0 ? st : open_records(p, err);
}

static enum tm_status add_account(struct tm_perf *p, enum tm_drop_reason reason, struct tm_perf_tally tally,
                                  struct tm_error *err)
{
    if (tally.count == 0)
        return TM_OK;
    return tm_event_sink_account(p->context.sink, (struct tm_loss){reason, 0, tally.count, tally.first_byte}, err);
}

static enum tm_status add_stat(struct tm_perf *p, const char *name, Tracemerge__Severity severity, uint64_t value,
                               struct tm_error *err)
{
    if (value == 0)
        return TM_OK;
    return tm_event_sink_stat(p->context.sink, name, severity, value > INT64_MAX ? INT64_MAX : (int64_t)value, err);
}

/* Ends the file: accounts for what did not become rows. */
static enum tm_status end(struct tm_perf *p, struct tm_error *err)
{
    const struct tm_damage *damage = &p->records.damage;
    struct tm_perf_tally damaged = p->damaged, skipped = {damage->skipped_bytes, damage->byte};
    if (damage->count && (damaged.count == 0 || damage->byte < damaged.first_byte))
        damaged.first_byte = damage->byte;
    if (p->header.is_cut && damage->count == 0) {
        damaged.count++;
        damaged.first_byte = damaged.count == 1 ? p->context.whole.len : damaged.first_byte;
    }
    damaged.count += damage->count;
    enum tm_status st = add_account(p, TM_DROP_DAMAGED, damaged, err);
    if (st == TM_OK)
        st = add_account(p, TM_DROP_SKIPPED_BYTES, skipped, err);
    if (st == TM_OK)
        st = add_account(p, TM_DROP_NOT_SHOWN, p->not_shown, err);
    if (st == TM_OK)
        st = add_account(p, TM_DROP_NO_TIME, p->no_time, err);
    if (st == TM_OK)
        st = add_account(p, TM_DROP_NO_STACK, p->no_stack, err);
    if (st == TM_OK)
        st = add_account(p, TM_DROP_NEEDS_STATE, p->needs_state, err);
    if (st == TM_OK)
        st = add_stat(p, "perf_data_lost_events", TRACEMERGE__SEVERITY__DATA_LOSS, p->lost, err);
    if (st == TM_OK)
        st = add_stat(p, "perf_data_aux_truncated", TRACEMERGE__SEVERITY__DATA_LOSS, p->aux_cut, err);
    if (st == TM_OK)
        st = add_stat(p, "perf_data_auxtrace_bytes", TRACEMERGE__SEVERITY__INFO, p->aux_bytes, err);
    if (st == TM_OK)
        st = add_stat(p, "perf_data_user_stacks_not_unwound", TRACEMERGE__SEVERITY__INFO, p->user_stacks, err);
    if (st == TM_OK)
        st = add_stat(p, "perf_data_tracepoints_cut", TRACEMERGE__SEVERITY__DATA_LOSS, p->tracepoints_cut, err);
    if (st == TM_OK)
        st = add_stat(p, "perf_data_stacks_cut", TRACEMERGE__SEVERITY__DATA_LOSS, p->stacks_cut, err);
    return st < 0 ? st : TM_END;
}

static enum tm_status perf_read(void *state, struct tm_error *err)
{
    struct tm_perf *p = state;
    struct tm_perf_record record;
    if (!p->is_begun)
        return begin(p, err);
    for (int i = 0; i < RECORDS_AT_ONCE; i++) {
        enum tm_status st = tm_perf_records_next(&p->records, &record, err);
        if (st == TM_END)
            return end(p, err);
        if (st == TM_OK)
            st = take_record_result(p, tm_perf_add_record(p, &record, err), &record, err);
        if (st < 0)
            return st;
    }
    return TM_OK;
}

static void perf_close(void *state)
{
    struct tm_perf *p = state;
    if (p == NULL)
        return;
    tm_perf_records_release(&p->records);
    tm_perf_attrs_release(&p->attrs);
    tm_tracepoints_release(&p->tracepoints);
    tm_perf_mappings_release(&p->mappings);
    tm_perf_symbols_release(&p->symbols);
    tm_perf_task_names_release(&p->names);
    tm_ftrace_text_release(&p->ftrace);
    tm_map_release(&p->next_of_cpu);
    tm_perf_last_counts_release(&p->last_counts);
    tm_buf_release(&p->line);
    tm_buf_release(&p->detail);
    tm_buf_release(&p->text);
    free(p->frames);
    free(p);
}

const struct tm_format tm_format_perf_data = {
    .type = TM_INPUT_PERF,
    .priority = TM_PRIORITY_TRACE,
    .clock_policy = TRACEMERGE__CLOCK_POLICY__MONOTONIC_CLOCK,
    .sniff = tm_perf_header_sniff,
    .open = perf_open,
    .read = perf_read,
    .close = perf_close,
    .by_place = true,
    .policy_of = perf_policy,
};
