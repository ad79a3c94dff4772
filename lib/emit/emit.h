/* What tm-emit asks of an output. An output is one file and one line in output_table.c. */
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
    bool absolute;         /* text: absolute times, not since the first event */
    bool json;             /* reports: for machines to read */
    bool hex;              /* frames: raw payloads too */
    bool rebase;           /* json: times count from the first event on */
    bool index;            /* sqlite: with indices by owner and time */
    bool join_flows;       /* equal flow ids of different files are one flow, and spans have flows (span_flows.h) */
    const char *out_path;  /* where the output will be named in the end; NULL for standard output */
    const char *spill_dir; /* NULL: $TMPDIR */
    struct tm_arg_names args; /* csv, jsonl: args with a column or member each; borrowed */
    struct tm_text alignment; /* report: what tm-align wrote, as text or as JSON; data NULL: nothing; borrowed */
};

/* Owned by tm-emit, valid from open to close. */
struct tm_emit_context {
    int fd;           /* written by the output; -1 when it asked for a path */
    const char *path; /* where an output that needs a file makes it; NULL otherwise */
    const struct tm_emit_options *options;
    const struct tm_catalog *catalog; /* already holds what the frame being shown says */
    const struct tm_clock_facts *clocks;   /* likewise */
    const struct tm_accounting *balance;   /* what was read, placed and dropped, up to the frame before */
    const struct tm_stream_reader *stream; /* stage, sorted, counts so far */
    struct tm_sources *sources; /* of text that is not in the stream; may be NULL */
    struct tm_unsupported_counts *unsupported; /* the output counts here what it has no form for; may be NULL */
    bool has_origin;   /* with --only, once an event has come: the first one, shown or not, is at … */
    int64_t origin_ns; /* … this time */
};

struct tm_emit {
    const char *name;             /* of -f */
    const char *const *suffixes;  /* of OUT that choose it, NULL-terminated; NULL for one that is another's EVENTS */
    bool is_binary;               /* not for a terminal */
    bool needs_path;              /* writes a file by name (SQLite), not a descriptor */
    const char *const *members;   /* OUT is a folder of these files, NULL-terminated (os/out_file.h); NULL: a file */
    bool needs_sorted;            /* a stream that is not sorted is refused */
    bool needs_placed;            /* events must be on trace time */
    const char *raw; /* the raw payloads it reads, as tm_raw_choice_parse knows them; NULL: none. tm-merge has
                      * tm-unpack leave out the others */
    bool needs_detail;            /* shows args, flows and the like; descriptions of tracks come anyway */
    bool needs_dropped;           /* shows which events tm-clocks dropped; tm-merge has it keep them */
    bool tells_all;               /* says itself what notices would */
    bool shows_stream;            /* shows the stream's own rows; nothing that depends on other rows is settled */
    bool takes_compact_messages;  /* rows may be whole CompactSched messages */
    bool has_args;                /* --arg gives args a column each */
    const struct tm_emit *events; /* the same with a row an event, also of a stream that is not sorted; NULL: none */
    bool reads_json_raw;          /* needs no args of rows that have the text of a JSON object */
    bool copies_packets;          /* needs no args of rows that have the packet of a track event */
    enum tm_status (*open)(const struct tm_emit_context *context, void **state, struct tm_error *err);
    /* Takes each frame of the stream except header and END, in order. BATCH is its view if it is a batch. The catalog
     * has the files of its events and, once events are placed, the machines. */
    enum tm_status (*frame)(void *state, const struct tm_frame *frame, const struct tm_batch *batch,
                            struct tm_error *err);
    /* Writes the rest and flushes, when the stream has ended well. It is not called after an error. */
    enum tm_status (*finish)(void *state, struct tm_error *err);
    void (*close)(void *state); /* STATE may be NULL */
};

extern const struct tm_emit *const tm_emits[]; /* NULL-terminated; the first is the default */

/* Finds an output by the name of -f or by the end of a path. NULL: there is none. */
const struct tm_emit *tm_emit_find(const char *name);
const struct tm_emit *tm_emit_for_path(const char *path);

/* Puts the endings of paths that choose an output (".txt, .jsonl, ...") into TEXT, cut if they do not fit. */
void tm_emit_endings(char *text, size_t size);

/* Returns the output that FORMAT names; if FORMAT is NULL, the one that the ending of OUT (may be NULL) chooses; else
 * the default. NULL: FORMAT is unknown, or OUT has an ending of no output. */
const struct tm_emit *tm_emit_choose(const char *format, const char *out);

#endif
