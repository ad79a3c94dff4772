/* Nanoseconds in larger units of time. */
#ifndef TM_BASE_TIME_UNITS_H
#define TM_BASE_TIME_UNITS_H

#include <stdint.h>

#define TM_NS_PER_US INT64_C(1000)
#define TM_NS_PER_MS INT64_C(1000000)
#define TM_NS_PER_S INT64_C(1000000000)

#endif
