/* tm-clocks: a stream as tm-manifest wrote it, put on one timeline.
 *
 * Reads the stream once, front to back. Keeps the clocks, machines and snapshots met so far, the
 * scopes of the files whose turn it is, and on disk the events that wait for the end of theirs. */
#ifndef TM_CLOCKS_TIMELINE_H
#define TM_CLOCKS_TIMELINE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

struct tm_timeline_options {
    bool strict;           /* fail with TM_E_STRICT, without END, if any event was dropped */
    bool hints;            /* use ClockHint frames where nothing else relates a file */
    struct tm_buf *hint_manifest; /* receives the hints that were used, as a manifest; NULL: not wanted */
    bool check_relations;  /* a relation of the manifest without effect is TM_E_INPUT, and no longer a warning */
    void (*warn)(const char *text); /* told what is odd; NULL: nobody is */
    bool keep_dropped;     /* write Dropped frames */
    bool interpolate;      /* between snapshots a line places events, not the snapshot before */
    bool graph;            /* write the clock graph for Graphviz instead of a stream */
    const char *spill_dir; /* NULL: $TMPDIR */
};

/* Reads a stream from IN and writes it to OUT, both the caller's. A stream that is on a timeline
 * already is passed on as it is. TM_OK; TM_E_INPUT; TM_E_SYSTEM (also when the accounts of a file do
 * not balance, which is a bug); TM_E_STRICT. */
enum tm_status tm_timeline_run(int in, int out, const struct tm_timeline_options *options, struct tm_error *err);

#endif
