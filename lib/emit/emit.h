/* The interface of an output of tm-emit. An output is one file, its name in outputs.h, and its description in
 * output_table.c, which tm-merge has too. */
#ifndef TM_EMIT_EMIT_H
#define TM_EMIT_EMIT_H

#include "emit/accounting.h"
#include "emit/arg_names.h"
#include "emit/clock_facts.h"
#include "emit/sources.h"
#include "emit/unsupported_counts.h"
#include "model/catalog.h"
#include "stream/reader.h"

struct tm_emit_options {
    bool absolute;         /* text: absolute times instead of times since the first event */
    bool json;             /* reports: as JSON */
    bool hex;              /* frames: also raw payloads */
    bool rebase;           /* json: times count from the first event */
    bool append;           /* pftrace: a part of a timeline, which is read after the parts before it */
    bool index;            /* sqlite: make indices by owner and time */
    bool join_flows;       /* equal flow ids of different files are one flow, and spans get flows (span_flows.h) */
    unsigned jobs;         /* json: threads that format; 0: by the number of processors */
    const char *out_path;  /* the final name of the output; NULL: standard output */
    const char *temporary_dir; /* NULL: $TMPDIR */
    struct tm_arg_names args; /* csv, jsonl: args that get a column or member each; borrowed */
    struct tm_text alignment; /* report: result of tm-align as text or as JSON; data NULL: none; borrowed */
};

/* Owned by tm-emit, valid from open to close. */
struct tm_emit_context {
    int fd;           /* the output writes to it; -1 if it needs a path */
    const char *path; /* the file to write, for an output that needs one; otherwise NULL */
    const struct tm_emit_options *options;
    const struct tm_catalog *catalog; /* includes the facts of the current frame */
    const struct tm_clock_facts *clocks;   /* includes the facts of the current frame */
    const struct tm_accounting *accounting; /* events read, placed and dropped, up to the frame before */
    const struct tm_stream_reader *stream; /* stage, sorted, counts so far */
    struct tm_sources *sources; /* texts that are not in the stream; may be NULL */
    struct tm_unsupported_counts *unsupported; /* the output counts events here that it has no form for; may be NULL */
    bool has_origin;   /* with --only, after the first event: origin_ns is valid */
    int64_t origin_ns; /* the time of the first event, shown or not */
};

/* What an output is and needs. */
struct tm_emit {
    const char *name;             /* the name for -f */
    /* endings of OUT that choose it, NULL-terminated; NULL for an output that only serves as EVENTS of another */
    const char *const *suffixes;
    bool is_binary;               /* not written to a terminal */
    bool needs_path;              /* writes a file by name (SQLite), not a descriptor */
    const char *const *members;   /* OUT is a folder with these files, NULL-terminated (os/out_file.h); NULL: a file */
    bool needs_sorted;            /* refuses a stream that is not sorted */
    bool needs_placed;            /* events must be on trace time */
    /* the raw payloads that it reads, in the form of tm_raw_choice_parse; NULL: none. tm-merge makes tm-unpack leave
     * out the others */
    const char *raw;
    bool needs_detail;            /* shows args, flows and the like; descriptions of tracks are always in the stream */
    bool needs_dropped;           /* shows the events that tm-clocks dropped; tm-merge makes it keep them */
    bool reports_notices;         /* shows the facts of notices.h, so no warnings are needed */
    bool shows_stream;            /* shows the stream's own rows: nothing that depends on other rows is settled */
    bool tells_lifetimes;         /* shows threads that had one tid: the head of a line is before it (line_heads.h) */
    bool takes_compact_messages;  /* its rows may be whole CompactSched messages */
    bool shows_flows;             /* --join changes it */
    bool has_args;                /* --arg gives args columns of their own */
    const struct tm_emit *events; /* the output with one row for each event, also of an unsorted stream; NULL: none */
    bool reads_json_raw;          /* needs no args of rows with the text of a JSON object */
    bool copies_packets;          /* needs no args of rows with the packet of a track event */
};

/* What an output does. */
struct tm_emit_functions {
    enum tm_status (*open)(const struct tm_emit_context *context, void **state, struct tm_error *err);
    /* Takes each frame of the stream except header and END, in order. BATCH is its view if it is a batch. The catalog
     * has the files of its events and, once events are placed, the machines. */
    enum tm_status (*frame)(void *state, const struct tm_frame *frame, const struct tm_batch *batch,
                            struct tm_error *err);
    /* Writes the rest and flushes after the stream has ended well. Not called after an error. */
    enum tm_status (*finish)(void *state, struct tm_error *err);
    void (*close)(void *state); /* STATE may be NULL */
};

/* Returns the functions of EMIT, one of outputs.h; NULL for another. */
const struct tm_emit_functions *tm_emit_functions_of(const struct tm_emit *emit);

extern const struct tm_emit *const tm_emits[]; /* NULL-terminated; the first is the default */

/* Finds an output by the name of -f or by the end of a path. NULL: there is none. */
const struct tm_emit *tm_emit_find(const char *name);
const struct tm_emit *tm_emit_for_path(const char *path);

/* Puts the endings of paths that choose an output (".txt, .jsonl, ..., / (a folder)") into TEXT, cut if they do not
 * fit. */
void tm_emit_endings(char *text, size_t size);

/* Returns the output that FORMAT names; if FORMAT is NULL, the one that the ending of OUT (may be NULL) chooses; else
 * the default. NULL: FORMAT is unknown, or OUT has an ending of no output. */
const struct tm_emit *tm_emit_choose(const char *format, const char *out);

#endif
