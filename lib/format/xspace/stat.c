/* Stats of events: arguments and flows. Names with a meaning are those of xplane_schema of XLA. */
#include "format/xspace/internal.h"

#include "base/hash.h"
#include "stream/detail_arg.h"

enum {
    STAT_METADATA = 1,
    STAT_DOUBLE = 2,
    STAT_UINT = 3,
    STAT_INT = 4,
    STAT_TEXT = 5,
    STAT_BYTES = 6,
    STAT_REF = 7,
    STAT_COMPRESSED = 8
};
enum { SEED_FLOW = 0x7866, SEED_CORRELATION, SEED_CONTEXT };

struct stat {
    uint64_t metadata;
    struct tm_pb_field value; /* id 0: none */
};

/* An XFlow has two bits of direction, 56 bits of id and six bits of kind. Source: xplane_schema of XLA. */
static const uint64_t flow_id_bits = ((UINT64_C(1) << 56) - 1) << 2;

struct tm_text tm_xspace_name(struct tm_text metadata, uint32_t field)
{
    struct tm_pb pb = tm_pb_of(metadata.data, metadata.len);
    struct tm_pb_field f;
    struct tm_text name = {0};
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == field && f.type == TM_PB_LEN && f.len > 0)
            name = (struct tm_text){f.data, f.len};
    return name;
}

static struct stat read_stat(struct tm_text data)
{
    struct tm_pb pb = tm_pb_of(data.data, data.len);
    struct tm_pb_field f;
    struct stat stat = {0};
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == STAT_METADATA && f.type == TM_PB_VARINT)
            stat.metadata = f.value;
        else if (f.id >= STAT_DOUBLE && f.id <= STAT_COMPRESSED)
            stat.value = f;
    }
    return stat;
}

/* Notes the flow that the stat NAME states, if any. The stat becomes an argument, too. */
static void note_flow(struct tm_text name, const struct tm_pb_field *value, struct tm_xspace_flows *flows)
{
    const struct {
        const char *name;
        bool *has;
        uint64_t *value;
    } known[] = {{"flow", &flows->has_flow, &flows->flow},
                 {"correlation_id", &flows->has_correlation, &flows->correlation},
                 {"_p", &flows->has_producer, &flows->producer},
                 {"_c", &flows->has_consumer, &flows->consumer},
                 {"_pt", &flows->has_producer_type, &flows->producer_type},
                 {"_ct", &flows->has_consumer_type, &flows->consumer_type}};
    if (value->type != TM_PB_VARINT)
        return;
    if (tm_text_is(name, "_a"))
        flows->is_async = value->value != 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (tm_text_is(name, known[i].name)) {
            *known[i].has = true;
            *known[i].value = value->value;
        }
}

/* Adds the text that a reference points to as an argument. */
static enum tm_status put_reference(struct tm_xspace *x, uint64_t id)
{
    struct tm_text message, text = {0};
    enum tm_status st = tm_xspace_names_get(&x->stats, &x->uncounted, id, &message, x->err);
    if (st == TM_OK)
        text = tm_xspace_name(message, TM_XMETADATA_NAME);
    if (st < 0)
        return st;
    return tm_detail_arg_bytes(&x->detail, &x->key, TM_ARG_STRING, text.data, text.len);
}

enum tm_status tm_xspace_stat(struct tm_xspace *x, struct tm_text data, struct tm_xspace_flows *flows)
{
    struct stat stat = read_stat(data);
    const struct tm_pb_field *value = &stat.value;
    struct tm_text metadata;
    enum tm_status st = tm_xspace_names_get(&x->stats, &x->uncounted, stat.metadata, &metadata, x->err);
    if (st < 0)
        return st;
    struct tm_text name = st == TM_OK ? tm_xspace_name(metadata, TM_XMETADATA_NAME) : (struct tm_text){0};
    tm_buf_clear(&x->key);
    st = name.len ? tm_buf_add(&x->key, name.data, name.len)
                  : tm_buf_addf(&x->key, "stat %llu", (unsigned long long)stat.metadata);
    if (st < 0)
        return tm_error_nomem(x->err);
    note_flow(name, value, flows);
    if (value->id == STAT_DOUBLE && value->type == TM_PB_I64)
        st = tm_detail_arg_number(&x->detail, &x->key, TM_ARG_DOUBLE, value->value);
    else if (value->id == STAT_UINT && value->type == TM_PB_VARINT)
        st = tm_detail_arg_number(&x->detail, &x->key, TM_ARG_UINT, value->value);
    else if (value->id == STAT_INT && value->type == TM_PB_VARINT)
        st = tm_detail_arg_number(&x->detail, &x->key, TM_ARG_INT, value->value);
    else if (value->id == STAT_TEXT && value->type == TM_PB_LEN)
        st = tm_detail_arg_bytes(&x->detail, &x->key, TM_ARG_STRING, value->data, value->len);
    else if (value->id == STAT_REF && value->type == TM_PB_VARINT)
        st = put_reference(x, value->value);
    else
        x->unshown_stat_count++;
    return st == TM_OK || x->err->status < 0 ? st : tm_error_nomem(x->err);
}

static enum tm_status put_flow(struct tm_xspace *x, uint64_t id, uint64_t type, uint64_t seed)
{
    const uint64_t numbers[] = {id, type};
    return tm_pb_put_i64(&x->detail, TM_DETAIL_FLOW_IDS, tm_hash64_numbers(numbers, 2, seed)) == TM_OK
               ? TM_OK
               : tm_error_nomem(x->err);
}

enum tm_status tm_xspace_flows_put(struct tm_xspace *x, const struct tm_xspace_flows *flows)
{
    enum tm_status st = TM_OK;
    if (flows->has_flow) /* a flow that the writer of the profile made */
        return flows->is_async ? TM_OK : put_flow(x, flows->flow & flow_id_bits, flows->flow >> 58, SEED_FLOW);
    if (flows->has_correlation && flows->correlation != 0)
        st = put_flow(x, flows->correlation, 0, SEED_CORRELATION);
    if (st == TM_OK && flows->has_producer && flows->has_producer_type)
        st = put_flow(x, flows->producer, flows->producer_type, SEED_CONTEXT);
    if (st == TM_OK && flows->has_consumer && flows->has_consumer_type)
        st = put_flow(x, flows->consumer, flows->consumer_type, SEED_CONTEXT);
    return st;
}
