/* Instruments traces as written by `xctrace export`: XML with tables (nodes) of rows. A repeated element is referred to
 * by its id. Events are made of rows with a backtrace and a sample time (time-profile, cpu-profile, counters-profile)
 * and of the os-signpost table. The signpost dev.perfetto.clock_sync relates clocks. A document type declaration is
 * refused, and entities with it. Source: doc/events.md, Samples; doc/rules.md section 6. */
#ifndef TM_FORMAT_INSTRUMENTS_INSTRUMENTS_H
#define TM_FORMAT_INSTRUMENTS_INSTRUMENTS_H

#include "format/format.h"

/* Longer tags and runs of text, and deeper elements, are damage. Frames of one sample beyond FRAMES_MAX or STACK_BYTES
 * are left out, outermost first. */
enum {
    TM_INSTRUMENTS_TAG_MAX = 16 << 20,
    TM_INSTRUMENTS_TEXT_MAX = 64 << 10,
    TM_INSTRUMENTS_DEPTH_MAX = 64,
    TM_INSTRUMENTS_FRAMES_MAX = 4096,
    TM_INSTRUMENTS_STACK_BYTES = 1 << 20
};

extern const struct tm_format tm_format_instruments;

#endif
