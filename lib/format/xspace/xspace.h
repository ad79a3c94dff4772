/* Profiles of JAX, TensorFlow and PyTorch/XLA (.xplane.pb): an XSpace message of planes, which are processes, of lines,
 * which are threads, of events. Names stand behind the events that use them, so a profile is read by place: a plane's
 * names first, then its lines. Of a profile only where the names are is in memory.
 *
 * Times are picoseconds. Begin and end of an event are rounded down to nanoseconds each, so that events of a line that
 * do not cross still do not. Source: xplane.proto of XLA; doc/formats.md, XSpace. */
#ifndef TM_FORMAT_XSPACE_XSPACE_H
#define TM_FORMAT_XSPACE_XSPACE_H

#include "format/format.h"

/* More planes, names of a plane or notes are an error; of a name's text past TM_XSPACE_TEXT_MAX is not read; a larger
 * event is accounted as too_large. */
enum {
    TM_XSPACE_PLANES_MAX = 1 << 16,
    TM_XSPACE_NAMES_MAX = 1 << 21,
    TM_XSPACE_TEXT_MAX = 1 << 20,
    TM_XSPACE_EVENT_MAX = 16 << 20,
    TM_XSPACE_NOTES_MAX = 4096
};

extern const struct tm_format tm_format_xspace;

#endif
