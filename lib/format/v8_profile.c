#include "format/v8_profile.h"

#include "base/checked.h"
#include "json/number.h"

#include <stdlib.h>

enum { NS_SCALE = 3 /* of times in microseconds */ };

/* A few bytes can name a node that stands for a whole stack. So the stacks of one chunk are limited to
 * STACKS_BYTES_FREE bytes plus STACKS_GROWTH_MAX times the length of its text. Samples beyond the limit have no
 * stack. */
enum { STACKS_BYTES_FREE = 1 << 20, STACKS_GROWTH_MAX = 512 };

void tm_v8_profile_free(struct tm_v8_profile *profile)
{
    if (profile == NULL)
        return;
    tm_v8_nodes_release(&profile->nodes);
    free(profile);
}

static bool take_array(const struct tm_json_value *v, struct tm_json_value *out)
{
    *out = *v;
    return v->type == TM_JSON_ARRAY;
}

static void read_cpu_profile(const struct tm_json_value *text, struct tm_v8_chunk *c)
{
    struct tm_json_value k, v;
    struct tm_json_scan scan = tm_json_scan_of(text);
    scan.p++;
    while (tm_json_member(&scan, &k, &v) == TM_JSON_OK) {
        if (tm_json_is(&k, "nodes"))
            c->has_nodes = take_array(&v, &c->nodes);
        else if (tm_json_is(&k, "samples"))
            c->has_samples = take_array(&v, &c->samples);
    }
}

bool tm_v8_chunk_read(const struct tm_json_value *data, struct tm_v8_chunk *c)
{
    struct tm_json_value k, v;
    struct tm_json_scan scan = tm_json_scan_of(data);
    bool has_profile = false;
    scan.p++;
    *c = (struct tm_v8_chunk){.text_bytes = data->len};
    while (tm_json_member(&scan, &k, &v) == TM_JSON_OK) {
        if (tm_json_is(&k, "startTime"))
            c->has_start = tm_json_decimal(&v, NS_SCALE, &c->start_ns) == TM_OK;
        else if (tm_json_is(&k, "timeDeltas"))
            c->has_deltas = take_array(&v, &c->deltas);
        else if (tm_json_is(&k, "cpuProfile") && v.type == TM_JSON_OBJECT) {
            has_profile = true;
            read_cpu_profile(&v, c);
        }
    }
    return c->has_start || has_profile || c->has_deltas;
}

/* Finds the session KEY. If CHUNK starts it, makes it if it is new, and sets its time. NULL: it is not known, or there
 * are too many sessions. */
static struct tm_v8_session *find_session(struct tm_v8_profile *p, uint64_t key, const struct tm_v8_chunk *chunk)
{
    uint32_t i = 0;
    while (i < p->session_count && p->sessions[i].key != key)
        i++;
    if (i == p->session_count) {
        if (!chunk->has_start || i == TM_PROFILE_SESSIONS_MAX)
            return NULL;
        p->sessions[p->session_count++].key = key;
    }
    if (chunk->has_start)
        p->sessions[i].time_ns = chunk->start_ns;
    return &p->sessions[i];
}

/* Adds the nodes of the array NODES (valid JSON) to SESSION, or to none if that is NULL. Counts bad ones in *BAD. */
static enum tm_status add_nodes(struct tm_v8_profile *profile, const struct tm_v8_session *session,
                                const struct tm_json_value *nodes, uint64_t *bad)
{
    struct tm_json_value v;
    struct tm_json_scan scan = tm_json_scan_of(nodes);
    scan.p++;
    while (tm_json_element(&scan, &v) == TM_JSON_OK) {
        if (v.type != TM_JSON_OBJECT)
            continue;
        enum tm_status st =
            session ? tm_v8_nodes_add(&profile->nodes, (uint32_t)(session - profile->sessions), &v) : TM_END;
        if (st < 0)
            return st;
        *bad += st == TM_END;
    }
    return TM_OK;
}

static bool is_id(const struct tm_json_value *v)
{
    uint32_t id;
    return tm_v8_node_id(v, &id);
}

static bool is_delta(const struct tm_json_value *v)
{
    int64_t ns;
    return tm_json_decimal(v, NS_SCALE, &ns) == TM_OK;
}

/* Returns the number of elements of LIST; 0 if one of them is not as IS_VALID demands, or if there is no list. */
static uint64_t count_valid(bool has_list, const struct tm_json_value *list,
                            bool (*is_valid)(const struct tm_json_value *))
{
    struct tm_json_value v;
    uint64_t count = 0;
    if (!has_list)
        return 0;
    struct tm_json_scan scan = tm_json_scan_of(list);
    scan.p++;
    for (; tm_json_element(&scan, &v) == TM_JSON_OK; count++)
        if (!is_valid(&v))
            return 0;
    return count;
}

/* Prepares to read the samples of CHUNK. TM_OK; TM_END: they are lost. */
static enum tm_status begin_samples(struct tm_v8_samples *samples, const struct tm_v8_chunk *chunk)
{
    const uint64_t count = count_valid(chunk->has_samples, &chunk->samples, is_id);
    if (count != count_valid(chunk->has_deltas, &chunk->deltas, is_delta) || (count && samples->session == NULL))
        return TM_END;
    if (count == 0)
        return TM_OK;
    samples->nodes = tm_json_scan_of(&chunk->samples);
    samples->deltas = tm_json_scan_of(&chunk->deltas);
    samples->nodes.p++;
    samples->deltas.p++;
    samples->budget = STACKS_BYTES_FREE + (uint64_t)chunk->text_bytes * STACKS_GROWTH_MAX;
    return TM_OK;
}

enum tm_status tm_v8_profile_take(struct tm_v8_profile **profile, uint64_t key, const struct tm_v8_chunk *chunk,
                                  struct tm_v8_samples *samples)
{
    if (*profile == NULL) {
        if ((*profile = calloc(1, sizeof **profile)) == NULL)
            return TM_E_SYSTEM;
        tm_v8_nodes_init(&(*profile)->nodes, false);
    }
    struct tm_v8_session *session = find_session(*profile, key, chunk);
    *samples = (struct tm_v8_samples){.profile = *profile, .session = session};
    if (chunk->has_nodes && add_nodes(*profile, session, &chunk->nodes, &samples->bad_nodes) < 0)
        return TM_E_SYSTEM;
    return begin_samples(samples, chunk);
}

/* Reads the next pair of a node and a time. TM_OK; TM_END: there is none; TM_E_INPUT. */
static enum tm_status next_pair(struct tm_v8_samples *s, uint32_t *id)
{
    struct tm_json_value node, delta;
    int64_t ns;
    if (s->nodes.p == s->nodes.end || tm_json_element(&s->nodes, &node) != TM_JSON_OK ||
        tm_json_element(&s->deltas, &delta) != TM_JSON_OK || !tm_v8_node_id(&node, id))
        return TM_END;
    if (tm_json_decimal(&delta, NS_SCALE, &ns) != TM_OK || !tm_add_i64(s->session->time_ns, ns, &ns))
        return TM_E_INPUT;
    s->time_ns = s->session->time_ns = ns;
    return TM_OK;
}

static uint32_t session_number(const struct tm_v8_samples *s)
{
    return (uint32_t)(s->session - s->profile->sessions);
}

enum tm_status tm_v8_samples_next(struct tm_v8_samples *s, struct tm_buf *detail)
{
    uint32_t id = 0;
    enum tm_status st;
    while ((st = next_pair(s, &id)) == TM_OK &&
           !tm_v8_nodes_may_have(&s->profile->nodes, session_number(s), id))
        s->bad_samples++;
    if (st != TM_OK)
        return st;
    s->is_cut = s->budget == 0;
    if (s->is_cut)
        return TM_OK;
    size_t before = detail->len;
    st = tm_v8_nodes_stack(&s->profile->nodes, session_number(s), id, TM_PROFILE_STACK_BYTES_MAX, detail);
    s->is_cut = st == TM_END;
    s->budget -= detail->len - before < s->budget ? detail->len - before : s->budget;
    return st < 0 ? st : TM_OK;
}
