/* Names of clocks. */
#ifndef TM_STREAM_CLOCK_NAME_H
#define TM_STREAM_CLOCK_NAME_H

#include <stdint.h>

/* Returns "BOOTTIME", …; NULL for clock ids without a name. Source: Perfetto's builtin_clock.proto. */
const char *tm_name_of_clock(uint32_t clock);

#endif
