#include "format/perfetto/heap_profile.h"

#include "base/hash.h"
#include "base/text.h"
#include "format/perfetto/count.h"
#include "format/perfetto/heap_state.h"
#include "format/perfetto/sample.h"
#include "format/perfetto/sequence.h"
#include "format/perfetto/stated.h"
#include "stream/detail_arg.h"

enum { PROFILE_STRINGS = 1, PROFILE_FRAMES = 2, PROFILE_CALLSTACKS = 3, PROFILE_MAPPINGS = 4, PROFILE_DUMPS = 5,
       PROFILE_CONTINUED = 6, PROFILE_INDEX = 7 };
enum { DUMP_PID = 1, DUMP_SAMPLES = 2, DUMP_REJECTED = 4, DUMP_STATS = 5, DUMP_DISCONNECTED = 6, DUMP_OVERRAN = 7,
       DUMP_CORRUPTED = 8, DUMP_TIMESTAMP = 9, DUMP_GUARDRAIL = 10, DUMP_HEAP_NAME = 11, DUMP_INTERVAL = 12,
       DUMP_ORIGINAL_INTERVAL = 13, DUMP_CLIENT_ERROR = 14, DUMP_START = 15 };
enum { STATS_SAMPLES = 2, STATS_UNWINDING_US = 5, STATS_BLOCKED_US = 6 };
enum { SAMPLE_STACK = 1, SAMPLE_ALLOCATED = 2, SAMPLE_FREED = 3, SAMPLE_ALLOCATED_COUNT = 5, SAMPLE_FREED_COUNT = 6,
       SAMPLE_MAX = 8, SAMPLE_MAX_COUNT = 9 };
enum { HIT_TIMEOUT = 1 };

/* A process_dumps message. */
struct dump {
    uint64_t pid, end, start; /* readings of MONOTONIC_COARSE */
    struct tm_text heap;      /* data NULL: not named */
    uint64_t interval, original_interval; /* between samples, in bytes: used and configured; 0: not stated */
    uint64_t error;                       /* ClientError */
    bool has_start;
};

/* Counts BYTES that are kept until a dump is complete. They share the limit of interned data. */
static enum tm_status reserve(struct tm_proto_sequences *sequences, size_t bytes, struct tm_error *err)
{
    if (bytes > TM_PROTO_INTERNED_BYTES_MAX - sequences->bytes)
        return tm_error_set(err, TM_E_INPUT, "heap profiles and interned data of all sequences exceed %d bytes",
                            TM_PROTO_INTERNED_BYTES_MAX);
    sequences->bytes += bytes;
    return TM_OK;
}

/* Stores a message that later messages of the dump name by number. */
static enum tm_status store_interned(struct tm_proto_sequences *sequences, struct tm_proto_heap *heap,
                                     const struct tm_pb_field *f, struct tm_error *err)
{
    static const uint32_t fields[][4] = {
        [PROFILE_STRINGS] = {TM_INTERNED_FUNCTION_NAMES, TM_INTERNED_MAPPING_PATHS, TM_INTERNED_BUILD_IDS},
        [PROFILE_FRAMES] = {TM_INTERNED_FRAMES},
        [PROFILE_CALLSTACKS] = {TM_INTERNED_CALLSTACKS},
        [PROFILE_MAPPINGS] = {TM_INTERNED_MAPPINGS}};
    enum tm_status st = reserve(sequences, f->len, err);
    if (st < 0)
        return st;
    size_t offset = heap->own.interned.len;
    if (tm_buf_add(&heap->own.interned, f->data, f->len) != TM_OK)
        return tm_error_nomem(err);
    for (const uint32_t *field = fields[f->id]; st == TM_OK && *field; field++) {
        struct tm_pb_field interned = *f;
        interned.id = *field;
        st = tm_proto_interned_index(&heap->own, &interned, offset, err);
    }
    return st < 0 ? st : TM_OK;
}

static struct dump read_dump(const struct tm_pb_field *message)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    struct dump dump = {0};
    while (tm_pb_next(&pb, &f) == TM_OK) {
        switch (f.id) {
        case DUMP_PID: dump.pid = f.value; break;
        case DUMP_TIMESTAMP: dump.end = f.value; break;
        case DUMP_START:
            dump.start = f.value;
            dump.has_start = true;
            break;
        case DUMP_INTERVAL: dump.interval = f.value; break;
        case DUMP_ORIGINAL_INTERVAL: dump.original_interval = f.value; break;
        case DUMP_CLIENT_ERROR: dump.error = f.value; break;
        case DUMP_HEAP_NAME:
            if (f.type == TM_PB_LEN && f.len)
                dump.heap = (struct tm_text){f.data, f.len};
            break;
        default: break;
        }
    }
    return dump;
}

/* Returns a row of DUMP. STRING is the name of its heap. */
static struct tm_event row_of(const struct tm_proto_packet *packet, enum tm_kind kind, const struct dump *dump,
                              uint32_t string)
{
    return (struct tm_event){.kind = kind,
                             .flags = TM_EVENT_HAS_PID | tm_event_scope_flags(TM_SCOPE_PROCESS),
                             .time_ns = (int64_t)dump->end,
                             .clock = TM_CLOCK_MONOTONIC_COARSE,
                             .machine = packet->machine,
                             .sequence = packet->sequence_id,
                             .generation = packet->generation,
                             .pid = (int64_t)(uint32_t)dump->pid,
                             .name = string};
}

static enum tm_status add_dump(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                               const struct dump *dump, struct tm_error *err)
{
    uint32_t string = 0;
    rows->detail.len = 0;
    enum tm_status st =
        dump->heap.data ? tm_proto_string(rows, dump->heap.data, dump->heap.len, &string, err) : TM_OK;
    struct tm_event row = row_of(packet, TM_KIND_HEAP_DUMP, dump, string);
    if (dump->has_start && dump->start < dump->end && dump->end <= INT64_MAX)
        row.dur_ns = (int64_t)(dump->end - dump->start);
    return st < 0 ? st : tm_proto_add(rows, &row, err);
}

/* Adds a row for the stack in the frames of the sequence's heap. AMOUNT: bytes and objects, below 0: freed. */
static enum tm_status add_allocation(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                     const struct dump *dump, const int64_t amount[2], struct tm_error *err)
{
    static const uint8_t unknown[] = {'u', 'n', 'k', 'n', 'o', 'w', 'n'};
    const struct tm_buf *frames = &packet->sequence->heap->frames;
    struct tm_text heap = dump->heap.data ? dump->heap : (struct tm_text){unknown, sizeof unknown};
    uint32_t string;
    rows->detail.len = 0;
    enum tm_status st = tm_proto_string(rows, heap.data, heap.len, &string, err);
    if (st < 0)
        return st;
    struct tm_event row = row_of(packet, TM_KIND_ALLOCATION, dump, string);
    row.flags |= TM_EVENT_DERIVED | TM_EVENT_HAS_VALUE;
    row.value = (uint64_t)amount[0];
    if (tm_detail_arg_int(&rows->detail, "count", amount[1]) != TM_OK ||
        tm_buf_add(&rows->detail, frames->data, frames->len) != TM_OK)
        return tm_error_nomem(err);
    return tm_proto_add(rows, &row, err);
}

/* Adds the rows of CHANGE. Freed objects of the ART heap are left out (doc/model.md). */
static enum tm_status add_change(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                 const struct dump *dump, const struct tm_heap_counts *change, struct tm_error *err)
{
    const int64_t allocated[2] = {change->allocated_bytes, change->allocated_count};
    const int64_t freed[2] = {-change->freed_bytes, -change->freed_count};
    enum tm_status st = TM_OK;
    if (allocated[0] || allocated[1])
        st = add_allocation(rows, packet, dump, allocated, err);
    if (st == TM_OK && (freed[0] || freed[1]) && !(dump->heap.data && tm_text_is(dump->heap, "com.android.art")))
        st = add_allocation(rows, packet, dump, freed, err);
    return st;
}

/* Reads a sample. If it states a maximum (self_max), that replaces the totals at the end of the dump. */
static struct tm_heap_sample read_sample(const struct tm_pb_field *message, const struct dump *dump)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    struct tm_heap_sample s = {.pid = dump->pid, .heap = tm_hash64(dump->heap.data, dump->heap.len)};
    struct tm_heap_counts most = {0};
    bool has_most = false;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        switch (f.id) {
        case SAMPLE_STACK: s.stack_id = f.value; break;
        case SAMPLE_ALLOCATED: s.counts.allocated_bytes = (int64_t)f.value; break;
        case SAMPLE_FREED: s.counts.freed_bytes = (int64_t)f.value; break;
        case SAMPLE_ALLOCATED_COUNT: s.counts.allocated_count = (int64_t)f.value; break;
        case SAMPLE_FREED_COUNT: s.counts.freed_count = (int64_t)f.value; break;
        case SAMPLE_MAX:
            most.allocated_bytes = (int64_t)f.value;
            has_most = true;
            break;
        case SAMPLE_MAX_COUNT: most.allocated_count = dump->original_interval != 0 ? (int64_t)f.value : 0; break;
        default: break;
        }
    }
    if (has_most)
        s.counts = most;
    return s;
}

/* Puts the stack with number IID into the frames of the sequence's heap; they are empty if it is not known. */
static enum tm_status find_stack(struct tm_proto_rows *rows, const struct tm_proto_packet *packet, uint64_t iid,
                                 struct tm_error *err)
{
    struct tm_proto_heap *heap = packet->sequence->heap;
    const uint8_t *data;
    size_t len;
    bool is_own = tm_proto_interned_find(&heap->own, TM_INTERNED_CALLSTACKS, iid, &data, &len);
    rows->detail.len = 0;
    heap->frames.len = 0;
    enum tm_status st = tm_proto_stack_put(rows, is_own ? &heap->own : packet->sequence, iid, err);
    if (st == TM_OK && tm_buf_add(&heap->frames, rows->detail.data, rows->detail.len) != TM_OK)
        st = tm_error_nomem(err);
    rows->detail.len = 0;
    return st;
}

static enum tm_status take_sample(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                  const struct dump *dump, const struct tm_pb_field *message, struct tm_error *err)
{
    struct tm_proto_heap *heap = packet->sequence->heap;
    struct tm_heap_sample sample = read_sample(message, dump);
    struct tm_heap_counts change;
    enum tm_status st = find_stack(rows, packet, sample.stack_id, err);
    if (st < 0)
        return st;
    if (heap->frames.len == 0)
        return tm_proto_count_stat(&rows->counts, TM_PROTO_STAT_HEAP_NO_STACK, packet->machine, 1, err);
    sample.frames[0] = tm_hash64(heap->frames.data, heap->frames.len);
    sample.frames[1] = tm_hash64_seed(heap->frames.data, heap->frames.len, 1);
    st = tm_heap_totals_add(&heap->totals, &sample, &change, err);
    if (st == TM_END)
        return tm_proto_count_stat(&rows->counts, TM_PROTO_STAT_HEAP_MALFORMED, packet->machine, 1, err);
    return st < 0 ? st : add_change(rows, packet, dump, &change, err);
}

static bool is_same(const struct dump *a, const struct dump *b)
{
    return a->pid == b->pid && a->end == b->end && a->heap.len == b->heap.len &&
           (a->heap.len == 0 || memcmp(a->heap.data, b->heap.data, a->heap.len) == 0);
}

/* Adds the rows of a process_dumps message, which may continue the dump LAST. ALLOCATION rows only repeat facts of the
 * packet, so they are made if the sink wants args of packets. */
static enum tm_status finish_dump(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                  const struct tm_pb_field *message, struct dump *last, struct tm_error *err)
{
    struct dump dump = read_dump(message);
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    enum tm_status st = is_same(&dump, last) ? TM_OK : add_dump(rows, packet, &dump, err);
    *last = dump;
    while (st == TM_OK && rows->sink->want_packet_args && tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == DUMP_SAMPLES && f.type == TM_PB_LEN)
            st = take_sample(rows, packet, &dump, &f, err);
    return st;
}

static enum tm_status finish_dumps(struct tm_proto_rows *rows, const struct tm_proto_packet *packet, struct tm_pb pb,
                                   struct dump *last, struct tm_error *err)
{
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == PROFILE_DUMPS && f.type == TM_PB_LEN)
            st = finish_dump(rows, packet, &f, last, err);
    return st;
}

/* Adds the rows of a complete dump and frees what was kept for it. */
static enum tm_status finish(struct tm_proto_sequences *sequences, struct tm_proto_rows *rows,
                             const struct tm_proto_packet *packet, struct tm_error *err)
{
    struct tm_proto_heap *heap = packet->sequence->heap;
    struct dump last = {.end = UINT64_MAX};
    enum tm_status st = finish_dumps(rows, packet, tm_pb_of(heap->pending.data, heap->pending.len), &last, err);
    if (st == TM_OK)
        st = finish_dumps(rows, packet, tm_pb_of(packet->body.data, packet->body.len), &last, err);
    sequences->bytes -= heap->pending.len + heap->own.interned.len;
    heap->pending.len = heap->own.interned.len = 0;
    tm_proto_map_clear(&heap->own.interned_index);
    return st;
}

static enum tm_status count(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                            struct tm_proto_stated stated, struct tm_error *err)
{
    stated.machine = packet->machine;
    return stated.value ? tm_proto_count_stated(&rows->counts, &stated, err) : TM_OK;
}

/* Writes the statistics that the recorder states about its own work. */
static enum tm_status count_work(struct tm_proto_rows *rows, const struct tm_proto_packet *packet, int64_t pid,
                                 const struct tm_pb_field *message, struct tm_error *err)
{
    static const char *const names[] = {[STATS_SAMPLES] = "heapprofd_unwind_samples",
                                        [STATS_UNWINDING_US] = "heapprofd_unwind_time_us",
                                        [STATS_BLOCKED_US] = "heapprofd_client_spinlock_blocked"};
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK)
        if (f.type == TM_PB_VARINT && f.id < sizeof names / sizeof *names && names[f.id])
            st = count(rows, packet,
                       (struct tm_proto_stated){names[f.id], TRACEMERGE__SEVERITY__INFO, false, pid, 0,
                                                (int64_t)f.value}, err);
    return st;
}

/* Adds a METADATA row with the time of a packet that has a profile of process PID. */
static enum tm_status note_time(struct tm_proto_rows *rows, const struct tm_proto_packet *packet, int64_t pid,
                                struct tm_error *err)
{
    static const char name[] = "heapprofd_last_profile_timestamp";
    struct tm_event row = tm_proto_event(packet, TM_KIND_METADATA);
    row.flags = TM_EVENT_DERIVED | TM_EVENT_DEFINITION | TM_EVENT_HAS_PID;
    row.raw_bytes = 0;
    row.pid = pid;
    if (!packet->has_time || !rows->sink->want_packet_args)
        return TM_OK;
    enum tm_status st = tm_proto_string(rows, name, sizeof name - 1, &row.name, err);
    return st < 0 ? st : tm_proto_add(rows, &row, err);
}

/* Notes what DUMP states about its process. Each dump states it again. */
static enum tm_status note_client(struct tm_proto_map *stated, const struct tm_proto_packet *packet,
                                  const struct dump *dump, struct tm_error *err)
{
    const struct tm_stated_client error = {TM_STATED_HEAP_ERROR, (uint32_t)dump->pid, (int64_t)dump->error};
    const struct tm_stated_client change = {TM_STATED_HEAP_INTERVAL_CHANGE, (uint32_t)dump->pid,
                                            (int64_t)(dump->interval - dump->original_interval)};
    enum tm_status st = dump->error ? tm_proto_stated_note_client(stated, packet->machine, &error, err) : TM_OK;
    return st < 0 || dump->original_interval == 0
               ? st
               : tm_proto_stated_note_client(stated, packet->machine, &change, err);
}

/* Writes the statistics of a process_dumps message: errors, and the recorder's work. */
static enum tm_status count_dump(struct tm_proto_map *stated, struct tm_proto_rows *rows,
                                 const struct tm_proto_packet *packet, const struct tm_pb_field *message,
                                 struct tm_error *err)
{
    static const struct tm_proto_stated flags[] = {
        [DUMP_REJECTED] = {"heapprofd_rejected_concurrent", TRACEMERGE__SEVERITY__ERROR, false, 0, 0, 1},
        [DUMP_DISCONNECTED] = {"heapprofd_client_disconnected", TRACEMERGE__SEVERITY__INFO, false, 0, 0, 1},
        [DUMP_OVERRAN] = {"heapprofd_buffer_overran", TRACEMERGE__SEVERITY__DATA_LOSS, false, 0, 0, 1},
        [DUMP_CORRUPTED] = {"heapprofd_buffer_corrupted", TRACEMERGE__SEVERITY__ERROR, false, 0, 0, 1},
        [DUMP_GUARDRAIL] = {"heapprofd_hit_guardrail", TRACEMERGE__SEVERITY__ERROR, false, 0, 0, 1},
    };
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    const struct dump dump = read_dump(message);
    const int64_t pid = (int64_t)(uint32_t)dump.pid;
    bool has_overrun = false;
    enum tm_status st = note_client(stated, packet, &dump, err);
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        uint32_t id = f.id == DUMP_CLIENT_ERROR && f.value == HIT_TIMEOUT ? DUMP_OVERRAN : f.id;
        if (f.id == DUMP_STATS && f.type == TM_PB_LEN)
            st = count_work(rows, packet, pid, &f, err);
        if (f.type != TM_PB_VARINT || f.value == 0 || id >= sizeof flags / sizeof *flags || flags[id].name == NULL ||
            (id == DUMP_OVERRAN && has_overrun))
            continue;
        has_overrun |= id == DUMP_OVERRAN;
        struct tm_proto_stated flag = flags[id];
        flag.idx = pid;
        st = count(rows, packet, flag, err);
    }
    return st < 0 ? st : note_time(rows, packet, pid, err);
}

/* Checks INDEX, the packet's number: packets of a sequence are numbered from 0. A gap is counted. */
static enum tm_status take_index(struct tm_proto_rows *rows, const struct tm_proto_packet *packet, uint64_t index,
                                 struct tm_error *err)
{
    struct tm_proto_heap *heap = packet->sequence->heap;
    bool is_next = index == (heap->has_index ? heap->index + 1 : 0);
    heap->has_index = true;
    heap->index = index;
    return is_next ? TM_OK : tm_proto_count_stat(&rows->counts, TM_PROTO_STAT_HEAP_MISSING, packet->machine, 1, err);
}

/* Keeps the dump in F until the profile's last packet. */
static enum tm_status store_dump(struct tm_proto_sequences *sequences, struct tm_proto_heap *heap,
                                 const struct tm_pb_field *f, struct tm_error *err)
{
    size_t len = (size_t)(f->end - f->start);
    enum tm_status st = reserve(sequences, len, err);
    if (st < 0)
        return st;
    return tm_buf_add(&heap->pending, f->start, len) == TM_OK ? TM_OK : tm_error_nomem(err);
}

enum tm_status tm_proto_heap_profile_read(struct tm_proto_sequences *sequences, struct tm_proto_map *stated,
                                          struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                          struct tm_error *err)
{
    struct tm_proto_sequence *sequence = packet->sequence;
    struct tm_pb pb = tm_pb_of(packet->body.data, packet->body.len);
    struct tm_pb_field f;
    bool is_continued = false;
    uint64_t index = 0;
    if (sequence == NULL)
        return TM_OK;
    if (sequence->heap == NULL && (sequence->heap = tm_proto_heap_state_new(sequence)) == NULL)
        return tm_error_nomem(err);
    for (struct tm_pb head = pb; tm_pb_next(&head, &f) == TM_OK;) {
        is_continued = f.id == PROFILE_CONTINUED ? f.value != 0 : is_continued;
        index = f.id == PROFILE_INDEX ? f.value : index;
    }
    enum tm_status st = take_index(rows, packet, index, err);
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.type != TM_PB_LEN || f.id < PROFILE_STRINGS || f.id > PROFILE_DUMPS)
            continue;
        st = f.id == PROFILE_DUMPS ? count_dump(stated, rows, packet, &f, err)
                                   : store_interned(sequences, sequence->heap, &f, err);
        if (st >= 0 && f.id == PROFILE_DUMPS && is_continued)
            st = store_dump(sequences, sequence->heap, &f, err);
    }
    return st < 0 || is_continued ? st : finish(sequences, rows, packet, err);
}

enum tm_status tm_proto_heap_profile_end(struct tm_proto_rows *rows, const struct tm_proto_sequence *sequence,
                                         struct tm_error *err)
{
    const struct tm_proto_packet place = {
        .machine = sequence->machine, .sequence_id = sequence->id, .generation = sequence->generation};
    struct dump dump, last = {.end = UINT64_MAX};
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    if (sequence->heap == NULL)
        return TM_OK;
    for (struct tm_pb pb = tm_pb_of(sequence->heap->pending.data, sequence->heap->pending.len);
         st == TM_OK && tm_pb_next(&pb, &f) == TM_OK; last = dump) {
        dump = read_dump(&f);
        if (!is_same(&dump, &last))
            st = add_dump(rows, &place, &dump, err);
    }
    return st;
}
