/* Profiles of JAX, TensorFlow and PyTorch/XLA (.xplane.pb). An XSpace message contains planes, which become processes.
 * Planes contain lines, which become threads. Lines contain events. Names come after the events that use them, so first
 * a plane's names are read, then its lines. Memory holds only the places of the names.
 *
 * Times are picoseconds. Begin and end of an event are each rounded down to nanoseconds. So events of a line that do
 * not cross in the profile do not cross after rounding. Source: xplane.proto of XLA; doc/formats.md, XSpace. */
#ifndef TM_FORMAT_XSPACE_XSPACE_H
#define TM_FORMAT_XSPACE_XSPACE_H

#include "format/format.h"

/* More planes, names of a plane or rows of metadata are an error. A name's text is read up to TM_XSPACE_TEXT_MAX. A
 * larger event is accounted as too_large. Stats state names and texts by number; those of an event are shown up to
 * TM_XSPACE_STATS_BYTES_FREE bytes, and 16 times the bytes of the event and its description more. */
enum {
    TM_XSPACE_PLANES_MAX = 1 << 16,
    TM_XSPACE_NAMES_MAX = 1 << 21,
    TM_XSPACE_TEXT_MAX = 1 << 20,
    TM_XSPACE_EVENT_MAX = 16 << 20,
    TM_XSPACE_STATS_BYTES_FREE = 1 << 20,
    TM_XSPACE_NOTES_MAX = 4096
};

extern const struct tm_format tm_format_xspace;

#endif
