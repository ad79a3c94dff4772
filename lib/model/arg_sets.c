#include "model/arg_sets.h"

#include "base/hash.h"
#include "base/pb.h"
#include "stream/detail_fields.h"

#include <stdlib.h>

struct tm_arg_sets_seen {
    uint64_t hash; /* hash of the set's args; 0: empty */
    int64_t set;
};

static struct tm_text text_of(const struct tm_pb_field *f)
{
    return (struct tm_text){f->data ? f->data : (const uint8_t *)"", f->len};
}

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
        row->string_value = text_of(f);
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

/* Decodes the Arg message at DATA into ROW. */
static void decode(struct tm_arg_row *row, const uint8_t *data, size_t len)
{
    struct tm_pb pb = tm_pb_of(data, len);
    struct tm_pb_field f;
    row->type = TM_ARG_NULL;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == TM_ARG_KEY && f.type == TM_PB_LEN)
            row->key = text_of(&f);
        else if (f.id >= TM_ARG_INT && f.id <= TM_ARG_JSON)
            decode_value(row, &f);
    }
    if (row->key.data == NULL)
        row->key = (struct tm_text){(const uint8_t *)"", 0};
}

/* Moves to the next arg of a Detail message. */
static bool next_arg(struct tm_pb *pb, struct tm_pb_field *f)
{
    while (tm_pb_next(pb, f) == TM_OK)
        if (f->id == TM_DETAIL_ARGS && f->type == TM_PB_LEN)
            return true;
    return false;
}

static enum tm_status put_rows(struct tm_arg_sets *sets, int64_t set, const uint8_t *detail, size_t len,
                               struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(detail, len);
    struct tm_pb_field f;
    while (next_arg(&pb, &f)) {
        struct tm_arg_row row = {.id = sets->next_id++, .arg_set = set};
        decode(&row, f.data, f.len);
        enum tm_status st = sets->rows->arg(sets->rows->self, &row, err);
        if (st < 0)
            return st;
    }
    return TM_OK;
}

/* Returns a hash of the args alone, because other fields of the detail do not matter. 0: no args. */
static uint64_t hash_args(const uint8_t *detail, size_t len)
{
    struct tm_pb pb = tm_pb_of(detail, len);
    struct tm_pb_field f;
    uint64_t hash = 0;
    while (next_arg(&pb, &f))
        hash = tm_hash64_seed(f.data ? f.data : (const uint8_t *)"", f.len, hash + 1) | 1;
    return hash;
}

enum tm_status tm_arg_sets_add(struct tm_arg_sets *sets, const uint8_t *detail, size_t len, int64_t *set,
                               struct tm_error *err)
{
    uint64_t hash = hash_args(detail, len);
    *set = TM_NO_ID;
    if (hash == 0)
        return TM_OK;
    *set = sets->next_id;
    if (sets->repeats)
        return put_rows(sets, *set, detail, len, err);
    if (sets->seen == NULL && (sets->seen = calloc(TM_ARG_SETS_CACHE, sizeof *sets->seen)) == NULL)
        return tm_error_nomem(err);
    struct tm_arg_sets_seen *seen = &sets->seen[hash >> 8 & (TM_ARG_SETS_CACHE - 1)];
    if (seen->hash == hash) {
        *set = seen->set;
        return TM_OK;
    }
    *seen = (struct tm_arg_sets_seen){hash, *set};
    return put_rows(sets, *set, detail, len, err);
}

enum tm_status tm_arg_sets_join(struct tm_arg_sets *sets, const uint8_t *detail, size_t len, int64_t *set,
                                struct tm_error *err)
{
    const int64_t first = *set;
    if (first == TM_NO_ID)
        return tm_arg_sets_add(sets, detail, len, set, err);
    if (hash_args(detail, len) == 0)
        return TM_OK;
    *set = sets->next_id;
    enum tm_status st = sets->rows->arg_copy(sets->rows->self, first, *set, &sets->next_id, err);
    return st < 0 ? st : put_rows(sets, *set, detail, len, err);
}

void tm_arg_sets_release(struct tm_arg_sets *sets)
{
    free(sets->seen);
    *sets = (struct tm_arg_sets){0};
}
