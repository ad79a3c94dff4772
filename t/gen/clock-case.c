/* Runs tm-clocks on cases described by lines of text, for the comparison with t/oracle/clocks.py, which describes the
 * lines. Standard input: cases, each ended by "run"; standard output: the result of each, ended by ".". */
#include "os/io.h"
#include "clocks/timeline.h"
#include "stream/batch_builder.h"
#include "stream/reader.h"
#include "stream/writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WORDS_MAX = 256, LIST_MAX = 128, FILES_MAX = 16, LINE_MAX_BYTES = 8192 };

struct maker {
    int in, out; /* temporary files: the input stream and the output stream */
    struct tm_stream_writer writer;
    struct tm_batch_builder batch;
    struct tm_error err;
    uint64_t position, timed_count[FILES_MAX];
    uint32_t file_count;
    Tracemerge__Config config; /* its lists hold messages made by make() */
    void *made[1024];
    size_t made_count;
};

static void need(const struct maker *m, enum tm_status st)
{
    if (st >= 0)
        return;
    fprintf(stderr, "clock-case: %s\n", m->err.text);
    exit(3);
}

/* Returns SIZE zeroed bytes that are valid until the case ends. */
static void *make(struct maker *m, size_t size)
{
    if (m->made_count == sizeof m->made / sizeof *m->made)
        exit(3);
    return m->made[m->made_count++] = calloc(1, size);
}

/* Frees all memory of make() after MARK. */
static void unmake(struct maker *m, size_t mark)
{
    while (m->made_count > mark)
        free(m->made[--m->made_count]);
}

static void flush(struct maker *m)
{
    struct tm_batch batch;
    tm_batch_builder_view(&m->batch, &batch);
    need(m, tm_stream_write_batch(&m->writer, &batch, &m->err));
    tm_batch_builder_clear(&m->batch);
}

static void put(struct maker *m, enum tm_frame_type type, const ProtobufCMessage *message)
{
    flush(m);
    need(m, tm_stream_write_message(&m->writer, type, message, &m->err));
}

static int64_t number(const char *s)
{
    return s ? strtoll(s, NULL, 10) : 0;
}

static ProtobufCBinaryData text(const char *s)
{
    return tm_bytes(s, strlen(s));
}

/* Reads the numbers of "1:2:3". */
static void numbers(const char *s, int64_t *out, int count)
{
    for (int i = 0; i < count; i++) {
        out[i] = s ? number(s) : 0;
        s = s ? strchr(s, ':') : NULL;
        s = s ? s + 1 : NULL;
    }
}

static Tracemerge__Reading *reading(struct maker *m, const char *word)
{
    int64_t n[4];
    Tracemerge__Reading *r = make(m, sizeof *r);
    tracemerge__reading__init(r);
    numbers(word, n, 4);
    r->clock = (uint32_t)n[0];
    r->value = n[1];
    r->unit_multiplier_ns = (uint64_t)n[2];
    r->incremental = n[3] != 0;
    return r;
}

static void put_file(struct maker *m)
{
    char name[16];
    Tracemerge__File f = TRACEMERGE__FILE__INIT;
    f.id = m->file_count++;
    snprintf(name, sizeof name, "f%u", f.id);
    f.has_name = true;
    f.name = text(name);
    f.type = text("proto");
    put(m, TM_FRAME_FILE, &f.base);
}

static void put_begin(struct maker *m, char **w)
{
    Tracemerge__FileBegin f = TRACEMERGE__FILE_BEGIN__INIT;
    f.id = (uint32_t)number(w[1]);
    f.type = text("proto");
    f.clock_policy = (Tracemerge__ClockPolicy)number(w[2]);
    put(m, TM_FRAME_FILE_BEGIN, &f.base);
}

static void put_end(struct maker *m, char **w)
{
    Tracemerge__FileEnd f = TRACEMERGE__FILE_END__INIT;
    f.id = (uint32_t)number(w[1]);
    f.timed_count = m->timed_count[f.id % FILES_MAX];
    put(m, TM_FRAME_FILE_END, &f.base);
}

static void put_snap(struct maker *m, char **w)
{
    Tracemerge__Snapshot s = TRACEMERGE__SNAPSHOT__INIT;
    Tracemerge__Reading *readings[LIST_MAX];
    size_t mark = m->made_count;
    s.file = (uint32_t)number(w[1]);
    s.machine = (uint32_t)number(w[2]);
    s.sequence = (uint32_t)number(w[3]);
    s.has_primary_clock = number(w[4]) != 0;
    s.primary_clock = (uint32_t)number(w[4]);
    s.readings = readings;
    for (w += 5; *w && s.n_readings < LIST_MAX; w++)
        readings[s.n_readings++] = reading(m, *w);
    put(m, TM_FRAME_SNAPSHOT, &s.base);
    unmake(m, mark);
}

/* Rounds are separated by "/"; readings are c:CLOCK:VALUE and h:CLOCK:VALUE. */
static void put_sync(struct maker *m, char **w)
{
    Tracemerge__RemoteClockSync s = TRACEMERGE__REMOTE_CLOCK_SYNC__INIT;
    Tracemerge__SyncRound *rounds[LIST_MAX], *round = NULL;
    size_t mark = m->made_count;
    s.file = (uint32_t)number(w[1]);
    s.machine = (uint32_t)number(w[2]);
    s.sequence = (uint32_t)number(w[3]);
    s.rounds = rounds;
    for (w += 4; *w; w++) {
        if (round == NULL || **w == '/') {
            rounds[s.n_rounds++] = round = make(m, sizeof *round);
            tracemerge__sync_round__init(round);
            round->client = make(m, LIST_MAX * sizeof *round->client);
            round->host = make(m, LIST_MAX * sizeof *round->host);
        }
        if (**w == 'c')
            round->client[round->n_client++] = reading(m, *w + 2);
        else if (**w == 'h')
            round->host[round->n_host++] = reading(m, *w + 2);
    }
    put(m, TM_FRAME_REMOTE_CLOCK_SYNC, &s.base);
    unmake(m, mark);
}

static void put_hint(struct maker *m, char **w)
{
    Tracemerge__ClockHint h = TRACEMERGE__CLOCK_HINT__INIT;
    h.file = (uint32_t)number(w[1]);
    h.clock = (uint32_t)number(w[2]);
    h.from_ns = number(w[3]);
    h.value_ns = number(w[4]);
    h.source = text("test");
    put(m, TM_FRAME_CLOCK_HINT, &h.base);
}

static void add_event(struct maker *m, char **w)
{
    struct tm_event e = {.position = m->position++};
    e.file = (uint32_t)number(w[1]);
    e.machine = (uint32_t)number(w[2]);
    e.sequence = (uint32_t)number(w[3]);
    e.clock = (uint32_t)number(w[4]);
    e.time_ns = number(w[5]);
    e.kind = *w[6] == 'm' ? TM_KIND_SYNC_MARKER : TM_KIND_INSTANT;
    e.flags = *w[6] == 'd'   ? TM_EVENT_DEFINITION
              : *w[6] == 'u' ? TM_EVENT_DEFINITION | TM_EVENT_UNTIMED
              : *w[6] == 'x' ? TM_EVENT_DERIVED
                             : 0;
    if (tm_event_is_counted(e.flags))
        m->timed_count[e.file % FILES_MAX]++;
    if (tm_batch_builder_add(&m->batch, &e) != TM_OK)
        exit(3);
}

#define APPEND(m, config, list, item) \
    ((config)->list = (config)->list ? (config)->list : make(m, LIST_MAX * sizeof *(config)->list), \
     (config)->list[(config)->n_##list++] = (item))

static void add_machine(struct maker *m, char **w)
{
    Tracemerge__ConfigMachine *machine = make(m, sizeof *machine);
    char *name = make(m, strlen(w[2]) + 1);
    tracemerge__config_machine__init(machine);
    machine->raw_id = number(w[1]);
    machine->name = text(strcpy(name, w[2]));
    APPEND(m, &m->config, machines, machine);
}

static void add_entry(struct maker *m, char **w)
{
    Tracemerge__ConfigEntry *entry = make(m, sizeof *entry);
    tracemerge__config_entry__init(entry);
    entry->path = text("f");
    entry->machine_raw_id = number(w[1]);
    entry->whole_file = number(w[2]) != 0;
    entry->pinned = number(w[3]) != 0;
    entry->own_clock = number(w[4]) != 0;
    entry->has_machines = number(w[5]) != 0;
    for (w += 6; *w; w++) {
        int64_t n[2];
        Tracemerge__ConfigMachineId *id = make(m, sizeof *id);
        tracemerge__config_machine_id__init(id);
        numbers(*w, n, 2);
        id->id = (uint32_t)n[0];
        id->raw_id = n[1];
        APPEND(m, entry, machines, id);
    }
    APPEND(m, &m->config, entries, entry);
}

static Tracemerge__ConfigClock *config_clock(struct maker *m, char **w)
{
    Tracemerge__ConfigClock *clock = make(m, sizeof *clock);
    tracemerge__config_clock__init(clock);
    clock->machine_raw_id = number(w[0]);
    clock->clock = (uint32_t)number(w[1]);
    clock->has_entry = number(w[2]) >= 0;
    clock->entry = clock->has_entry ? (uint32_t)number(w[2]) : 0;
    return clock;
}

static void add_edge(struct maker *m, char **w)
{
    Tracemerge__ConfigEdge *edge = make(m, sizeof *edge);
    tracemerge__config_edge__init(edge);
    edge->source = config_clock(m, w + 1);
    edge->reference = config_clock(m, w + 4);
    edge->source_ns = number(w[7]);
    edge->reference_ns = number(w[8]);
    for (int i = 9; w[i]; i++) {
        int64_t n[2];
        Tracemerge__ConfigPoint *point = make(m, sizeof *point);
        tracemerge__config_point__init(point);
        numbers(w[i], n, 2);
        point->source_ns = n[0];
        point->reference_ns = n[1];
        APPEND(m, edge, points, point);
    }
    APPEND(m, &m->config, edges, edge);
}

static void add_trace_time(struct maker *m, char **w)
{
    Tracemerge__ConfigTraceTime *t = make(m, sizeof *t);
    tracemerge__config_trace_time__init(t);
    t->clock = (uint32_t)number(w[1]);
    t->has_first_machine = true;
    t->first_machine = strcmp(w[2], "first") == 0;
    t->machine_raw_id = t->first_machine ? 0 : number(w[2]);
    m->config.trace_time = t;
}

static void put_file_config(struct maker *m, char **w)
{
    Tracemerge__FileConfig f = TRACEMERGE__FILE_CONFIG__INIT;
    f.file = (uint32_t)number(w[1]);
    f.entry = (uint32_t)number(w[2]);
    put(m, TM_FRAME_FILE_CONFIG, &f.base);
}

static void show_batch(const struct tm_batch *batch)
{
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_event e;
    while (tm_batch_next(&walk, &e)) {
        if (e.flags & TM_EVENT_UNTIMED)
            printf("untimed %" PRIu64 " %u\n", e.position, e.machine);
        else
            printf("event %" PRIu64 " %u %u %" PRId64 "\n", e.position, e.machine, e.clock, e.time_ns);
    }
}

static void show_message(uint32_t type, const ProtobufCMessage *message)
{
    if (type == TM_FRAME_MACHINE) {
        const Tracemerge__Machine *f = (const Tracemerge__Machine *)message;
        printf("machine %u %" PRId64 " %.*s\n", f->id, f->raw_id, f->has_name ? (int)f->name.len : 1,
               f->has_name ? (const char *)f->name.data : "-");
    } else if (type == TM_FRAME_CLOCK_ROW) {
        const Tracemerge__ClockRow *f = (const Tracemerge__ClockRow *)message;
        printf("%s %u %" PRId64 " %u %" PRId64 " %u\n", f->unrelated ? "unrelated" : "row", f->snapshot, f->ts_ns,
               f->clock, f->value, f->machine);
    } else if (type == TM_FRAME_STAT) {
        const Tracemerge__Stat *f = (const Tracemerge__Stat *)message;
        printf("stat %.*s %d %d %" PRId64 "\n", (int)f->name.len, (const char *)f->name.data,
               f->has_file ? (int)f->file : -1, f->has_machine ? (int)f->machine : -1, f->value);
    } else if (type == TM_FRAME_ACCOUNT) {
        const Tracemerge__Account *f = (const Tracemerge__Account *)message;
        printf("account %u %u %u %.*s %" PRIu64 " %" PRIu64 "\n", f->file, f->machine, f->clock, (int)f->reason.len,
               (const char *)f->reason.data, f->count, f->definition_count);
    } else if (type == TM_FRAME_PLACEMENT) {
        const Tracemerge__Placement *f = (const Tracemerge__Placement *)message;
        printf("placement %u %u %u %.*s %" PRIu64 " %" PRId64 " %" PRId64 "\n", f->file, f->machine, f->clock,
               (int)f->rule.len, (const char *)f->rule.data, f->placed_count, f->first_ns, f->last_ns);
    } else if (type == TM_FRAME_METADATA) {
        printf("trace_time %" PRId64 "\n", ((const Tracemerge__Metadata *)message)->int_value);
    }
}

static const ProtobufCMessageDescriptor *descriptor_of(uint32_t type)
{
    return type == TM_FRAME_MACHINE     ? &tracemerge__machine__descriptor
           : type == TM_FRAME_CLOCK_ROW ? &tracemerge__clock_row__descriptor
           : type == TM_FRAME_STAT      ? &tracemerge__stat__descriptor
           : type == TM_FRAME_ACCOUNT   ? &tracemerge__account__descriptor
           : type == TM_FRAME_PLACEMENT ? &tracemerge__placement__descriptor
           : type == TM_FRAME_METADATA  ? &tracemerge__metadata__descriptor
                                        : NULL;
}

static void show(struct maker *m)
{
    struct tm_stream_reader reader;
    struct tm_frame frame;
    struct tm_batch batch;
    need(m, tm_stream_reader_open(&reader, m->out, &m->err));
    enum tm_status st;
    while ((st = tm_stream_reader_next(&reader, &frame, &batch, &m->err)) == TM_OK) {
        const ProtobufCMessageDescriptor *descriptor = descriptor_of(frame.type);
        if (frame.type == TM_FRAME_BATCH)
            show_batch(&batch);
        if (descriptor == NULL)
            continue;
        ProtobufCMessage *message = tm_frame_message(&frame, descriptor, &m->err);
        if (message == NULL)
            need(m, TM_E_INPUT);
        show_message(frame.type, message);
        protobuf_c_message_free_unpacked(message, NULL);
    }
    need(m, st);
    tm_stream_reader_release(&reader);
}

static void begin_case(struct maker *m)
{
    need(m, ftruncate(m->in, 0) == 0 && lseek(m->in, 0, SEEK_SET) == 0 ? TM_OK : TM_E_SYSTEM);
    need(m, ftruncate(m->out, 0) == 0 && lseek(m->out, 0, SEEK_SET) == 0 ? TM_OK : TM_E_SYSTEM);
    need(m, tm_stream_writer_open(&m->writer, m->in, "clock-case",
                                  &(struct tm_stream_header){.stage = TRACEMERGE__STAGE__CONFIGURED}, &m->err));
    tracemerge__config__init(&m->config);
    m->file_count = 0;
    m->position = 0;
    memset(m->timed_count, 0, sizeof m->timed_count);
}

static void run_case(struct maker *m, char **w)
{
    struct tm_timeline_options options = {0};
    struct tm_buf manifest = {0};
    for (int i = 1; w[i]; i++) {
        options.hints |= strcmp(w[i], "hints") == 0;
        options.interpolate |= strcmp(w[i], "interpolate") == 0;
        if (strcmp(w[i], "manifest") == 0)
            options.hint_manifest = &manifest;
    }
    struct tm_error err = {0};
    flush(m);
    need(m, tm_stream_writer_end(&m->writer, &m->err));
    tm_stream_writer_release(&m->writer);
    need(m, lseek(m->in, 0, SEEK_SET) == 0 ? TM_OK : TM_E_SYSTEM);
    enum tm_status st = tm_timeline_run(m->in, m->out, &options, &err);
    need(m, lseek(m->out, 0, SEEK_SET) == 0 ? TM_OK : TM_E_SYSTEM);
    if (st < 0)
        printf("error %s\n", err.text);
    else
        show(m);
    printf("%.*s.\n", (int)manifest.len, manifest.len ? (const char *)manifest.data : "");
    tm_buf_release(&manifest);
    unmake(m, 0);
    begin_case(m);
}

static void take(struct maker *m, char **w)
{
    static const struct {
        const char *word;
        void (*take)(struct maker *, char **);
    } table[] = {
        {"begin", put_begin}, {"end", put_end},       {"snap", put_snap},         {"sync", put_sync},
        {"hint", put_hint},   {"event", add_event},   {"machine", add_machine},   {"entry", add_entry},
        {"edge", add_edge},   {"time", add_trace_time}, {"fileconfig", put_file_config}, {"run", run_case},
    };
    if (strcmp(w[0], "file") == 0)
        put_file(m);
    if (strcmp(w[0], "config") == 0)
        put(m, TM_FRAME_CONFIG, &m->config.base);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(w[0], table[i].word) == 0)
            table[i].take(m, w);
}

int main(void)
{
    static struct maker m;
    static char line[LINE_MAX_BYTES];
    need(&m, tm_io_temporary(NULL, &m.in, &m.err));
    need(&m, tm_io_temporary(NULL, &m.out, &m.err));
    begin_case(&m);
    while (fgets(line, sizeof line, stdin)) {
        char *words[WORDS_MAX + 1] = {NULL}, *save = NULL;
        int n = 0;
        for (char *w = strtok_r(line, " \n", &save); w && n < WORDS_MAX; w = strtok_r(NULL, " \n", &save))
            words[n++] = w;
        if (n)
            take(&m, words);
    }
    tm_stream_writer_release(&m.writer);
    tm_batch_builder_release(&m.batch);
    close(m.in);
    close(m.out);
    return 0;
}
