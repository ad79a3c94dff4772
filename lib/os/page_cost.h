/* What fresh memory in large pages costs. Memory that the machine has is cleared in 0.1 to 0.2 ms a MB. A virtual
 * machine may have given its free memory back to its host (free page reporting in Linux). It gives back large pieces
 * only, so large pages are those that the host must provide again, which takes 2 to 5 ms a MB. Whether small pages cost
 * less depends on the machine, so that is measured. The kernel clears them in 0.3 to 0.6 ms a MB. But where the host
 * keeps page tables of its own for the machine, the first use of each page takes 10 us more, 2.5 ms a MB. The figures
 * are from doc/benchmarks.md, "Page faults". */
#ifndef TM_OS_PAGE_COST_H
#define TM_OS_PAGE_COST_H

#include <stdbool.h>
#include <stdint.h>

/* Zero-initialise. */
struct tm_page_cost {
    bool is_high; /* small pages cost less; it stays so */
    /* private */
    uint64_t bytes, ns; /* measured since the last decision */
    uint64_t small_ns_per_kib; /* 0: not measured yet */
};

/* Notes that large pages for BYTES took the processor NS nanoseconds. A time so short that the pages must have been
 * there already does not count. Once large pages take so long that small ones could take less, it calls MEASURE_SMALL,
 * which answers as tm_page_cost_of_small does. */
void tm_page_cost_add(struct tm_page_cost *cost, uint64_t bytes, uint64_t ns, uint64_t (*measure_small)(void));

/* Returns how many nanoseconds of the processor a KiB of fresh memory in small pages takes here, from its allocation to
 * its first use. It uses 256 KiB, which takes 0.1 to 1 ms. 0: there is no memory, or the system does not say. */
uint64_t tm_page_cost_of_small(void);

#endif
