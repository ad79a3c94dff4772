/* What fresh memory in large pages costs. Memory that the machine has is cleared in 0.1 to 0.2 ms a MB. A virtual
 * machine may have given its free memory back to its host (free page reporting in Linux). It gives back large pieces
 * only, so large pages are those that the host must provide again, which takes 2 to 3 ms a MB. Small pages take 0.4 to
 * 0.6 ms a MB in both cases. The figures are from doc/benchmarks.md, "Page faults". */
#ifndef TM_OS_PAGE_COST_H
#define TM_OS_PAGE_COST_H

#include <stdbool.h>
#include <stdint.h>

/* Zero-initialise. */
struct tm_page_cost {
    bool is_high; /* small pages cost less; it stays so */
    /* private */
    uint64_t bytes, ns; /* measured since the last decision */
};

/* Notes that large pages for BYTES took the processor NS nanoseconds. A time so short that the pages must have been
 * there already does not count. */
void tm_page_cost_add(struct tm_page_cost *cost, uint64_t bytes, uint64_t ns);

#endif
