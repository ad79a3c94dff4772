#include "os/page_cost.h"

enum {
    DECISION_BYTES = 4 << 20, /* a decision needs so many */
    LEAST_NS_PER_KIB = 40,    /* below that pages were there already */
    HIGH_NS_PER_KIB = 800     /* between the cost of small pages and that of pages from the host */
};

void tm_page_cost_add(struct tm_page_cost *cost, uint64_t bytes, uint64_t ns)
{
    if (ns < (bytes >> 10) * LEAST_NS_PER_KIB)
        return;
    cost->bytes += bytes;
    cost->ns += ns;
    if (cost->bytes < DECISION_BYTES)
        return;
    cost->is_high = cost->is_high || cost->ns / (cost->bytes >> 10) > HIGH_NS_PER_KIB;
    cost->bytes = cost->ns = 0;
}
