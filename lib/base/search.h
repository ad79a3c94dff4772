/* Binary search by a number in rows that are sorted by it. */
#ifndef TM_BASE_SEARCH_H
#define TM_BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>

/* Where rows have the number. */
struct tm_search_field {
    size_t row_bytes, offset;
};

#define TM_SEARCH_FIELD(row, member) ((struct tm_search_field){sizeof(row), offsetof(row, member)})

/* Numbers are compared as unsigned after they were xored with FLIP, so the highest bit makes them signed. */
static inline uint32_t tm_search_flipped(const void *rows, uint32_t count, struct tm_search_field field, uint64_t value,
                                         uint64_t flip)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const void *number = (const uint8_t *)rows + middle * field.row_bytes + field.offset;
        if ((*(const uint64_t *)number ^ flip) < (value ^ flip))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Return the index of the first of COUNT rows whose number is not less than VALUE; COUNT if there is none. */
static inline uint32_t tm_search_u64(const void *rows, uint32_t count, struct tm_search_field field, uint64_t value)
{
    return tm_search_flipped(rows, count, field, value, 0);
}

static inline uint32_t tm_search_i64(const void *rows, uint32_t count, struct tm_search_field field, int64_t value)
{
    return tm_search_flipped(rows, count, field, (uint64_t)value, UINT64_C(1) << 63);
}

/* Returns what tm_search_u64 does, for a number of 32 bits. */
static inline uint32_t tm_search_u32(const void *rows, uint32_t count, struct tm_search_field field, uint32_t value)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const void *number = (const uint8_t *)rows + middle * field.row_bytes + field.offset;
        if (*(const uint32_t *)number < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Return the index of the first of COUNT rows whose number is greater than VALUE; COUNT if there is none. */
static inline uint32_t tm_search_u64_after(const void *rows, uint32_t count, struct tm_search_field field,
                                           uint64_t value)
{
    return value == UINT64_MAX ? count : tm_search_u64(rows, count, field, value + 1);
}

static inline uint32_t tm_search_i64_after(const void *rows, uint32_t count, struct tm_search_field field,
                                           int64_t value)
{
    return value == INT64_MAX ? count : tm_search_i64(rows, count, field, value + 1);
}

#endif
