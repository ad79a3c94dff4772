#include "stream/detail_budget.h"

#include "base/pb.h"
#include "stream/detail_fields.h"

/* Returns TEXT, or the front of it that a detail may still have. */
static struct tm_text front_of(struct tm_text text)
{
    enum { CONTINUES_MASK = 0xc0, CONTINUES = 0x80 };
    size_t len = text.len < TM_DETAIL_SMALL ? text.len : TM_DETAIL_SMALL;
    if (len < text.len)
        while (len > 0 && ((uint8_t)text.data[len] & CONTINUES_MASK) == CONTINUES) /* no part of a character of UTF-8 */
            len--;
    return tm_text_at(text.data, len || text.len == 0 ? len : TM_DETAIL_SMALL);
}

struct tm_text tm_detail_budget_text(struct tm_detail_budget *budget, struct tm_text text)
{
    if (text.len <= TM_DETAIL_SMALL || !tm_detail_budget_is_used(budget))
        return text;
    budget->cut_count++;
    return front_of(text);
}

/* Copies the front of the text to which *STRING refers from EVENT's detail to SCRATCH. */
static enum tm_status keep_text(const struct tm_event *event, uint32_t *string, struct tm_buf *scratch)
{
    const uint8_t *end = event->detail + event->detail_bytes;
    uint64_t len = 0;
    if (!(*string & TM_STRING_INLINE))
        return TM_OK;
    const uint8_t *text = tm_varint_get(event->detail + (*string & ~TM_STRING_INLINE), end, &len);
    const struct tm_text front = front_of(tm_text_at(text, (size_t)len));
    *string = TM_STRING_INLINE | (uint32_t)(scratch->len + 1); /* after the one-byte tag */
    return tm_pb_put_bytes(scratch, TM_DETAIL_TEXT, front.data, front.len);
}

enum tm_status tm_detail_budget_event(struct tm_detail_budget *budget, struct tm_event *event, struct tm_buf *scratch)
{
    if (event->detail_bytes <= TM_DETAIL_SMALL)
        return TM_OK;
    if (!tm_detail_budget_is_used(budget) || event->flags & TM_EVENT_INNER_TIMES) {
        budget->bytes += event->detail_bytes;
        return TM_OK;
    }
    budget->cut_count++;
    tm_buf_clear(scratch);
    event->arg_keys = 0; /* no args are left */
    if (keep_text(event, &event->name, scratch) != TM_OK || keep_text(event, &event->category, scratch) != TM_OK)
        return TM_E_SYSTEM;
    event->detail = scratch->data;
    event->detail_bytes = (uint32_t)scratch->len;
    return TM_OK;
}
