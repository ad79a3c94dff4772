/* Versions 1 to 3: records of one size, and facts in a text in front of them or between them. */
#include "format/art_method/internal.h"

enum { STREAMING_VERSION = 0xf0 }; /* the bits of the header's version that say so */
enum { FACT_METHOD = 1, FACT_THREAD, FACT_SUMMARY };
/* Records have a thread's number, a method's number with the action, and one time or, from DUAL_BYTES on, two. */
enum { DALVIK_BYTES = 9, SINGLE_BYTES = 10, DUAL_BYTES = 14 };

static const uint64_t start_us_max = INT64_MAX / 1000 - UINT32_MAX;

/* Reads the text in front of the records. */
static enum tm_status read_text(struct tm_art *a, struct tm_error *err)
{
    struct tm_text line;
    enum tm_status st = TM_OK;
    while (st == TM_OK && a->facts.section != TM_ART_SECTION_END) {
        const uint64_t byte = a->in.offset;
        if ((st = tm_art_line(&a->in, &line, err)) == TM_END)
            return tm_error_at(err, byte, "cut short within the text of a method trace");
        if (st == TM_OK && (st = tm_art_facts_line(&a->facts, line, err)) == TM_E_INPUT)
            tm_error_prefix(err, "byte %llu", (unsigned long long)byte);
    }
    return st;
}

/* Reads the header of the records, the first bytes of IN. */
static enum tm_status read_header(struct tm_art *a, struct tm_error *err)
{
    const uint8_t *head = a->in.data;
    const unsigned version = tm_get_le16(head + 4), stated = a->facts.version;
    a->is_streaming = stated == 0;
    a->version = a->is_streaming ? version ^ STREAMING_VERSION : version;
    if (memcmp(head, "SLOW", 4) != 0)
        return tm_error_at(err, a->in.offset, "no header of records (SLOW) in a method trace");
    if (!a->is_streaming && stated != a->version)
        return tm_error_at(err, a->in.offset + 4, "records of version %u in a method trace of version %u",
                           a->version, stated);
    if (a->version < 1 + (unsigned)a->is_streaming || a->version > 3)
        return tm_error_at(err, a->in.offset + 4, "a method trace of version %u, which is not known", a->version);
    a->start = tm_get_le64(head + 8);
    a->record_bytes = a->version == 1 ? DALVIK_BYTES : a->version == 2 ? SINGLE_BYTES : tm_get_le16(head + 16);
    if (a->version == 3 && a->record_bytes < DUAL_BYTES)
        return tm_error_at(err, a->in.offset + 16, "records of %u bytes, which cannot have two times", a->record_bytes);
    return TM_OK;
}

enum tm_status tm_art_records_open(struct tm_art *a, struct tm_error *err)
{
    enum tm_status st = tm_input_fill(&a->in, 4, err);
    if (st == TM_OK && a->in.data[0] == '*')
        st = read_text(a, err);
    if (st == TM_OK)
        st = tm_input_fill(&a->in, TM_ART_HEADER_BYTES, err);
    if (st == TM_END)
        return tm_error_at(err, a->in.offset + a->in.len, "cut short within the header of a method trace");
    if (st == TM_OK && (st = read_header(a, err)) == TM_OK)
        tm_input_skip(&a->in, TM_ART_HEADER_BYTES);
    return st;
}

/* Widens the window to a fact, whose head has HEAD_BYTES, the last LEN_BYTES of which are the length of its text. Sets
 * *TEXT to the text. TM_END: the input ends before that. */
static enum tm_status fact_text(struct tm_art *a, size_t head_bytes, size_t len_bytes, struct tm_text *text,
                                struct tm_error *err)
{
    enum tm_status st = tm_input_fill(&a->in, head_bytes, err);
    if (st != TM_OK)
        return st;
    const uint8_t *len = a->in.data + head_bytes - len_bytes;
    text->len = len_bytes == 2 ? tm_get_le16(len) : tm_get_le32(len);
    st = tm_input_fill(&a->in, head_bytes + text->len, err);
    text->data = a->in.data + head_bytes;
    return st;
}

/* Reads a method's line as a line of the text. */
static enum tm_status take_method(struct tm_art *a, struct tm_text text, uint64_t byte, struct tm_error *err)
{
    a->facts.section = TM_ART_SECTION_METHODS;
    return tm_art_text(a, text, byte, err);
}

/* Adds the fact CODE at the front of IN, whose TEXT is behind HEAD_BYTES. If the text is damaged, that is noted, and
 * the facts after it still count. */
static enum tm_status add_fact(struct tm_art *a, uint8_t code, struct tm_text text, size_t head_bytes,
                               struct tm_error *err)
{
    const uint64_t byte = a->in.offset;
    struct tm_error *damage = a->damaged_facts ? NULL : &a->fact_damage; /* the first */
    enum tm_status st = TM_OK;
    if (code == FACT_THREAD)
        st = tm_art_facts_thread(&a->facts, tm_get_le16(a->in.data + 3), text, damage);
    else if (code == FACT_METHOD)
        st = take_method(a, text, byte + head_bytes, damage);
    else
        st = tm_art_text(a, text, byte + head_bytes, damage);
    if (st == TM_E_SYSTEM)
        return tm_error_nomem(err);
    if (st == TM_E_INPUT && a->damaged_facts++ == 0)
        a->damaged_fact_at = byte;
    return TM_OK;
}

/* Reads a fact that stands between records. */
static enum tm_status next_fact(struct tm_art *a, bool wants_facts, enum tm_art_part *part, struct tm_error *err)
{
    struct tm_text text = {0};
    enum tm_status st = tm_input_fill(&a->in, 3, err);
    const uint64_t byte = a->in.offset;
    const uint8_t code = st == TM_OK ? a->in.data[2] : 0;
    const size_t head = code == FACT_METHOD ? 5 : 7;
    if (st == TM_OK && (code < FACT_METHOD || code > FACT_SUMMARY))
        return tm_error_at(err, byte, "a fact of kind %u, which is not known", (unsigned)code);
    if (st == TM_OK)
        st = fact_text(a, head, code == FACT_SUMMARY ? 4 : 2, &text, err);
    if (st == TM_END)
        return tm_error_at(err, byte, "cut short within a fact");
    if (st == TM_OK && wants_facts)
        st = add_fact(a, code, text, head, err);
    const bool is_damaged = !wants_facts && a->damaged_facts && byte == a->damaged_fact_at;
    *part = is_damaged ? TM_ART_PART_DAMAGED_FACT : TM_ART_PART_FACT;
    a->has_summary |= code == FACT_SUMMARY;
    if (st == TM_OK)
        tm_input_skip(&a->in, head + text.len);
    return st;
}

/* Reads the record at DATA. */
static void read_record(const struct tm_art *a, const uint8_t *data, struct tm_art_call *call)
{
    const uint8_t *p = data + (a->version == 1 ? 1 : 2);
    const uint32_t method = tm_get_le32(p), first = tm_get_le32(p + 4);
    const enum tm_art_clock clock = a->facts.clock;
    const bool has_two = a->version == 3 && clock != TM_ART_CLOCK_WALL && clock != TM_ART_CLOCK_CPU;
    call->thread = a->version == 1 ? data[0] : tm_get_le16(data);
    call->action = (enum tm_art_action)(method & 3);
    call->method = method & ~UINT32_C(3);
    call->has_time = clock != TM_ART_CLOCK_CPU && a->start <= start_us_max;
    call->time_ns = call->has_time ? (int64_t)(a->start + (has_two ? tm_get_le32(p + 8) : first)) * 1000 : 0;
}

enum tm_status tm_art_records_next(struct tm_art *a, bool wants_facts, enum tm_art_part *part,
                                   struct tm_art_call *call, struct tm_error *err)
{
    struct tm_input *in = &a->in;
    enum tm_status st = tm_input_fill(in, a->record_bytes, err);
    if (st < 0)
        return st;
    if (a->is_streaming && a->has_summary && in->len > 0)
        return tm_error_at(err, in->offset, "bytes after the end of a method trace");
    if (a->is_streaming && in->len >= 2 && tm_get_le16(in->data) == 0)
        return next_fact(a, wants_facts, part, err);
    if (in->len == 0 && a->is_streaming && !a->has_summary)
        return tm_error_at(err, in->offset, "cut short, without the text at the end");
    if (st == TM_END)
        return in->len == 0 ? TM_END : tm_error_at(err, in->offset, "cut short within a record");
    *part = TM_ART_PART_CALL;
    if (!wants_facts) {
        *call = (struct tm_art_call){.byte = in->offset};
        read_record(a, in->data, call);
    }
    tm_input_skip(in, a->record_bytes);
    return TM_OK;
}
