/* Fuchsia trace format (.fxt): records of 64-bit words by several providers. Each provider has its own tables of
 * strings and threads. Source: fuchsia.dev/fuchsia-src/reference/tracing/trace-format. */
#ifndef TM_FORMAT_FUCHSIA_FUCHSIA_H
#define TM_FORMAT_FUCHSIA_FUCHSIA_H

#include "format/format.h"

extern const struct tm_format tm_format_fxt;

#endif
