#include "model/unnested_begins.h"

#include "stream/detail_arg.h"

enum { BEGIN_COUNT, LAST_BEGIN };

static struct tm_key key_of(uint32_t track, int number)
{
    return (struct tm_key){track, (uint64_t)number, 0};
}

enum tm_status tm_unnested_begins_add(struct tm_unnested_begins *begins, uint32_t track, int64_t ts,
                                      struct tm_error *err)
{
    const struct tm_key count = key_of(track, BEGIN_COUNT), last = key_of(track, LAST_BEGIN);
    int64_t n = tm_table_find(&begins->numbers, &count);
    enum tm_status st = tm_table_set(&begins->numbers, &count, n == TM_TABLE_NONE ? 1 : n + 1, err);
    return st < 0 ? st : tm_table_set(&begins->numbers, &last, ts, err);
}

enum tm_status tm_unnested_begins_put(const struct tm_unnested_begins *begins, uint32_t track, struct tm_buf *args)
{
    const struct tm_key count = key_of(track, BEGIN_COUNT), last = key_of(track, LAST_BEGIN);
    int64_t n = tm_table_find(&begins->numbers, &count);
    if (n == TM_TABLE_NONE)
        return TM_END;
    enum tm_status st = tm_detail_arg_int(args, "legacy_unnestable_begin_count", n);
    return st < 0 ? st : tm_detail_arg_int(args, "legacy_unnestable_last_begin_ts",
                                           tm_table_find(&begins->numbers, &last));
}

void tm_unnested_begins_release(struct tm_unnested_begins *begins)
{
    tm_table_release(&begins->numbers);
}
