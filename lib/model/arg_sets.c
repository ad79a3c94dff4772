#include "model/arg_sets.h"

#include "base/cpu.h"
#include "base/secret.h"
#include "stream/detail_fields.h"

#include <stdlib.h>

/* A remembered set. Its place is that of the hash of its args. It is small, because reading it is a cache miss. */
struct tm_arg_sets_seen {
    uint64_t keyed; /* hash of its bytes under a secret */
    int64_t set;    /* plus 1; 0: empty */
};

/* The set that a source had last. It is forgotten once another set has its slot in SEEN. */
struct tm_arg_sets_recalled {
    uint64_t key;
    int64_t set, note;
    uint32_t slot;
};

const char *tm_arg_type_name(enum tm_arg type)
{
    static const char *const names[] = {
        [TM_ARG_INT] = "int",   [TM_ARG_UINT] = "uint",       [TM_ARG_DOUBLE] = "real", [TM_ARG_STRING] = "string",
        [TM_ARG_BOOL] = "bool", [TM_ARG_POINTER] = "pointer", [TM_ARG_JSON] = "json",   [TM_ARG_NULL] = "null"};
    return names[type];
}

/* Takes F, a value, if its wire type fits. */
static void decode_value(struct tm_arg_row *row, const struct tm_pb_field *f)
{
    bool is_text = f->id == TM_ARG_STRING || f->id == TM_ARG_JSON, is_real = f->id == TM_ARG_DOUBLE;
    if (f->type != (is_text ? TM_PB_LEN : is_real ? TM_PB_I64 : TM_PB_VARINT))
        return;
    row->type = (enum tm_arg)f->id;
    if (is_text) {
        row->string_value = tm_text_given(f->data, f->len);
    } else if (is_real) {
        row->has_real = true;
        row->real_value = tm_pb_double(f->value);
    } else {
        row->has_int = true;
        row->int_value = f->id == TM_ARG_INT    ? tm_unzigzag(f->value)
                         : f->id == TM_ARG_BOOL ? f->value != 0
                                                : (int64_t)f->value;
    }
}

/* Decodes a message with a short key and then one value, as most have. False: it is another. */
static bool decode_usual(struct tm_arg_row *row, const uint8_t *data, size_t len)
{
    enum { KEY = TM_ARG_KEY << 3 | TM_PB_LEN, KEY_AT = 2 };
    if (len < KEY_AT || data[0] != KEY || data[1] >= 0x80 || data[1] > len - KEY_AT)
        return false;
    const size_t key_len = data[1];
    struct tm_pb pb = tm_pb_of(data + KEY_AT + key_len, len - KEY_AT - key_len);
    struct tm_pb_field f;
    if (tm_pb_next(&pb, &f) != TM_OK || pb.p != pb.end || f.id < TM_ARG_INT || f.id > TM_ARG_JSON)
        return false;
    row->key = (struct tm_text){data + KEY_AT, key_len};
    decode_value(row, &f);
    return true;
}

/* Decodes the Arg message at DATA into ROW. */
static void decode(struct tm_arg_row *row, const uint8_t *data, size_t len)
{
    struct tm_pb pb = tm_pb_of(data, len);
    struct tm_pb_field f;
    row->type = TM_ARG_NULL;
    if (decode_usual(row, data, len))
        return;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == TM_ARG_KEY && f.type == TM_PB_LEN)
            row->key = tm_text_given(f.data, f.len);
        else if (f.id >= TM_ARG_INT && f.id <= TM_ARG_JSON)
            decode_value(row, &f);
    }
    if (row->key.data == NULL)
        row->key = tm_text_str("");
}

/* Moves to the next arg of a Detail message. */
static bool next_arg(struct tm_pb *pb, struct tm_pb_field *f)
{
    while (tm_pb_next(pb, f) == TM_OK)
        if (tm_found_args_is_arg(f))
            return true;
    return false;
}

bool tm_arg_next(struct tm_pb *pb, struct tm_arg_row *row)
{
    struct tm_pb_field f;
    if (!next_arg(pb, &f))
        return false;
    *row = (struct tm_arg_row){.has_int = false};
    decode(row, f.data, f.len);
    return true;
}

/* The bytes of args, one after another. */
struct args {
    const uint8_t *data;
    size_t len;
    int64_t count;
    uint64_t hash; /* 0: no args */
};

/* Copies the args of DETAIL to sets->joined. */
static enum tm_status join_fields(struct tm_arg_sets *sets, struct tm_text detail, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(detail.data, detail.len);
    struct tm_pb_field f;
    tm_buf_clear(&sets->joined);
    while (next_arg(&pb, &f))
        if (tm_buf_add(&sets->joined, f.start, (size_t)(f.end - f.start)) != TM_OK)
            return tm_error_nomem(err);
    return TM_OK;
}

/* Sets *ARGS to the bytes of FOUND. Valid until the next call. */
static enum tm_status bytes_of(struct tm_arg_sets *sets, const struct tm_found_args *found, struct args *args,
                               struct tm_error *err)
{
    *args = (struct args){found->data, (size_t)(found->end - found->data), found->count, found->hash};
    if (!found->is_split)
        return TM_OK;
    enum tm_status st = join_fields(sets, found->detail, err);
    args->data = sets->joined.data;
    args->len = sets->joined.len;
    return st;
}

static struct tm_found_args find_args(const uint8_t *detail, size_t len)
{
    struct tm_pb pb = tm_pb_of(detail, len);
    struct tm_pb_field f;
    struct tm_found_args found = {.detail = {detail, len}};
    while (next_arg(&pb, &f))
        tm_found_args_add(&found, &f);
    return found;
}

/* Gives the args of SET to the receiver. */
static enum tm_status put_args(struct tm_arg_sets *sets, int64_t set, const struct args *args, struct tm_error *err)
{
    sets->next_id += args->count;
    return sets->rows->args(sets->rows->self, set, tm_text_at(args->data, args->len), err);
}

static enum tm_status begin_cache(struct tm_arg_sets *sets, struct tm_error *err)
{
    if ((sets->seen = calloc(TM_ARG_SETS_CACHE, sizeof *sets->seen)) == NULL)
        return tm_error_nomem(err);
    sets->secret = tm_secret();
    return TM_OK;
}

static uint32_t slot_of(uint64_t hash)
{
    return hash >> 8 & (TM_ARG_SETS_CACHE - 1);
}

void tm_arg_sets_prefetch(const struct tm_arg_sets *sets, const struct tm_found_args *args)
{
    if (sets->seen && args->hash)
        tm_cpu_prefetch(&sets->seen[slot_of(args->hash)]);
}

/* Sets *SET to the set with ARGS, of which there is one at least. */
static enum tm_status add(struct tm_arg_sets *sets, const struct args *args, int64_t *set, struct tm_error *err)
{
    enum tm_status st;
    *set = sets->next_id;
    if (sets->repeats)
        return put_args(sets, *set, args, err);
    if (sets->seen == NULL && (st = begin_cache(sets, err)) < 0)
        return st;
    struct tm_arg_sets_seen *seen = &sets->seen[slot_of(args->hash)];
    tm_cpu_prefetch(seen);
    uint64_t keyed = tm_keyed_bytes(sets->secret, args->data, args->len);
    if (seen->keyed == keyed && seen->set) {
        *set = seen->set - 1;
        return TM_OK;
    }
    *seen = (struct tm_arg_sets_seen){keyed, *set + 1};
    return put_args(sets, *set, args, err);
}

enum tm_status tm_arg_sets_add_found(struct tm_arg_sets *sets, const struct tm_found_args *found, int64_t *set,
                                     struct tm_error *err)
{
    struct args args;
    enum tm_status st = bytes_of(sets, found, &args, err);
    *set = TM_NO_ID;
    return st < 0 || args.hash == 0 ? st : add(sets, &args, set, err);
}

enum tm_status tm_arg_sets_add(struct tm_arg_sets *sets, const uint8_t *detail, size_t len, int64_t *set,
                               struct tm_error *err)
{
    const struct tm_found_args found = find_args(detail, len);
    return tm_arg_sets_add_found(sets, &found, set, err);
}

enum tm_status tm_arg_sets_open(struct tm_arg_sets *sets, const struct tm_found_args *found, int64_t *set,
                                struct tm_error *err)
{
    struct args args;
    enum tm_status st = bytes_of(sets, found, &args, err);
    *set = TM_NO_ID;
    if (st < 0 || args.hash == 0 || (st = add(sets, &args, set, err)) < 0 || sets->repeats)
        return st;
    return tm_kept_args_put(&sets->kept, *set, (struct tm_text){args.data, args.len}, err);
}

bool tm_arg_sets_recall(const struct tm_arg_sets *sets, const struct tm_arg_sets_source *source,
                        struct tm_arg_sets_note *note, int64_t *set)
{
    note->key = 0;
    if (sets->seen == NULL || sets->repeats)
        return false;
    uint64_t key = tm_keyed_bytes(sets->secret, source->numbers, sizeof source->numbers);
    for (size_t i = 0; i < sizeof source->texts / sizeof *source->texts; i++)
        if (source->texts[i].data)
            key = tm_keyed_bytes(key ^ sets->secret ^ i, source->texts[i].data, source->texts[i].len);
    note->key = key;
    if (sets->recalled == NULL)
        return false;
    const struct tm_arg_sets_recalled *recalled = &sets->recalled[key & (TM_ARG_SETS_CACHE - 1)];
    *set = recalled->set;
    note->note = recalled->note;
    return recalled->key == key && sets->seen[recalled->slot].set == recalled->set + 1;
}

enum tm_status tm_arg_sets_add_noted(struct tm_arg_sets *sets, struct tm_text detail,
                                     const struct tm_arg_sets_note *note, int64_t *set, struct tm_error *err)
{
    const struct tm_found_args found = find_args(detail.data, detail.len);
    enum tm_status st = tm_arg_sets_add_found(sets, &found, set, err);
    if (st < 0 || note->key == 0 || *set == TM_NO_ID)
        return st;
    if (sets->recalled == NULL &&
        (sets->recalled = calloc(TM_ARG_SETS_CACHE, sizeof *sets->recalled)) == NULL)
        return tm_error_nomem(err);
    sets->recalled[note->key & (TM_ARG_SETS_CACHE - 1)] =
        (struct tm_arg_sets_recalled){note->key, *set, note->note, slot_of(found.hash)};
    return TM_OK;
}

/* Returns the number of different keys among ARGS, which were kept. */
static int64_t count_keys(struct tm_text args)
{
    struct tm_text keys[TM_KEPT_ARGS_COUNT_MAX];
    struct tm_pb pb = tm_pb_of(args.data, args.len);
    struct tm_arg_row row;
    int64_t count = 0;
    while (count < TM_KEPT_ARGS_COUNT_MAX && tm_arg_next(&pb, &row)) {
        int64_t i = 0;
        while (i < count && !tm_text_equal(keys[i], row.key))
            i++;
        if (i == count)
            keys[count++] = row.key;
    }
    return count;
}

/* True if a key among ARGS is that of an element of an array. */
static bool has_element(struct tm_text args)
{
    struct tm_pb pb = tm_pb_of(args.data, args.len);
    struct tm_arg_row row;
    while (tm_arg_next(&pb, &row))
        if (row.key.len && memchr(row.key.data, '[', row.key.len))
            return true;
    return false;
}

/* Gives set *SET, a new one, the args FIRST, which were kept, and then MORE. */
static enum tm_status put_both(struct tm_arg_sets *sets, struct tm_text first, const struct args *more, int64_t *set,
                               struct tm_error *err)
{
    tm_buf_clear(&sets->both);
    if (tm_buf_add(&sets->both, first.data, first.len) < 0 || tm_buf_add(&sets->both, more->data, more->len) < 0)
        return tm_error_nomem(err);
    const struct tm_text both = {sets->both.data, sets->both.len}, added = {both.data + first.len, more->len};
    *set = sets->next_id;
    sets->next_id += count_keys(first) + more->count;
    enum tm_status st = sets->rows->args(sets->rows->self, *set, first, err);
    if (st == TM_OK)
        st = sets->rows->args(sets->rows->self, *set, added, err);
    if (st < 0 || has_element(added)) /* the receiver has numbered the elements anew, after those of FIRST */
        return st;
    return tm_kept_args_put(&sets->kept, *set, both, err);
}

enum tm_status tm_arg_sets_join_found(struct tm_arg_sets *sets, const struct tm_found_args *found, int64_t *set,
                                      struct tm_error *err)
{
    const int64_t first = *set;
    struct tm_text kept;
    struct args args;
    if (first == TM_NO_ID)
        return tm_arg_sets_open(sets, found, set, err);
    enum tm_status st = bytes_of(sets, found, &args, err);
    if (st < 0 || args.hash == 0)
        return st;
    if (!sets->repeats && tm_kept_args_find(&sets->kept, first, &kept))
        return put_both(sets, kept, &args, set, err);
    *set = sets->next_id;
    st = sets->rows->arg_copy(sets->rows->self, first, *set, &sets->next_id, err);
    return st < 0 ? st : put_args(sets, *set, &args, err);
}

enum tm_status tm_arg_sets_join(struct tm_arg_sets *sets, const uint8_t *detail, size_t len, int64_t *set,
                                struct tm_error *err)
{
    const struct tm_found_args found = find_args(detail, len);
    return tm_arg_sets_join_found(sets, &found, set, err);
}

void tm_arg_sets_release(struct tm_arg_sets *sets)
{
    free(sets->seen);
    free(sets->recalled);
    tm_buf_release(&sets->joined);
    tm_buf_release(&sets->both);
    tm_kept_args_release(&sets->kept);
    *sets = (struct tm_arg_sets){0};
}
