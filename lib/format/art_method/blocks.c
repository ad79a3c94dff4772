/* Versions 4 and 5: blocks of the records of a thread, as differences, with facts between the blocks. */
#include "format/art_method/internal.h"

#include "base/checked.h"
#include "base/time_units.h"

enum { VERSION_SINGLE = 4, VERSION_DUAL = 5, STREAMING_VERSION = 0xf0 };
enum { BLOCK_THREAD, BLOCK_METHOD, BLOCK_RECORDS, BLOCK_SUMMARY };
enum { RECORD_NUMBERS = 3 }; /* LEB128 numbers of a record, each as long as a varint at most */

enum tm_status tm_art_blocks_open(struct tm_art *a, struct tm_error *err)
{
    enum tm_status st = tm_input_fill(&a->in, TM_ART_HEADER_BYTES, err);
    if (st == TM_END)
        return tm_error_at(err, a->in.offset + a->in.len, "cut short within the header of a method trace");
    if (st < 0)
        return st;
    const uint8_t *head = a->in.data;
    a->version = tm_get_le16(head + 4) & ~(unsigned)STREAMING_VERSION;
    if (a->version != VERSION_SINGLE && a->version != VERSION_DUAL)
        return tm_error_at(err, a->in.offset + 4, "a method trace of version %u, which is not known", a->version);
    a->start = tm_get_le64(head + 6);
    a->frequency = tm_get_le64(head + 22);
    a->has_layout = a->frequency > 0;
    tm_input_skip(&a->in, TM_ART_HEADER_BYTES);
    return TM_OK;
}

/* Reads an unsigned LEB128 number at *P, before END, and moves *P after it. False: it is cut short, or too long. */
static bool read_unsigned(const uint8_t **p, const uint8_t *end, uint64_t *value)
{
    const uint8_t *after = tm_varint_get(*p, end, value);
    *p = after ? after : *p;
    return after != NULL;
}

/* Reads a signed one as read_unsigned does: bit 6 of its last byte is the sign. */
static bool read_signed(const uint8_t **p, const uint8_t *end, uint64_t *value)
{
    const uint8_t *start = *p;
    if (!read_unsigned(p, end, value))
        return false;
    const size_t bits = (size_t)(*p - start) * 7;
    if (bits < 64 && (*p)[-1] & 0x40)
        *value |= ~UINT64_C(0) << bits;
    return true;
}

/* Sets *TIME_NS to the time of TICKS. False: it does not fit. */
static bool time_of(const struct tm_art *a, uint64_t ticks, int64_t *time_ns)
{
    const uint64_t hz = a->frequency;
    uint64_t ns = ticks;
    if (hz > 0) {
        if (ticks / hz > INT64_MAX / TM_NS_PER_S - 1 || hz > UINT64_MAX / TM_NS_PER_S)
            return false;
        ns = ticks / hz * TM_NS_PER_S + ticks % hz * TM_NS_PER_S / hz;
    }
    return a->start <= INT64_MAX && ns <= INT64_MAX && tm_add_i64((int64_t)a->start, (int64_t)ns, time_ns);
}

/* Reads what follows the time of the record at *P, before END, to CALL: the thread's time, and the method if it is an
 * entry. False: it is damaged. */
static bool read_after_time(struct tm_art *a, const uint8_t **p, const uint8_t *end, struct tm_art_call *call)
{
    struct tm_art_block *b = &a->block;
    uint64_t difference, unread;
    call->has_time = time_of(a, b->encoded >> 2, &call->time_ns);
    if (a->version == VERSION_DUAL && !read_signed(p, end, &unread))
        return false;
    if (call->action != TM_ART_ENTER)
        return true;
    if (!read_signed(p, end, &difference))
        return false;
    call->method = b->method += difference;
    return true;
}

/* Reads what follows the method of a record, as read_after_time does: its time, and the thread's time. */
static bool read_after_method(struct tm_art *a, const uint8_t **p, const uint8_t *end, struct tm_art_call *call)
{
    struct tm_art_block *b = &a->block;
    uint64_t difference, unread;
    call->method = b->encoded & ~UINT64_C(3);
    if (!read_unsigned(p, end, &difference))
        return false;
    b->time += difference;
    call->has_time = a->facts.clock != TM_ART_CLOCK_CPU && time_of(a, b->time, &call->time_ns);
    return a->version != VERSION_DUAL || read_unsigned(p, end, &unread);
}

/* Reads the record at *P, before END, to CALL, and moves *P after it. False: it is damaged. */
static bool read_record(struct tm_art *a, const uint8_t **p, const uint8_t *end, struct tm_art_call *call)
{
    uint64_t difference;
    if (!read_signed(p, end, &difference))
        return false;
    a->block.encoded += difference;
    call->action = (enum tm_art_action)(a->block.encoded & 3);
    return (a->is_method_first ? read_after_method : read_after_time)(a, p, end, call);
}

/* Reads the next record of the open block. */
static enum tm_status next_record(struct tm_art *a, enum tm_art_part *part, struct tm_art_call *call,
                                  struct tm_error *err)
{
    struct tm_art_block *b = &a->block;
    struct tm_input *in = &a->in;
    enum tm_status st = tm_input_fill(in, RECORD_NUMBERS * TM_VARINT_MAX, err);
    if (st < 0)
        return st;
    const size_t most = in->len < b->bytes_left ? in->len : (size_t)b->bytes_left;
    const uint8_t *p = in->data;
    *call = (struct tm_art_call){.byte = in->offset, .thread = b->thread};
    if (!read_record(a, &p, in->data + most, call)) {
        if (st == TM_END && in->len < b->bytes_left)
            return tm_error_at(err, in->offset, "cut short within a block of records");
        b->records_left = 0;
        *part = TM_ART_PART_DAMAGED;
        return TM_OK;
    }
    b->records_left--;
    b->bytes_left -= (uint64_t)(p - in->data);
    tm_input_skip(in, (size_t)(p - in->data));
    *part = TM_ART_PART_CALL;
    return TM_OK;
}

/* Skips what is left of the open block. */
static enum tm_status end_block(struct tm_art *a, struct tm_error *err)
{
    enum tm_status st = tm_input_advance(&a->in, a->block.bytes_left, err);
    a->block.bytes_left = 0;
    return st == TM_END ? tm_error_at(err, a->in.offset, "cut short within a block of records") : st;
}

/* Reads a fact of KIND whose number has ID_BYTES. */
static enum tm_status next_fact(struct tm_art *a, uint8_t kind, size_t id_bytes, bool wants_facts, struct tm_error *err)
{
    struct tm_input *in = &a->in;
    const size_t head = 1 + id_bytes + 2;
    const uint64_t byte = in->offset;
    struct tm_text text = {0};
    enum tm_status st = tm_input_fill(in, head, err);
    if (st == TM_OK) {
        text.len = tm_get_le16(in->data + head - 2);
        st = tm_input_fill(in, head + text.len, err);
    }
    if (st != TM_OK)
        return st < 0 ? st : tm_error_at(err, byte, "cut short within a fact");
    const size_t len = text.len;
    text.data = in->data + head;
    if (text.len > 0 && text.data[text.len - 1] == '\n')
        text.len--;
    if (wants_facts)
        st = kind == BLOCK_METHOD ? tm_art_facts_method(&a->facts, tm_get_le64(in->data + 1), text, err)
                                  : tm_art_facts_thread(&a->facts, tm_get_le32(in->data + 1), text, err);
    tm_input_skip(in, head + len);
    return st;
}

/* Finds out how the records of the block at the front of IN are encoded, if the header does not show it. Without a
 * frequency it may be either way. Where the method comes first, every record has as many numbers as an entry; otherwise
 * an exit has one less. */
static enum tm_status find_layout(struct tm_art *a, struct tm_error *err)
{
    enum { LOOK_MAX = 1 << 20 };
    const struct tm_art_block *b = &a->block;
    enum tm_status st = tm_input_fill(&a->in, b->bytes_left < LOOK_MAX ? (size_t)b->bytes_left : LOOK_MAX, err);
    const size_t len = a->in.len < b->bytes_left ? a->in.len : (size_t)b->bytes_left;
    uint64_t numbers = 0;
    if (st < 0 || len < b->bytes_left)
        return st < 0 ? st : TM_OK;
    for (size_t i = 0; i < len; i++)
        numbers += !(a->in.data[i] & 0x80);
    a->has_layout = true;
    a->is_method_first = numbers == (uint64_t)b->records_left * (a->version == VERSION_DUAL ? 3 : 2);
    return TM_OK;
}

/* Opens a block of records. */
static enum tm_status open_block(struct tm_art *a, struct tm_error *err)
{
    enum { HEAD = 12 };
    enum tm_status st = tm_input_fill(&a->in, HEAD, err);
    if (st != TM_OK)
        return st < 0 ? st : tm_error_at(err, a->in.offset, "cut short within the head of a block");
    const uint8_t *p = a->in.data + 1;
    a->block = (struct tm_art_block){.thread = tm_get_le32(p),
                                     .records_left = tm_get_le32(p + 4) & 0xffffff,
                                     .bytes_left = tm_get_le32(p + 7)};
    tm_input_skip(&a->in, HEAD);
    return a->has_layout || a->block.records_left == 0 ? TM_OK : find_layout(a, err);
}

/* Reads the text at the end. Lines that state nothing known are passed over. */
static enum tm_status read_summary(struct tm_art *a, bool wants_facts, struct tm_error *err)
{
    struct tm_text line;
    enum tm_status st;
    tm_input_skip(&a->in, 1);
    a->facts.section = TM_ART_SECTION_OPTIONS;
    while ((st = tm_art_line(&a->in, &line, err)) == TM_OK) {
        struct tm_error unknown = {0};
        if (tm_text_is(line, "*end")) {
            a->has_summary = true;
            return TM_OK;
        }
        if (wants_facts && line.len > 0 && tm_art_facts_line(&a->facts, line, &unknown) == TM_E_SYSTEM) {
            *err = unknown;
            return TM_E_SYSTEM;
        }
    }
    return st == TM_END ? tm_error_at(err, a->in.offset, "cut short within the text at the end") : st;
}

/* Reads the head of the next block, or the fact there. What is left of the block before it is skipped. */
static enum tm_status next_block(struct tm_art *a, bool wants_facts, struct tm_error *err)
{
    struct tm_input *in = &a->in;
    enum tm_status st = a->block.bytes_left ? end_block(a, err) : TM_OK;
    if (st == TM_OK)
        st = tm_input_fill(in, 1, err);
    if (st < 0)
        return st;
    if (st == TM_END)
        return a->has_summary ? TM_END
                              : tm_error_at(err, in->offset, "cut short, without the text at the end");
    if (a->has_summary)
        return tm_error_at(err, in->offset, "bytes after the end of a method trace");
    switch (in->data[0]) {
    case BLOCK_THREAD: return next_fact(a, BLOCK_THREAD, 4, wants_facts, err);
    case BLOCK_METHOD: return next_fact(a, BLOCK_METHOD, 8, wants_facts, err);
    case BLOCK_RECORDS: return open_block(a, err);
    case BLOCK_SUMMARY: return read_summary(a, wants_facts, err);
    default: return tm_error_at(err, in->offset, "a block of kind %u, which is not known", (unsigned)in->data[0]);
    }
}

enum tm_status tm_art_blocks_next(struct tm_art *a, bool wants_facts, enum tm_art_part *part,
                                  struct tm_art_call *call, struct tm_error *err)
{
    if (!wants_facts && a->block.records_left > 0)
        return next_record(a, part, call, err);
    *part = TM_ART_PART_FACT;
    return next_block(a, wants_facts, err);
}
