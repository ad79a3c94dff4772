#include "format/perfetto/totals.h"

#include "base/hash.h"
#include "base/time_units.h"
#include "format/perfetto/ftrace_event.h"
#include "format/perfetto/named_row.h"
#include "format/perfetto/numbers.h"
#include "stream/detail_arg.h"

#include <inttypes.h>
#include <stdio.h>

enum { LOCK = 1, LOCK_IDS = 2, LOCK_TIMES = 3, LOCK_ERRORS = 4, LOCK_ID = 1, LOCK_NAME = 2, LOCK_TYPE = 3 };
enum { CLUSTER_COUNT = 1, UIDS = 2, UID_TIMES = 3 };
/* Of a file: sequences; sums, and the numbers of wakelocks; bytes of names. */
enum { SOURCES_MAX = 1 << 10, SUMS_MAX = 1 << 16, TEXTS_BYTES_MAX = 4 << 20 };
enum { VALUES_A_BYTE = 8 }; /* beyond TM_PROTO_TOTALS_VALUES_FREE */
enum { APPS_FROM = 10000, UIDS_A_USER = 100000 };

/* What a sum is of. The key of its entry in the table of ids is (kind, key). */
enum kind {
    OF_LOCK_ID, /* no sum: the key is the number of a wakelock, the entry leads to the sum of its name */
    OF_LOCK,    /* the key is a hash of its name */
    OF_USER,    /* the key is the user's number << 32 | the cluster */
    LAST_OF_USER, /* in the whole trace */
    OF_GROUP,     /* of users without a number of their own; in the whole trace */
    OF_SYSTEM,    /* the key is the cluster; in the whole trace */
    OF_APPS
};

struct sum {
    enum kind kind;
    uint64_t key, value;
    size_t name_at, name_len; /* of a wakelock */
    uint32_t type;            /* of a wakelock */
    bool has_value;
};

/* The sums since the state of a sequence was cleared, or those of the whole trace. */
struct source {
    uint32_t generation, clusters;
    struct tm_proto_map ids;   /* to the place of the sum */
    struct tm_buf sums, texts; /* struct sum; names */
};

/* A counter's last value. Its event is without raw. */
struct last {
    struct tm_event event;
    double value;
    bool is_written;
};

/* One packet. */
struct reader {
    struct tm_proto_totals *totals;
    struct tm_proto_rows *rows;
    const struct tm_proto_packet *packet;
    struct source *source; /* of the packet's sequence */
    struct source *whole;  /* of the whole trace */
    struct tm_error *err;
};

static void release_source(struct source *source)
{
    tm_proto_map_release(&source->ids);
    tm_buf_release(&source->sums);
    tm_buf_release(&source->texts);
}

void tm_proto_totals_release(struct tm_proto_totals *totals)
{
    for (size_t i = 0; i < totals->sources.len / sizeof(struct source); i++)
        release_source((struct source *)(void *)totals->sources.data + i);
    tm_proto_map_release(&totals->places);
    tm_proto_map_release(&totals->counters);
    tm_buf_release(&totals->sources);
    tm_buf_release(&totals->lasts);
}

static struct sum *sum_at(const struct source *source, uint64_t place)
{
    return (struct sum *)(void *)source->sums.data + place;
}

static size_t sum_count(const struct source *source)
{
    return source->sums.len / sizeof(struct sum);
}

/* Finds the place of the source KEY, or makes it. TM_END: there are too many. */
static enum tm_status find_source(struct tm_proto_totals *totals, uint32_t machine, uint64_t key, size_t *place)
{
    const uint32_t before = totals->places.count;
    const struct source fresh = {.generation = 0};
    struct tm_proto_map_entry *entry;
    enum tm_status st = tm_proto_map_add(&totals->places, machine, key, SOURCES_MAX, &entry);
    if (st != TM_OK)
        return st;
    if (totals->places.count > before)
        entry->v1 = totals->sources.len / sizeof fresh;
    *place = (size_t)entry->v1;
    return totals->places.count > before ? tm_buf_add(&totals->sources, &fresh, sizeof fresh) : TM_OK;
}

/* Finds the sources for the packet. That of its sequence is empty after a clearing. TM_END: there are too many. */
static enum tm_status find_sources(struct reader *r)
{
    const struct tm_proto_packet *packet = r->packet;
    size_t source, whole;
    enum tm_status st = find_source(r->totals, packet->machine, packet->sequence_id, &source);
    if (st == TM_OK)
        st = find_source(r->totals, packet->machine, UINT64_MAX, &whole);
    if (st != TM_OK)
        return st;
    r->source = (struct source *)(void *)r->totals->sources.data + source;
    r->whole = (struct source *)(void *)r->totals->sources.data + whole;
    if (r->source->generation != packet->generation) {
        r->totals->entries -= r->source->ids.count;
        r->totals->text_bytes -= r->source->texts.len;
        release_source(r->source);
        *r->source = (struct source){.generation = packet->generation};
    }
    return TM_OK;
}

/* Finds the entry of (KIND, KEY) of SOURCE, or makes it. TM_END: there are too many. */
static enum tm_status entry_of(const struct reader *r, struct source *source, enum kind kind, uint64_t key,
                               struct tm_proto_map_entry **entry)
{
    const uint32_t before = source->ids.count;
    enum tm_status st = tm_proto_map_add(&source->ids, kind, key, before + SUMS_MAX - r->totals->entries, entry);
    r->totals->entries += source->ids.count - before;
    r->rows->sink->left_out += st == TM_END;
    return st;
}

/* Finds the sum that LIKE is of, or makes it as LIKE. *IS_NEW: it was made. TM_END: there are too many. */
static enum tm_status sum_of(const struct reader *r, struct source *source, const struct sum *like, uint64_t *place,
                             bool *is_new)
{
    const uint32_t before = source->ids.count;
    struct tm_proto_map_entry *entry;
    enum tm_status st = entry_of(r, source, like->kind, like->key, &entry);
    if (st != TM_OK)
        return st;
    *is_new = source->ids.count > before;
    if (*is_new)
        entry->v1 = sum_count(source);
    *place = entry->v1;
    return *is_new ? tm_buf_add(&source->sums, like, sizeof *like) : TM_OK;
}

/* A counter, and what distinguishes its track from others of the type. */
struct counter {
    enum tm_named_track type;
    struct tm_text name;
    const char *kind; /* of a wakelock, or of apps together; NULL: of one user */
    uint32_t uid, cluster;
};

static enum tm_status put_dimensions(struct tm_buf *out, const struct counter *c)
{
    enum tm_status st;
    tm_buf_clear(out);
    if (c->type == TM_NAMED_TRACK_KERNEL_WAKELOCK) {
        st = tm_detail_arg_text(out, "wakelock_name", c->name.data, c->name.len);
        return st < 0 ? st : tm_detail_arg_text(out, "wakelock_type", c->kind, strlen(c->kind));
    }
    st = c->kind ? tm_detail_arg_text(out, "type", c->kind, strlen(c->kind)) : tm_detail_arg_int(out, "uid", c->uid);
    return st < 0 ? st : tm_detail_arg_int(out, "cluster", c->cluster);
}

/* Adds C with the columns of EVENT and VALUE. */
static enum tm_status add_row(const struct reader *r, const struct counter *c, const struct tm_event *event,
                              double value)
{
    const struct tm_proto_named_row named = {.type = c->type};
    struct tm_event row = *event;
    row.value = tm_pb_bits(value);
    if (put_dimensions(&r->rows->text, c) < 0)
        return tm_error_nomem(r->err);
    enum tm_status st = tm_proto_named_counter(r->rows, &named, c->name, &row, r->err);
    return st < 0 ? st : tm_proto_add(r->rows, &row, r->err);
}

/* Notes that C has VALUE at the packet's time. */
static enum tm_status push(const struct reader *r, const struct counter *c, double value)
{
    struct tm_proto_totals *totals = r->totals;
    const uint32_t before = totals->counters.count;
    struct tm_event event = tm_proto_event(r->packet, TM_KIND_COUNTER);
    struct tm_proto_map_entry *entry;
    const uint64_t kind = c->kind ? tm_hash64(c->kind, strlen(c->kind)) : 0;
    const uint64_t identity[] = {c->type, tm_hash64(c->name.data, c->name.len), kind, c->uid, c->cluster};
    event.flags |= tm_event_scope_flags(TM_SCOPE_GLOBAL) | TM_EVENT_HAS_VALUE | TM_EVENT_VALUE_DOUBLE;
    event.raw = NULL;
    event.raw_bytes = 0;
    enum tm_status st = tm_proto_map_add(&totals->counters, r->packet->machine,
                                         tm_hash64_numbers(identity, sizeof identity / sizeof *identity, 0), SUMS_MAX,
                                         &entry);
    if (st != TM_OK)
        return st < 0 ? tm_error_nomem(r->err) : TM_OK;
    if (totals->counters.count > before) {
        const struct last first = {event, value, true};
        entry->v1 = totals->lasts.len / sizeof first;
        return tm_buf_add(&totals->lasts, &first, sizeof first) < 0 ? tm_error_nomem(r->err)
                                                                    : add_row(r, c, &event, value);
    }
    struct last *last = (struct last *)(void *)totals->lasts.data + entry->v1;
    const bool differs = last->value < value || last->value > value;
    if (differs && !last->is_written)
        st = add_row(r, c, &last->event, last->value);
    *last = (struct last){event, value, differs};
    return st >= 0 && differs ? add_row(r, c, &event, value) : st;
}

static enum tm_status count(const struct reader *r, enum tm_proto_stat stat)
{
    return tm_proto_count_stat(&r->rows->counts, stat, r->packet->machine, 1, r->err);
}

/* Notes the wakelock in F under its number, which is new. Wakelocks of one name have one sum. */
static enum tm_status note_lock(struct reader *r, const struct tm_pb_field *f)
{
    struct source *source = r->source;
    struct tm_proto_event_fields m;
    struct tm_proto_map_entry *entry;
    tm_proto_event_fields_read(&m, f);
    const struct sum like = {.kind = OF_LOCK,
                             .key = tm_hash64(m.text[LOCK_NAME], m.len[LOCK_NAME]),
                             .name_at = source->texts.len,
                             .name_len = m.len[LOCK_NAME]};
    uint64_t place;
    bool is_new;
    if (tm_proto_map_find(&source->ids, OF_LOCK_ID, (uint32_t)m.number[LOCK_ID]))
        return count(r, TM_PROTO_STAT_KERNEL_WAKELOCK_AGAIN);
    if (m.len[LOCK_NAME] > TEXTS_BYTES_MAX - r->totals->text_bytes) {
        r->rows->sink->left_out++;
        return TM_OK;
    }
    enum tm_status st = sum_of(r, source, &like, &place, &is_new);
    if (st == TM_OK && is_new) {
        r->totals->text_bytes += m.len[LOCK_NAME];
        st = tm_buf_add(&source->texts, m.text[LOCK_NAME], m.len[LOCK_NAME]);
    }
    if (st == TM_OK)
        st = entry_of(r, source, OF_LOCK_ID, (uint32_t)m.number[LOCK_ID], &entry);
    if (st == TM_OK) {
        entry->v1 = place;
        entry->v2 = (uint32_t)m.number[LOCK_TYPE];
    }
    return st < 0 ? tm_error_nomem(r->err) : TM_OK;
}

/* Adds the times of the packet to the sums of its wakelocks. */
static enum tm_status add_times(struct reader *r)
{
    const struct tm_pb body = tm_pb_of(r->packet->body.data, r->packet->body.len);
    struct tm_proto_numbers ids = {.pb = body, .id = LOCK_IDS}, times = {.pb = body, .id = LOCK_TIMES};
    enum tm_status st = TM_OK;
    uint64_t id, time;
    while (st >= 0 && tm_proto_numbers_next(&ids, &id) && tm_proto_numbers_next(&times, &time)) {
        const struct tm_proto_map_entry *entry = tm_proto_map_find(&r->source->ids, OF_LOCK_ID, (uint32_t)id);
        if (entry == NULL) {
            st = count(r, TM_PROTO_STAT_KERNEL_WAKELOCK_UNKNOWN);
            continue;
        }
        struct sum *sum = sum_at(r->source, entry->v1);
        sum->value += time;
        sum->type = (uint32_t)entry->v2;
        sum->has_value = true;
    }
    return st;
}

static enum tm_status count_lock_errors(const struct reader *r, uint64_t flags)
{
    static const enum tm_proto_stat stats[] = {TM_PROTO_STAT_KERNEL_WAKELOCK_ZERO,
                                               TM_PROTO_STAT_KERNEL_WAKELOCK_BACKWARDS,
                                               TM_PROTO_STAT_KERNEL_WAKELOCK_LARGE};
    enum tm_status st = TM_OK;
    for (size_t i = 0; st >= 0 && i < sizeof stats / sizeof *stats; i++)
        if (flags >> i & 1)
            st = count(r, stats[i]);
    return st;
}

/* True if the values of COUNT counters can be noted. Otherwise they are left out. A packet of a few bytes states the
 * values of all sums of its sequence anew. */
static bool can_push(const struct reader *r, size_t count)
{
    const bool is_few = r->totals->values + count <= TM_PROTO_TOTALS_VALUES_FREE + VALUES_A_BYTE * r->packet->byte;
    r->totals->values += is_few ? count : 0;
    r->rows->sink->left_out += !is_few;
    return is_few;
}

static enum tm_status read_locks(struct reader *r)
{
    static const char *const types[] = {"unknown", "kernel", "native"};
    struct tm_pb pb = tm_pb_of(r->packet->body.data, r->packet->body.len);
    struct tm_proto_event_fields m;
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == LOCK && f.type == TM_PB_LEN)
            st = note_lock(r, &f);
    tm_proto_event_fields_read(&m, &r->packet->body);
    if (st >= 0)
        st = add_times(r);
    if (st >= 0)
        st = count_lock_errors(r, m.number[LOCK_ERRORS]);
    if (st < 0 || !can_push(r, sum_count(r->source)))
        return st;
    for (size_t i = 0; st >= 0 && i < sum_count(r->source); i++) {
        const struct sum *sum = sum_at(r->source, i);
        const uint8_t *texts = r->source->texts.data ? r->source->texts.data : (const uint8_t *)"";
        const struct counter c = {.type = TM_NAMED_TRACK_KERNEL_WAKELOCK,
                                  .name = tm_text_at(texts + sum->name_at, sum->name_len),
                                  .kind = types[sum->type < 3 ? sum->type : 0]};
        if (sum->kind == OF_LOCK && sum->has_value)
            st = push(r, &c, (double)TM_NS_PER_MS * (double)sum->value);
    }
    return st;
}

/* True if UID is one of many that share a range: isolated processes, or users of shared data. */
static bool is_of_group(uint32_t uid)
{
    const uint32_t app = uid % UIDS_A_USER;
    return (app >= 50000 && app < 60000) || app >= 90000;
}

/* Adds VALUE to the sum of KIND and KEY in SOURCE. Sums past the limit are left out. */
static enum tm_status add_to(const struct reader *r, struct source *source, enum kind kind, uint64_t key,
                             uint64_t value)
{
    const struct sum like = {.kind = kind, .key = key};
    uint64_t place;
    bool is_new;
    enum tm_status st = sum_of(r, source, &like, &place, &is_new);
    if (st == TM_OK)
        sum_at(source, place)->value += value;
    return st < 0 ? tm_error_nomem(r->err) : TM_OK;
}

/* Notes that the user of KEY used its cluster for TIME since the packet before. The first time counts from the start of
 * the device. Times that go back do not count in the sums of several users. */
static enum tm_status add_user(const struct reader *r, uint64_t key, uint64_t time)
{
    enum { GROUP = 10000 };
    const struct sum like = {.kind = OF_USER, .key = key}, last = {.kind = LAST_OF_USER, .key = key};
    const uint32_t uid = (uint32_t)(key >> 32), cluster = (uint32_t)key;
    const uint32_t group = is_of_group(uid) ? uid - uid % GROUP : uid;
    uint64_t place, before;
    bool is_new;
    enum tm_status st = sum_of(r, r->source, &like, &place, &is_new);
    if (st == TM_OK)
        time = sum_at(r->source, place)->value += time;
    if (st == TM_OK)
        st = sum_of(r, r->whole, &last, &place, &is_new);
    if (st != TM_OK)
        return st < 0 ? tm_error_nomem(r->err) : TM_OK;
    before = is_new ? time : sum_at(r->whole, place)->value;
    sum_at(r->whole, place)->value = time;
    const uint64_t delta = time > before ? time - before : 0;
    st = add_to(r, r->whole, group % UIDS_A_USER < APPS_FROM ? OF_SYSTEM : OF_APPS, cluster, delta);
    return st < 0 || group == uid ? st : add_to(r, r->whole, OF_GROUP, (uint64_t)group << 32 | cluster, delta);
}

/* Pushes the counter of SUM, if it has one. */
static enum tm_status push_sum(const struct reader *r, const struct sum *sum)
{
    const uint32_t uid = (uint32_t)(sum->key >> 32), cluster = (uint32_t)sum->key;
    const bool is_of_many = sum->kind == OF_SYSTEM || sum->kind == OF_APPS;
    struct counter c = {.type = is_of_many ? TM_NAMED_TRACK_CPU_TIMES : TM_NAMED_TRACK_CPU_TIME_OF_UID,
                        .kind = sum->kind == OF_SYSTEM ? "System" : sum->kind == OF_APPS ? "Apps" : NULL,
                        .uid = uid,
                        .cluster = cluster};
    char name[64];
    if (sum->kind == LAST_OF_USER || (sum->kind == OF_USER && is_of_group(uid)))
        return TM_OK;
    const int len = is_of_many
                        ? snprintf(name, sizeof name, "CPU for %s CL%" PRIu32, c.kind, cluster)
                        : snprintf(name, sizeof name, "CPU for UID %" PRIu32 " CL%" PRIu32, uid, cluster);
    c.name = tm_text_at(name, (size_t)len);
    return push(r, &c, (double)sum->value);
}

static enum tm_status read_users(struct reader *r)
{
    const struct tm_pb body = tm_pb_of(r->packet->body.data, r->packet->body.len);
    struct tm_proto_numbers uids = {.pb = body, .id = UIDS}, times = {.pb = body, .id = UID_TIMES};
    struct tm_proto_event_fields m;
    struct source *const sources[] = {r->whole, r->source};
    enum tm_status st = TM_OK;
    uint64_t uid, time;
    uint32_t cluster = 0;
    tm_proto_event_fields_read(&m, &r->packet->body);
    if (m.has[CLUSTER_COUNT])
        r->source->clusters = (uint32_t)m.number[CLUSTER_COUNT];
    bool has_uid = tm_proto_numbers_next(&uids, &uid);
    while (st >= 0 && has_uid && tm_proto_numbers_next(&times, &time)) {
        st = add_user(r, (uid & UINT32_MAX) << 32 | cluster, time);
        if (++cluster >= r->source->clusters) {
            cluster = 0;
            has_uid = tm_proto_numbers_next(&uids, &uid);
        }
    }
    if (st < 0 || !can_push(r, sum_count(r->whole) + sum_count(r->source)))
        return st;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        for (size_t k = 0; st >= 0 && k < sum_count(sources[i]); k++)
            if (sum_at(sources[i], k)->kind != OF_LOCK)
                st = push_sum(r, sum_at(sources[i], k));
    return st;
}

enum tm_status tm_proto_totals_read(struct tm_proto_totals *totals, struct tm_proto_rows *rows,
                                    const struct tm_proto_packet *packet, struct tm_error *err)
{
    struct reader r = {.totals = totals, .rows = rows, .packet = packet, .err = err};
    /* Times of a clock of a sequence can be relative to those before them. */
    if (!packet->has_time || tm_clock_is_scoped(packet->clock))
        return TM_OK;
    enum tm_status st = find_sources(&r);
    if (st != TM_OK)
        return st < 0 ? tm_error_nomem(err) : TM_OK;
    return packet->body.id == TM_PACKET_KERNEL_WAKELOCKS ? read_locks(&r) : read_users(&r);
}
