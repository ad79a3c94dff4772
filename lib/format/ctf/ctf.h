/* Traces in the Common Trace Format 1.8, such as those of LTTng: a folder with a file "metadata" and one file for each
 * stream. libbabeltrace2 reads them in a child process. The file "metadata" represents the trace; streams and their
 * indices count as files without events. Sources: diamon.org/ctf, lttng.org/docs. */
#ifndef TM_FORMAT_CTF_CTF_H
#define TM_FORMAT_CTF_CTF_H

#include "format/format.h"

enum { TM_CTF_NAMED_MAX = 1 << 20 }; /* threads of a trace with names; further ones have none */

extern const struct tm_format tm_format_ctf, tm_format_ctf_stream;

#endif
