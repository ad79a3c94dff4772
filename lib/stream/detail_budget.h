/* A bound on the details of a file's rows. A file can name a long text or a deep stack many times, in a few bytes each,
 * and each row contains all of it. So details of more than TM_DETAIL_SMALL bytes may have TM_DETAILS_BYTES_FREE bytes
 * together, and TM_DETAILS_GROWTH_MAX times the bytes of the file that were read so far more. Bytes that a parser reads
 * again for a detail count too. Once a file has used that, its texts are cut to TM_DETAIL_SMALL bytes, and rows lose
 * the rest of a larger detail. These are counted. */
#ifndef TM_STREAM_DETAIL_BUDGET_H
#define TM_STREAM_DETAIL_BUDGET_H

#include "base/buf.h"
#include "base/text.h"
#include "stream/event.h"

enum { TM_DETAIL_SMALL = 4096, TM_DETAILS_BYTES_FREE = 64 << 20, TM_DETAILS_GROWTH_MAX = 512 };

/* Zero-initialise for each file. */
struct tm_detail_budget {
    const uint64_t *offset; /* of the next byte to be read of the file's input; borrowed; NULL: there is no bound */
    uint64_t start;         /* where the file begins in it */
    uint64_t bytes;         /* of the large details so far, and read again for them */
    uint64_t cut_count;     /* texts and details that were cut */
};

/* True if the file has used its budget. */
static inline bool tm_detail_budget_is_used(const struct tm_detail_budget *budget)
{
    return budget->bytes > TM_DETAILS_BYTES_FREE && budget->offset &&
           (budget->bytes - TM_DETAILS_BYTES_FREE) / TM_DETAILS_GROWTH_MAX > *budget->offset - budget->start;
}

/* Returns how many bytes the next detail may have, FREE or less, without those that are in proportion to its event. A
 * parser that asks makes no detail that is cut afterwards. */
static inline size_t tm_detail_budget_left(const struct tm_detail_budget *budget, size_t free)
{
    return free > TM_DETAIL_SMALL && tm_detail_budget_is_used(budget) ? TM_DETAIL_SMALL : free;
}

/* Counts BYTES that are read again for a detail. False: they are too many, and must not be read; the detail counts as
 * cut. */
static inline bool tm_detail_budget_reads(struct tm_detail_budget *budget, size_t bytes)
{
    bool fits = bytes <= TM_DETAIL_SMALL || !tm_detail_budget_is_used(budget);
    budget->bytes += fits && bytes > TM_DETAIL_SMALL ? bytes : 0;
    budget->cut_count += !fits;
    return fits;
}

/* Returns TEXT, or the front of it that a string may have once the budget is used. */
struct tm_text tm_detail_budget_text(struct tm_detail_budget *budget, struct tm_text text);

/* Counts the detail of EVENT. If the budget is used, leaves in it only the texts to which columns of EVENT refer, cut;
 * they are copied to SCRATCH. Details with times inside the raw payload stay. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_detail_budget_event(struct tm_detail_budget *budget, struct tm_event *event, struct tm_buf *scratch);

#endif
