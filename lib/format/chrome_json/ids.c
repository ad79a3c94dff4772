#include "format/chrome_json/internal.h"
#include "stream/detail_fields.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/pb.h"

/* Seeds that make ids of different kinds distinct. */
enum { SEED_ASYNC = 1, SEED_LEGACY_ASYNC, SEED_FLOW, SEED_TEXT, SEED_NUMBER };

static uint64_t mix_number(uint64_t seed, uint64_t v)
{
    uint8_t bytes[8];
    tm_put_le64(bytes, v);
    return tm_hash64_seed(bytes, sizeof bytes, seed);
}

/* Mixes the string FIELD into the hash; a missing string counts as empty. */
static bool mix_string(struct tm_json_row_builder *w, enum tm_json_field field, uint64_t *hash)
{
    const struct tm_json_value *v = tm_json_event_of(w->json, field, TM_JSON_STRING);
    const uint8_t *s = NULL;
    size_t len = 0;
    if (v && !tm_json_text(v, &w->rows->scratch, &s, &len))
        return false;
    *hash = tm_hash64_seed(len ? (const void *)s : "", len, *hash);
    return true;
}

static uint64_t mix_id(uint64_t seed, const struct tm_json_id *id)
{
    if (id->is_text)
        return tm_hash64_seed(id->text, id->len, seed + SEED_TEXT);
    return mix_number(seed + SEED_NUMBER, id->number);
}

/* Finds the id of an async event: its id, else the global id of id2, else the local id of id2. */
static bool find_id(struct tm_json_row_builder *w, struct tm_json_id *id, bool *local)
{
    const struct tm_json_value *id2 = tm_json_event_of(w->json, TM_JF_ID2, TM_JSON_OBJECT);
    struct tm_json_value key, value, found[2];
    bool has[2] = {false, false}; /* global, local */
    *local = false;
    if (tm_json_id_of(tm_json_event_get(w->json, TM_JF_ID), &w->rows->id, id))
        return true;
    if (id2 == NULL)
        return false;
    struct tm_json_scan scan = tm_json_scan_of(id2);
    scan.p++;
    while (tm_json_member(&scan, &key, &value) == TM_JSON_OK) {
        int which = tm_json_is(&key, "global") ? 0 : tm_json_is(&key, "local") ? 1 : -1;
        if (which < 0)
            continue;
        has[which] = true;
        found[which] = value;
    }
    if (has[0] && tm_json_id_of(&found[0], &w->rows->id, id))
        return true;
    *local = has[1] && tm_json_id_of(&found[1], &w->rows->id, id);
    return *local;
}

/* Adds the id's text to the detail. */
static enum tm_status put_id(struct tm_json_row_builder *w, const struct tm_json_id *id)
{
    if (w->rows->sink->want_detail && tm_pb_put_bytes(&w->rows->detail, TM_DETAIL_ID, id->text, id->len) != TM_OK)
        return tm_error_nomem(w->err);
    return TM_OK;
}

/* Sets what all rows of async events share: track, scope and id. */
static enum tm_status put_identity(struct tm_json_row_builder *w, uint64_t hash, bool local,
                                   const struct tm_json_id *id)
{
    w->event.track = hash;
    w->event.flags |= TM_EVENT_ASYNC | TM_EVENT_HAS_TRACK;
    w->event.flags |= tm_event_scope_flags(local ? TM_SCOPE_PROCESS : TM_SCOPE_GLOBAL);
    return put_id(w, id);
}

enum tm_status tm_json_async(struct tm_json_row_builder *w)
{
    struct tm_json_id id;
    uint64_t hash = SEED_ASYNC;
    bool local;
    if (!(w->event.flags & TM_EVENT_HAS_PID) || !find_id(w, &id, &local))
        return TM_END;
    if (!mix_string(w, TM_JF_CAT, &hash) || !mix_string(w, TM_JF_SCOPE, &hash))
        return tm_error_nomem(w->err);
    hash = mix_id(hash, &id);
    if (local)
        hash = mix_number(hash, (uint64_t)w->event.pid);
    w->event.kind = w->phase == 'b' ? TM_KIND_SLICE_BEGIN : w->phase == 'e' ? TM_KIND_SLICE_END : TM_KIND_INSTANT;
    return put_identity(w, hash, local, &id);
}

enum tm_status tm_json_legacy_async(struct tm_json_row_builder *w)
{
    struct tm_json_id id;
    uint64_t hash = SEED_LEGACY_ASYNC;
    bool local;
    if (!find_id(w, &id, &local))
        return TM_END;
    if (!mix_string(w, TM_JF_CAT, &hash) || !mix_string(w, TM_JF_NAME, &hash))
        return tm_error_nomem(w->err);
    hash = mix_id(hash, &id);
    if (local)
        hash = mix_number(hash, (uint64_t)w->event.pid);
    w->event.kind = w->phase == 'S' ? TM_KIND_SLICE_BEGIN : w->phase == 'F' ? TM_KIND_SLICE_END : TM_KIND_ASYNC_STEP;
    return put_identity(w, hash, local, &id);
}

enum tm_status tm_json_flow(struct tm_json_row_builder *w)
{
    const struct tm_json_value *bp = tm_json_event_of(w->json, TM_JF_BP, TM_JSON_STRING);
    struct tm_json_id id;
    uint64_t hash = SEED_FLOW;
    if (!tm_json_id_of(tm_json_event_get(w->json, TM_JF_ID), &w->rows->id, &id))
        return TM_END;
    if (!mix_string(w, TM_JF_CAT, &hash) || !mix_string(w, TM_JF_NAME, &hash))
        return tm_error_nomem(w->err);
    w->event.track = mix_number(hash, tm_json_id_flow(&id));
    w->event.kind = w->phase == 's' ? TM_KIND_FLOW_START : w->phase == 't' ? TM_KIND_FLOW_STEP : TM_KIND_FLOW_END;
    w->event.flags |= TM_EVENT_HAS_TRACK | TM_EVENT_HAS_PID | TM_EVENT_HAS_TID | tm_event_scope_flags(TM_SCOPE_THREAD);
    if (w->phase == 'f' && (bp == NULL || !tm_json_is(bp, "e"))) {
        w->event.value = TM_FLOW_BINDS_NEXT;
        w->event.flags |= TM_EVENT_HAS_VALUE;
    }
    return put_id(w, &id);
}

static bool is_true(struct tm_json_row_builder *w, enum tm_json_field field)
{
    return tm_json_event_of(w->json, field, TM_JSON_TRUE) != NULL;
}

enum tm_status tm_json_bind(struct tm_json_row_builder *w)
{
    struct tm_json_id id;
    bool in = is_true(w, TM_JF_FLOW_IN), out = is_true(w, TM_JF_FLOW_OUT);
    if (!tm_json_id_of(tm_json_event_get(w->json, TM_JF_BIND_ID), &w->rows->id, &id))
        return TM_OK;
    if (!in && !out) {
        w->rows->flows_without_direction++;
        return TM_OK;
    }
    uint32_t field = !in ? TM_DETAIL_BIND_OUT : out ? TM_DETAIL_BIND_STEP : TM_DETAIL_BIND_IN;
    return tm_pb_put_i64(&w->rows->detail, field, tm_json_id_flow(&id)) == TM_OK ? TM_OK : tm_error_nomem(w->err);
}
