#include "unpack/stated.h"

#include "base/decimal.h"
#include "base/utf8.h"
#include "container/head.h"
#include "container/limits.h"

#include <string.h>

enum { PACKED_BYTES = 16 << 10 /* of a compressed file; they hold more than the bytes examined of others */ };

/* A range of JSON that may be truncated. */
struct text {
    const uint8_t *p, *end;
};

static void skip_space(struct text *t)
{
    while (t->p < t->end && (*t->p == ' ' || *t->p == '\t' || *t->p == '\n' || *t->p == '\r'))
        t->p++;
}

/* Skips the string at T. False: it is truncated. */
static bool skip_string(struct text *t)
{
    for (t->p++; t->p < t->end && *t->p != '"'; t->p++)
        if (*t->p == '\\' && t->p + 1 < t->end)
            t->p++;
    bool is_whole = t->p < t->end;
    t->p += is_whole;
    return is_whole;
}

/* Skips the value at T, up to the comma or the bracket after it. False: it is truncated. */
static bool skip_value(struct text *t)
{
    unsigned depth = 0;
    for (; t->p < t->end; t->p++) {
        if (*t->p == '"') {
            if (!skip_string(t))
                return false;
            t->p--;
        } else if (*t->p == '{' || *t->p == '[') {
            depth++;
        } else if (*t->p == '}' || *t->p == ']') {
            if (depth == 0)
                return true;
            depth--;
        } else if (*t->p == ',' && depth == 0) {
            return true;
        }
    }
    return false;
}

/* Reads the next member of the object that T is in, at its '{' or after a value: sets its key, and T to its value. */
static bool next_member(struct text *t, struct text *key)
{
    skip_space(t);
    if (t->p >= t->end || (*t->p != '{' && *t->p != ','))
        return false;
    t->p++;
    skip_space(t);
    key->p = t->p + 1;
    if (t->p >= t->end || *t->p != '"' || !skip_string(t))
        return false;
    key->end = t->p - 1;
    skip_space(t);
    if (t->p >= t->end || *t->p++ != ':')
        return false;
    skip_space(t);
    return t->p < t->end;
}

static bool is_key(const struct text *key, const char *name)
{
    return (size_t)(key->end - key->p) == strlen(name) && memcmp(key->p, name, strlen(name)) == 0;
}

/* Reads the number at T, which may be in quotes; -1: it is not a number. */
static int64_t number_at(struct text *t)
{
    struct text value = *t;
    int64_t n;
    if (!skip_value(t))
        return -1;
    value.end = t->p;
    while (value.end > value.p && (value.end[-1] <= ' ' || value.end[-1] == '"'))
        value.end--;
    value.p += value.p < value.end && *value.p == '"';
    return tm_decimal_int((const char *)value.p, (size_t)(value.end - value.p), &n) == TM_OK ? n : -1;
}

/* Reads the rank from distributedInfo, the object at T. */
static struct tm_stated_rank read_info(struct text t)
{
    struct tm_stated_rank info = {.rank = -1};
    struct text key;
    while (next_member(&t, &key)) {
        if (is_key(&key, "rank"))
            info.rank = number_at(&t);
        else if (is_key(&key, "world_size"))
            info.world_size = number_at(&t);
        else if (!skip_value(&t))
            break;
    }
    info.is_known = info.rank >= 0;
    if (info.world_size <= info.rank)
        info.world_size = 0;
    return info.is_known ? info : (struct tm_stated_rank){0};
}

static struct tm_stated_rank find_rank(const uint8_t *head, size_t len)
{
    struct text t = {head + tm_utf8_mark(head, len), head + len}, key;
    while (next_member(&t, &key) && !is_key(&key, "traceEvents")) {
        if (is_key(&key, "distributedInfo") && *t.p == '{')
            return read_info(t);
        if (!skip_value(&t))
            break;
    }
    return (struct tm_stated_rank){0};
}

static bool is_packed(const struct tm_file_type *type)
{
    return type->kind == TM_FILE_GZIP || type->kind == TM_FILE_ZSTD;
}

static bool is_spans(const struct tm_file_type *type)
{
    return type->input_type == TM_INPUT_OTLP || type->input_type == TM_INPUT_JAEGER ||
           type->input_type == TM_INPUT_ZIPKIN;
}

/* True if a file of TYPE may state facts. */
static bool may_state(const struct tm_file_type *type)
{
    return is_packed(type) || type->input_type == TM_INPUT_JSON || is_spans(type);
}

static void find(struct tm_stated *stated, const struct tm_file_type *type, const uint8_t *head, size_t len)
{
    if (type->input_type == TM_INPUT_JSON)
        stated->rank = find_rank(head, len);
    else if (is_spans(type))
        stated->host = tm_stated_host_find(head, len);
}

enum tm_status tm_stated_read_head(struct tm_stated *stated, const struct tm_file_type *type, const uint8_t *data,
                                   size_t len, struct tm_error *err)
{
    *stated = (struct tm_stated){0};
    if (!may_state(type))
        return TM_OK;
    struct tm_file_type inner = *type;
    struct tm_text text = tm_text_at(data, len);
    struct tm_buf heads[2] = {{0}, {0}};
    enum tm_status st = TM_OK;
    for (unsigned depth = 0; depth < TM_DEPTH_MAX && is_packed(&inner); depth++) {
        struct tm_buf *head = &heads[depth & 1]; /* TEXT may be in the other one */
        tm_buf_clear(head);
        if ((st = tm_container_head(text, TM_STATED_BYTES, head, err)) < 0)
            break;
        inner = tm_file_type_sniff(head->data, head->len < TM_SNIFF_BYTES ? head->len : TM_SNIFF_BYTES);
        text = tm_text_at(head->data, head->len);
    }
    if (st == TM_OK) {
        find(stated, &inner, text.data, text.len);
        stated->is_archive = is_packed(type) && (inner.kind == TM_FILE_TAR || inner.kind == TM_FILE_ZIP);
    }
    tm_buf_release(&heads[0]);
    tm_buf_release(&heads[1]);
    return st;
}

enum tm_status tm_stated_read(struct tm_stated *stated, const struct tm_file_type *type, struct tm_input *in,
                              uint64_t want, struct tm_error *err)
{
    size_t need = is_packed(type) ? PACKED_BYTES : TM_STATED_BYTES;
    *stated = (struct tm_stated){0};
    if (!may_state(type))
        return TM_OK;
    need = want < need ? (size_t)want : need;
    enum tm_status st = tm_input_fill(in, need, err);
    if (st == TM_E_INPUT) { /* damage, which is reported at its turn */
        *err = (struct tm_error){0};
        return TM_OK;
    }
    return st < 0 ? st : tm_stated_read_head(stated, type, in->data, in->len < need ? in->len : need, err);
}
