/* The work of tm-clocks: puts the stream of tm-manifest on one timeline.
 *
 * It reads the stream once, front to back. It keeps the clocks, machines and snapshots met so far, the scopes of the
 * files in their turn, and on disk the events that are pending until the end of their file. */
#ifndef TM_CLOCKS_TIMELINE_H
#define TM_CLOCKS_TIMELINE_H

#include "base/buf.h"

#include <stdbool.h>

struct tm_timeline_options {
    bool strict;           /* fail with TM_E_STRICT, without END, if any event was dropped */
    bool hints;            /* use ClockHint frames if nothing else relates a file */
    struct tm_buf *hint_manifest; /* receives the hints that were used, as a manifest; NULL: not wanted */
    bool check_relations;  /* a relation of the manifest without effect is TM_E_INPUT instead of a warning */
    void (*warn)(const char *text); /* receives warnings; NULL: there are none */
    bool keep_dropped;     /* write Dropped frames */
    bool interpolate;      /* between snapshots a line places events, instead of the earlier snapshot */
    bool graph;            /* write the clock graph for Graphviz instead of a stream */
    const char *temporary_dir; /* NULL: $TMPDIR */
};

/* Reads a stream from IN and writes it to OUT. The caller closes both. A stream that is already on a timeline is passed
 * on unchanged. TM_OK, TM_E_INPUT, TM_E_STRICT or TM_E_SYSTEM. TM_E_SYSTEM is also returned if the accounts of a file
 * do not balance, which is a bug. */
enum tm_status tm_timeline_run(int in, int out, const struct tm_timeline_options *options, struct tm_error *err);

#endif
