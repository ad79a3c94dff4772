#include "format/perfetto/metatrace.h"

#include "base/hash.h"
#include "format/perfetto/ftrace_event.h"
#include "format/perfetto/known_texts.h"
#include "format/perfetto/named_row.h"
#include "stream/detail_arg.h"

#include <inttypes.h>
#include <stdio.h>

enum { EVENT_ID = 1, COUNTER_ID = 2, DURATION = 3, COUNTER_VALUE = 4, THREAD = 5, OVERRUNS = 6, ARGS = 7 };
enum { EVENT_NAME = 8, COUNTER_NAME = 9, STRINGS = 10, EVENT_NAME_IID = 11 };
enum { ARG_KEY = 1, ARG_VALUE = 2, ARG_KEY_IID = 3, ARG_VALUE_IID = 4, STRING_IID = 1, STRING_VALUE = 2 };

static const char *const event_names[] = {
    "EVENT_ZERO_UNUSED", "FTRACE_CPU_READER_READ", "FTRACE_DRAIN_CPUS", "FTRACE_UNBLOCK_READERS",
    "FTRACE_CPU_READ_NONBLOCK", "FTRACE_CPU_READ_BLOCK", "FTRACE_CPU_SPLICE_NONBLOCK", "FTRACE_CPU_SPLICE_BLOCK",
    "FTRACE_CPU_WAIT_CMD", "FTRACE_CPU_RUN_CYCLE", "FTRACE_CPU_FLUSH", "FTRACE_CPU_BUFFER_WATERMARK", "READ_SYS_STATS",
    "PS_WRITE_ALL_PROCESSES", "PS_ON_PIDS", "PS_ON_RENAME_PIDS", "PS_WRITE_ALL_PROCESS_STATS",
    "TRACE_WRITER_COMMIT_STARTUP_WRITER_BATCH", "FTRACE_READ_TICK", "FTRACE_CPU_READ_CYCLE", "FTRACE_CPU_READ_BATCH",
    "KALLSYMS_PARSE", "PROFILER_READ_TICK", "PROFILER_READ_CPU", "PROFILER_UNWIND_TICK", "PROFILER_UNWIND_SAMPLE",
    "PROFILER_UNWIND_INITIAL_ATTEMPT", "PROFILER_UNWIND_ATTEMPT", "PROFILER_MAPS_PARSE", "PROFILER_MAPS_REPARSE",
    "PROFILER_UNWIND_CACHE_CLEAR", "ANDROID_CPU_PER_UID_TICK", "ANDROID_KERNEL_WAKELOCKS_TICK", "ANDROID_POWER_TICK",
    "ANDROID_POWER_WRITE_BATTERY_COUNTERS", "ANDROID_POWER_WRITE_ENERGY_ESTIMATION_BREAKDOWN",
    "ANDROID_POWER_WRITE_ENTITY_STATE_RESIDENCY", "ANDROID_POWER_WRITE_POWER_RAILS_DATA", "LINUX_POWER_SYSFS_TICK"};
static const char *const counter_names[] = {
    "COUNTER_ZERO_UNUSED", "FTRACE_PAGES_DRAINED", "PS_PIDS_SCANNED", "TRACE_SERVICE_COMMIT_DATA",
    "PROFILER_UNWIND_QUEUE_SZ", "PROFILER_UNWIND_CURRENT_PID", "WATCHDOG_CRASH_REASON", "WATCHDOG_CRASH_TIME_BOOT_MS",
    "WATCHDOG_CRASH_ACTUAL_MONO", "WATCHDOG_CRASH_ACTUAL_BOOT", "WATCHDOG_CRASH_ACTUAL_CPU", "FTRACE_SESSIONS"};

enum { ARGS_MAX = 256 }; /* each arg is compared with all others */

/* One packet. */
struct metatrace {
    struct tm_proto_known_texts *known;
    struct tm_proto_rows *rows;
    const struct tm_proto_packet *packet;
    struct tm_proto_event_fields m;
    char number[32]; /* a name made of a number */
    struct tm_error *err;
};

static uint64_t string_key(uint64_t iid)
{
    return tm_hash64_numbers(&iid, 1, TM_PROTO_KNOWN_METATRACE);
}

/* Notes the strings of the packet. The first one of a number counts. */
static enum tm_status note_strings(struct metatrace *w)
{
    struct tm_pb pb = tm_pb_of(w->packet->body.data, w->packet->body.len);
    struct tm_proto_event_fields string;
    struct tm_proto_known_text text;
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id != STRINGS || f.type != TM_PB_LEN)
            continue;
        tm_proto_event_fields_read(&string, &f);
        const uint64_t key = string_key(string.number[STRING_IID]);
        if (tm_proto_known_text_find(w->known, w->packet->machine, key, &text))
            continue;
        text = (struct tm_proto_known_text){
            .name = tm_text_given(string.text[STRING_VALUE], string.len[STRING_VALUE])};
        st = tm_proto_known_text_add(w->known, w->packet->machine, key, &text);
    }
    return st < 0 ? tm_error_nomem(w->err) : TM_OK;
}

/* Returns the string in field IID of M by its number, if M states one, else that in field TEXT. */
static struct tm_text string_of(const struct metatrace *w, const struct tm_proto_event_fields *m, uint32_t iid,
                                uint32_t text)
{
    struct tm_proto_known_text known;
    if (!m->has[iid])
        return tm_text_given(m->text[text], m->len[text]);
    return tm_proto_known_text_find(w->known, w->packet->machine, string_key(m->number[iid]), &known)
               ? known.name
               : tm_text_str("MISSING STRING");
}

/* Returns name NUMBER of COUNT names; else WHAT and the number. */
static struct tm_text name_at(struct metatrace *w, uint64_t number, const char *const *names, size_t count,
                              const char *what)
{
    if (number < count)
        return tm_text_str(names[number]);
    const int len = snprintf(w->number, sizeof w->number, "%s %" PRIu32, what, (uint32_t)number);
    return tm_text_at(w->number, (size_t)len);
}

/* True if another arg of the packet has KEY. *INDEX becomes the number of those before ARG. */
static bool has_others(const struct metatrace *w, const struct tm_pb_field *arg, struct tm_text key, uint32_t *index)
{
    struct tm_pb pb = tm_pb_of(w->packet->body.data, w->packet->body.len);
    struct tm_proto_event_fields other;
    struct tm_pb_field f;
    bool has = false;
    *index = 0;
    for (uint32_t count = 0; count < ARGS_MAX && tm_pb_next(&pb, &f) == TM_OK;) {
        if (f.id != ARGS || f.type != TM_PB_LEN)
            continue;
        count++;
        if (f.data == arg->data)
            continue;
        tm_proto_event_fields_read(&other, &f);
        if (!tm_text_equal(string_of(w, &other, ARG_KEY_IID, ARG_KEY), key))
            continue;
        has = true;
        *index += f.data < arg->data;
    }
    return has;
}

/* Puts the args. Those of one key are an array. */
static enum tm_status put_args(struct metatrace *w)
{
    struct tm_pb pb = tm_pb_of(w->packet->body.data, w->packet->body.len);
    struct tm_buf *key = &w->rows->key;
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    uint32_t index, count = 0;
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK && tm_proto_detail_takes(w->rows)) {
        struct tm_proto_event_fields arg;
        if (f.id != ARGS || f.type != TM_PB_LEN)
            continue;
        if (count++ == ARGS_MAX) {
            w->rows->is_cut = true;
            break;
        }
        tm_proto_event_fields_read(&arg, &f);
        const struct tm_text name = string_of(w, &arg, ARG_KEY_IID, ARG_KEY);
        const struct tm_text value = string_of(w, &arg, ARG_VALUE_IID, ARG_VALUE);
        tm_buf_clear(key);
        st = tm_buf_add(key, name.data, name.len);
        if (st == TM_OK && has_others(w, &f, name, &index))
            st = tm_buf_addf(key, "[%" PRIu32 "]", index);
        if (st == TM_OK)
            st = tm_detail_arg_bytes(&w->rows->detail, key, TM_ARG_STRING, value.data, value.len);
    }
    return st < 0 ? tm_error_nomem(w->err) : TM_OK;
}

static enum tm_status add_slice(struct metatrace *w, struct tm_event *row)
{
    static const char category[] = "metatrace";
    const struct tm_proto_event_fields *m = &w->m;
    const struct tm_text name = m->has[EVENT_ID] ? name_at(w, m->number[EVENT_ID], event_names,
                                                           sizeof event_names / sizeof *event_names, "Event")
                                                 : string_of(w, m, EVENT_NAME_IID, EVENT_NAME);
    row->kind = TM_KIND_SLICE_COMPLETE;
    row->dur_ns = (int64_t)m->number[DURATION];
    enum tm_status st = put_args(w);
    if (st >= 0)
        st = tm_proto_string(w->rows, name.data, name.len, &row->name, w->err);
    if (st >= 0)
        st = tm_proto_string(w->rows, category, sizeof category - 1, &row->category, w->err);
    return st < 0 ? st : tm_proto_add(w->rows, row, w->err);
}

static enum tm_status add_counter(struct metatrace *w, struct tm_event *row)
{
    const struct tm_proto_named_row named = {.type = TM_NAMED_TRACK_METATRACE};
    const struct tm_proto_event_fields *m = &w->m;
    const struct tm_text name = m->has[COUNTER_ID] ? name_at(w, m->number[COUNTER_ID], counter_names,
                                                             sizeof counter_names / sizeof *counter_names, "Counter")
                                                   : tm_text_given(m->text[COUNTER_NAME], m->len[COUNTER_NAME]);
    row->kind = TM_KIND_COUNTER;
    row->flags |= TM_EVENT_HAS_VALUE;
    row->value = (uint64_t)(int64_t)(int32_t)m->number[COUNTER_VALUE];
    enum tm_status st = tm_proto_named_dimension(w->rows, "counter_name", name, w->err);
    if (st >= 0)
        st = tm_proto_named_counter(w->rows, &named, name, row, w->err);
    if (st >= 0)
        st = put_args(w);
    return st < 0 ? st : tm_proto_add(w->rows, row, w->err);
}

enum tm_status tm_proto_metatrace_add(struct tm_proto_known_texts *known, struct tm_proto_rows *rows,
                                      const struct tm_proto_packet *packet, const struct tm_event *event,
                                      struct tm_error *err)
{
    struct tm_event row = tm_proto_derived(event, TM_KIND_PACKET);
    struct metatrace w = {.known = known, .rows = rows, .packet = packet, .err = err};
    enum tm_status st = note_strings(&w);
    tm_proto_event_fields_read(&w.m, &packet->body);
    row.flags |= TM_EVENT_HAS_TID | tm_event_scope_flags(TM_SCOPE_THREAD);
    row.tid = (uint32_t)w.m.number[THREAD];
    if (st >= 0 && w.m.has[OVERRUNS])
        st = tm_proto_count_stat(&rows->counts, TM_PROTO_STAT_METATRACE_OVERRUNS, packet->machine, 1, err);
    if (st < 0)
        return st;
    if (w.m.has[EVENT_ID] || w.m.has[EVENT_NAME] || w.m.has[EVENT_NAME_IID])
        return add_slice(&w, &row);
    return w.m.has[COUNTER_ID] || w.m.has[COUNTER_NAME] ? add_counter(&w, &row) : TM_OK;
}
