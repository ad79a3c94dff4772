/* Instruments traces as `xctrace export` writes them: XML with tables (nodes) of rows, in which an
 * element that was seen before is referred to by its id. Read are rows with a backtrace and a
 * sample time (time-profile, cpu-profile, counters-profile) and the os-signpost table, of which
 * dev.perfetto.clock_sync relates clocks. A document type declaration is refused, and with it entities.
 * Source: doc/events.md, Samples; doc/rules.md section 6. */
#ifndef TM_FORMAT_INSTRUMENTS_INSTRUMENTS_H
#define TM_FORMAT_INSTRUMENTS_INSTRUMENTS_H

#include "format/format.h"

/* A tag or a run of text longer than this, elements nested deeper and stacks of more frames are
 * damage; frames of one sample beyond STACK_BYTES are left out, outermost first. */
enum {
    TM_INSTRUMENTS_TAG_MAX = 16 << 20,
    TM_INSTRUMENTS_TEXT_MAX = 64 << 10,
    TM_INSTRUMENTS_DEPTH_MAX = 64,
    TM_INSTRUMENTS_FRAMES_MAX = 4096,
    TM_INSTRUMENTS_STACK_BYTES = 1 << 20
};

extern const struct tm_format tm_format_instruments;

#endif
