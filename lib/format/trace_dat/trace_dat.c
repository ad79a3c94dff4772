#include "format/trace_dat/trace_dat.h"

#include "base/hash.h"
#include "format/ftrace/ftrace_text.h"
#include "format/trace_dat/facts.h"
#include "format/trace_dat/library.h"
#include "format/child_event.h"
#include "os/subprocess.h"
#include "stream/clock_id.h"

#include <stdlib.h>
#include <unistd.h>

enum { RECORDS_AT_ONCE = 1024, NO_BUFFER = -1 };

struct trace_dat {
    struct tm_format_context context;
    struct tm_trace_dat_facts facts;
    struct tm_error damage; /* of the facts; libtracecmd reports it, unless it must not read the file */
    Tracemerge__ClockPolicy policy;
    struct tm_extent copy; /* fd -1: none */
    struct tm_trace_dat_source source;
    struct tm_subprocess child;
    bool is_begun;
    struct tm_ftrace_text ftrace;
    struct tm_buf line;
    bool has_related;  /* its clock is related to that of its host or of its guests */
    int switch_buffer; /* the buffer whose switches are shown; other buffers repeat them */
    uint64_t event_count, same_switch_count, lost_count, cut_count;
};

static Tracemerge__ClockPolicy policy_of_word(const char *word)
{
    static const struct {
        const char *word;
        Tracemerge__ClockPolicy policy;
    } words[] = {{"mono", TRACEMERGE__CLOCK_POLICY__MONOTONIC_CLOCK},
                 {"mono_raw", TRACEMERGE__CLOCK_POLICY__MONOTONIC_RAW_CLOCK},
                 {"boot", TRACEMERGE__CLOCK_POLICY__BOOTTIME_CLOCK}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].word, word) == 0)
            return words[i].policy;
    return TRACEMERGE__CLOCK_POLICY__PRIVATE;
}

/* Returns REALTIME if the recorder measured the offset between it and the clock of the events (--date). Times with a
 * manual offset are not on any named clock. */
static Tracemerge__ClockPolicy policy_of_facts(const struct tm_trace_dat_facts *facts)
{
    if (facts->offset_ns != 0)
        return TRACEMERGE__CLOCK_POLICY__PRIVATE;
    return facts->has_date ? TRACEMERGE__CLOCK_POLICY__REALTIME_CLOCK : policy_of_word(facts->clock);
}

static uint32_t clock_of(Tracemerge__ClockPolicy policy)
{
    switch (policy) {
    case TRACEMERGE__CLOCK_POLICY__MONOTONIC_CLOCK:
        return TM_CLOCK_MONOTONIC;
    case TRACEMERGE__CLOCK_POLICY__MONOTONIC_RAW_CLOCK:
        return TM_CLOCK_MONOTONIC_RAW;
    case TRACEMERGE__CLOCK_POLICY__BOOTTIME_CLOCK:
        return TM_CLOCK_BOOTTIME;
    case TRACEMERGE__CLOCK_POLICY__REALTIME_CLOCK:
        return TM_CLOCK_REALTIME;
    default:
        return TM_CLOCK_TRACE_FILE;
    }
}

/* Returns a number for the private clock of the trace ID, the same in the files of a host and its guests. */
static uint32_t shared_clock(uint64_t id)
{
    return TM_CLOCK_GLOBAL_FIRST + (uint32_t)(tm_hash_u64(id) & INT32_MAX);
}

static Tracemerge__Reading reading_of(uint32_t clock, int64_t value)
{
    Tracemerge__Reading reading = TRACEMERGE__READING__INIT;
    reading.clock = clock;
    reading.value = value;
    return reading;
}

/* Writes a snapshot on the file's machine, the host. A clock without a name of its own is the file's timeline. A
 * guest's file gets a snapshot even if its clock has a name, because the file's machine would otherwise become the
 * guest (doc/rules.md). */
static enum tm_status put_snapshot(struct trace_dat *d, int64_t time_ns, struct tm_error *err)
{
    Tracemerge__Reading own = reading_of(clock_of(d->policy), time_ns), shared = reading_of(d->ftrace.clock, time_ns);
    Tracemerge__Reading *pair[] = {&own, &shared};
    Tracemerge__Snapshot snapshot = TRACEMERGE__SNAPSHOT__INIT;
    snapshot.file = d->context.sink->file;
    snapshot.n_readings = d->ftrace.clock ? 2 : 1;
    snapshot.readings = pair;
    snapshot.position = d->context.sink->position;
    snapshot.has_no_default = snapshot.no_default = true;
    return tm_event_sink_message(d->context.sink, TM_FRAME_SNAPSHOT, &snapshot.base, err);
}

/* Relates the clocks of host and guest, which read the same: libtracecmd has converted a guest's times to readings of
 * its host's clock. A relation needs two rounds. */
static enum tm_status put_sync(struct trace_dat *d, int64_t time_ns, struct tm_error *err)
{
    uint32_t clock = d->ftrace.clock ? d->ftrace.clock : clock_of(d->policy);
    Tracemerge__Reading reading = reading_of(clock, time_ns), *readings[] = {&reading};
    Tracemerge__SyncRound round = TRACEMERGE__SYNC_ROUND__INIT, *rounds[] = {&round, &round};
    Tracemerge__RemoteClockSync sync = TRACEMERGE__REMOTE_CLOCK_SYNC__INIT;
    round.n_client = round.n_host = 1;
    round.client = round.host = readings;
    sync.file = d->context.sink->file;
    sync.machine = d->ftrace.machine;
    sync.n_rounds = 2;
    sync.rounds = rounds;
    sync.position = d->context.sink->position;
    return tm_event_sink_message(d->context.sink, TM_FRAME_REMOTE_CLOCK_SYNC, &sync.base, err);
}

/* Finds the clock and the machine of the events when a host and its guests were recorded. */
static void find_relation(struct trace_dat *d)
{
    const struct tm_trace_dat_facts *facts = &d->facts;
    bool is_private = d->policy == TRACEMERGE__CLOCK_POLICY__PRIVATE;
    if (facts->is_shifted)
        d->ftrace.machine = (uint32_t)tm_hash_u64(facts->trace_id) | 1;
    if (is_private && facts->is_shifted)
        d->ftrace.clock = shared_clock(facts->host_trace_id);
    else if (is_private && facts->has_guests)
        d->ftrace.clock = shared_clock(facts->trace_id);
}

static bool is_switch(const struct tm_child_event *record)
{
    return tm_text_is(record->event, "sched_switch");
}

/* Appends args. Bytes that would end a line become blanks. */
static enum tm_status put_args(struct trace_dat *d, struct tm_text args)
{
    size_t from = d->line.len;
    while (args.len && (args.data[args.len - 1] == '\n' || args.data[args.len - 1] == ' '))
        args.len--;
    while (args.len && args.data[0] == ' ')
        args = tm_text_after(args, 1);
    enum tm_status st = tm_buf_add(&d->line, args.data, args.len);
    for (size_t i = from; i < d->line.len; i++)
        if (d->line.data[i] == '\n' || d->line.data[i] == '\r')
            d->line.data[i] = ' ';
    return st;
}

/* Adds the rows of RECORD. Relates the clocks of host and guest before the first. */
static enum tm_status add_event(struct trace_dat *d, const struct tm_child_event *record, struct tm_error *err)
{
    d->event_count++;
    d->cut_count += record->is_cut;
    if (record->lost > 0)
        d->lost_count += record->lost == UINT64_MAX ? 1 : record->lost < INT32_MAX ? record->lost : INT32_MAX;
    if (record->time_ns < 0)
        return tm_event_sink_account(d->context.sink, (struct tm_loss){TM_DROP_NO_TIME, 0, 1, UINT64_MAX}, err);
    if (is_switch(record)) {
        d->switch_buffer = d->switch_buffer == NO_BUFFER ? record->buffer : d->switch_buffer;
        if (d->switch_buffer != record->buffer) {
            d->same_switch_count++;
            return TM_OK;
        }
    }
    enum tm_status st = TM_OK;
    if (!d->has_related && (d->ftrace.clock || d->facts.is_shifted))
        st = put_snapshot(d, record->time_ns, err);
    if (st == TM_OK && !d->has_related && d->facts.is_shifted)
        st = put_sync(d, record->time_ns, err);
    d->has_related = true;
    struct tm_systrace_line line = {.task = tm_text_chars(record->task), .task_len = record->task.len,
                                    .event = tm_text_chars(record->event), .event_len = record->event.len,
                                    .time_ns = record->time_ns,
                                    .pid = (uint32_t)record->tid, .cpu = (uint32_t)record->cpu};
    if (st == TM_OK && tm_ftrace_text_begin(&line, &d->line) != TM_OK)
        st = tm_error_nomem(err);
    size_t args = d->line.len;
    if (st == TM_OK && put_args(d, record->args) != TM_OK)
        st = tm_error_nomem(err);
    return st < 0 ? st : tm_ftrace_text_add_made(&d->ftrace, &line, &d->line, args, err);
}

/* Sets the file that the child reads, from its first byte on and with a file position of its own. A member of an
 * archive is copied. */
static enum tm_status open_file(struct trace_dat *d, struct tm_error *err)
{
    const struct tm_extent *whole = &d->context.whole;
    struct tm_input in;
    d->source.file = whole->fd;
    if (whole->start == 0)
        return TM_OK;
    enum tm_status st = tm_extent_open(whole, &in, err);
    if (st < 0)
        return st;
    st = tm_extent_copy(&in, d->context.temporary_dir, &d->copy, err);
    tm_input_release(&in);
    d->source.file = d->copy.fd;
    return st;
}

static enum tm_status trace_dat_open(const struct tm_format_context *context, void **state, struct tm_error *err)
{
    if (!tm_trace_dat_library_is_there()) {
        tm_error_set(err, TM_E_INPUT, "trace.dat of trace-cmd, which this build cannot read as it was made without "
                                      "libtracecmd (Debian package: libtracecmd-dev); what trace-cmd report writes can "
                                      "be merged");
        return TM_END;
    }
    enum tm_status st = tm_trace_dat_library_load(err);
    if (st < 0)
        return st;
    struct trace_dat *d = calloc(1, sizeof *d);
    if (d == NULL)
        return tm_error_nomem(err);
    *state = d;
    d->context = *context;
    d->copy.fd = -1;
    d->source.temporary_dir = context->temporary_dir;
    d->switch_buffer = NO_BUFFER;
    if (tm_trace_dat_facts_read(&d->facts, &context->whole, &d->damage) == TM_E_SYSTEM) {
        *err = d->damage;
        return TM_E_SYSTEM;
    }
    d->policy = policy_of_facts(&d->facts);
    d->ftrace.sink = context->sink;
    d->ftrace.hints = context->options->hints;
    find_relation(d);
    return TM_OK;
}

static Tracemerge__ClockPolicy trace_dat_policy(const void *state)
{
    const struct trace_dat *d = state;
    return d->policy;
}

static enum tm_status add_stat(struct trace_dat *d, const char *name, Tracemerge__Severity severity, uint64_t value,
                               struct tm_error *err)
{
    if (value == 0)
        return TM_OK;
    return tm_event_sink_stat(d->context.sink, name, severity, value > INT64_MAX ? INT64_MAX : (int64_t)value, err);
}

/* Accounts for what did not become rows; LINES is the number of lines that the library printed while
 * it read events: it leaves out pages that it cannot read. */
static enum tm_status write_counts(struct trace_dat *d, uint64_t lines, struct tm_error *err)
{
    bool is_ticks = strcmp(d->facts.clock, "x86-tsc") == 0 && !d->facts.is_scaled;
    enum tm_status st = TM_OK;
    if (d->same_switch_count)
        st = tm_event_sink_account(d->context.sink,
                                   (struct tm_loss){TM_DROP_NOT_SHOWN, 0, d->same_switch_count, UINT64_MAX}, err);
    if (st == TM_OK)
        st = add_stat(d, "trace_dat_lost_events", TRACEMERGE__SEVERITY__DATA_LOSS, d->lost_count, err);
    if (st == TM_OK)
        st = add_stat(d, "trace_dat_args_cut", TRACEMERGE__SEVERITY__DATA_LOSS, d->cut_count, err);
    if (st == TM_OK)
        st = add_stat(d, "systrace_parse_failure", TRACEMERGE__SEVERITY__ERROR, d->ftrace.malformed_count, err);
    if (st == TM_OK)
        st = add_stat(d, "trace_dat_library_messages", TRACEMERGE__SEVERITY__DATA_LOSS, lines, err);
    if (st == TM_OK)
        st = add_stat(d, "trace_dat_ticks", TRACEMERGE__SEVERITY__INFO, is_ticks, err);
    return st < 0 ? st : TM_END;
}

/* Ends the file after the child failed. *WHY is the cause; if it is not set, the child's exit status is. */
static enum tm_status give_up(struct trace_dat *d, struct tm_error *why, struct tm_error *err)
{
    if (why->status >= 0)
        (void)tm_subprocess_close(&d->child, why);
    if (why->status == TM_E_SYSTEM)
        return tm_error_set(err, TM_E_SYSTEM, "%s", why->text);
    if (d->context.options->on_damage != TM_DAMAGE_HALT) {
        enum tm_status st =
            tm_event_sink_account(d->context.sink, (struct tm_loss){TM_DROP_DAMAGED, 0, 1, UINT64_MAX}, err);
        return st < 0 ? st : write_counts(d, 0, err);
    }
    if (why->status >= 0)
        tm_error_set(why, TM_E_INPUT, "damaged or cut short");
    if (d->event_count == 0)
        tm_error_set(err, TM_E_INPUT, "byte 0: libtracecmd cannot read this file: %s", why->text);
    else
        tm_error_set(err, TM_E_INPUT, "byte 0: libtracecmd cannot read this file beyond %llu events: %s",
                     (unsigned long long)d->event_count, why->text);
    return tm_error_recoverable(err);
}

/* Ends a file that the library must not read. */
static enum tm_status refuse(struct trace_dat *d, struct tm_error *err)
{
    if (d->context.options->on_damage == TM_DAMAGE_HALT) {
        *err = d->damage;
        return tm_error_recoverable(err);
    }
    enum tm_status st =
        tm_event_sink_account(d->context.sink, (struct tm_loss){TM_DROP_DAMAGED, 0, 1, UINT64_MAX}, err);
    return st < 0 ? st : write_counts(d, 0, err);
}

static enum tm_status begin(struct trace_dat *d, struct tm_error *err)
{
    d->is_begun = true;
    enum tm_status st = open_file(d, err);
    return st < 0 ? st : tm_subprocess_open(&d->child, tm_trace_dat_library_read, &d->source, err);
}

static enum tm_status trace_dat_read(void *state, struct tm_error *err)
{
    struct trace_dat *d = state;
    if (d->facts.is_endless)
        return refuse(d, err);
    enum tm_status st = d->is_begun ? TM_OK : begin(d, err);
    for (int i = 0; i < RECORDS_AT_ONCE && st == TM_OK; i++) {
        struct tm_child_event record;
        struct tm_error why = {0};
        st = tm_child_event_read(&record, &d->child.out, &why);
        if (st == TM_E_SYSTEM) {
            *err = why;
            return st;
        }
        if (st == TM_OK && record.kind == TM_CHILD_EVENT_DONE)
            return write_counts(d, record.lost, err);
        if (st == TM_OK && record.kind == TM_CHILD_EVENT_REFUSED && record.args.len > 0)
            tm_error_set(&why, TM_E_INPUT, "%.*s", (int)record.args.len, tm_text_chars(record.args));
        if (st != TM_OK || record.kind == TM_CHILD_EVENT_REFUSED)
            return give_up(d, &why, err);
        st = add_event(d, &record, err);
    }
    return st;
}

static void trace_dat_close(void *state)
{
    struct trace_dat *d = state;
    struct tm_error ignored = {0};
    if (d == NULL)
        return;
    (void)tm_subprocess_close(&d->child, &ignored);
    if (d->copy.fd >= 0)
        (void)close(d->copy.fd);
    tm_ftrace_text_release(&d->ftrace);
    tm_buf_release(&d->line);
    free(d);
}

static bool trace_dat_sniff(const uint8_t *head, size_t len)
{
    return len >= TM_TRACE_DAT_MAGIC_LEN && memcmp(head, tm_trace_dat_magic, TM_TRACE_DAT_MAGIC_LEN) == 0;
}

const struct tm_format tm_format_trace_dat = {
    .type = TM_INPUT_TRACE_DAT,
    .priority = TM_PRIORITY_TRACE,
    .clock_policy = TRACEMERGE__CLOCK_POLICY__PRIVATE,
    .policy_of = trace_dat_policy,
    .sniff = trace_dat_sniff,
    .open = trace_dat_open,
    .read = trace_dat_read,
    .close = trace_dat_close,
    .by_place = true,
};
