/* The state of a parser of method traces, which its parts share. */
#ifndef TM_FORMAT_ART_METHOD_INTERNAL_H
#define TM_FORMAT_ART_METHOD_INTERNAL_H

#include "base/bytes.h"
#include "format/art_method/art_method.h"
#include "format/art_method/facts.h"

enum { TM_ART_HEADER_BYTES = 32 }; /* of the header of the records */

/* What a record says. */
enum tm_art_action { TM_ART_ENTER = 0, TM_ART_EXIT = 1, TM_ART_UNROLL = 2, TM_ART_NO_ACTION = 3 };

/* A record. */
struct tm_art_call {
    uint64_t byte; /* where it begins */
    uint32_t thread; /* its number */
    uint64_t method;
    enum tm_art_action action;
    int64_t time_ns; /* on MONOTONIC */
    bool has_time;   /* the time fits */
};

/* A block of a thread's records in versions 4 and 5. */
struct tm_art_block {
    uint32_t thread;
    uint32_t records_left;
    uint64_t bytes_left;
    uint64_t encoded, time, method; /* of the record before; encoded: what the action is encoded with */
};

struct tm_art {
    struct tm_format_context context;
    struct tm_input in;   /* over the whole file; read twice */
    struct tm_art_facts facts;
    bool is_streaming;    /* facts stand between the records (versions 1 to 3) */
    bool has_own_numbers; /* threads have other numbers than in the kernel */
    bool has_summary;     /* the text at the end was met */
    uint32_t version;     /* 1 to 5 */
    uint32_t record_bytes; /* versions 1 to 3 */
    uint64_t records_at;  /* where the records begin: behind their header */
    uint64_t start;       /* the time of the header: microseconds (versions 1 to 3) or nanoseconds */
    uint64_t frequency;   /* versions 4 and 5: ticks a second; 0: ticks are nanoseconds */
    /* versions 4 and 5: the method comes first in a record, as Android 15 writes them, not the time */
    bool is_method_first, has_layout;
    struct tm_art_block block;
    uint64_t undefined_count; /* entries of methods that no fact states */
    /* facts between records whose text is damaged: their number, where the first begins, and what is wrong with it */
    uint64_t damaged_facts, damaged_fact_at;
    struct tm_error fact_damage;
    struct tm_buf detail, message;
};

/* Sets *LINE to the line at the front of IN, without its newline, and removes it. The last line may have none. TM_OK,
 * TM_END at the end of the input, or an error. */
enum tm_status tm_art_line(struct tm_input *in, struct tm_text *line, struct tm_error *err);

/* Reads the lines of TEXT, which begins at BYTE of the file, to the facts. TM_OK or an error. */
enum tm_status tm_art_text(struct tm_art *a, struct tm_text text, uint64_t byte, struct tm_error *err);

/* Reports damage at BYTE, as --on-damage says: with halt the error CAUSE; else it is accounted, with SKIPPED bytes. */
enum tm_status tm_art_damage(struct tm_art *a, uint64_t byte, uint64_t skipped, const char *cause,
                             struct tm_error *err);

/* Adds CALL's rows, with those of its thread before the thread's first call. TM_OK or an error. */
enum tm_status tm_art_call(struct tm_art *a, const struct tm_art_call *call, struct tm_error *err);

/* Writes the statistics. TM_END or an error. */
enum tm_status tm_art_end(struct tm_art *a, struct tm_error *err);

/* Each reads the header, and the text in front of it, at the start of IN. TM_OK or an error. */
enum tm_status tm_art_records_open(struct tm_art *a, struct tm_error *err);
enum tm_status tm_art_blocks_open(struct tm_art *a, struct tm_error *err);

/* What the next part of a file is. DAMAGED: a record. DAMAGED_FACT: the first fact whose text is damaged. */
enum tm_art_part { TM_ART_PART_FACT, TM_ART_PART_CALL, TM_ART_PART_DAMAGED, TM_ART_PART_DAMAGED_FACT };

/* Each reads the next part from IN. With WANTS_FACTS a fact is added to the facts, or its damage is noted; otherwise a
 * record is read to *CALL. TM_OK with *PART set; TM_END: there is no more; or an error: IN cannot be read on from its
 * place. */
enum tm_status tm_art_records_next(struct tm_art *a, bool wants_facts, enum tm_art_part *part,
                                   struct tm_art_call *call, struct tm_error *err);
enum tm_status tm_art_blocks_next(struct tm_art *a, bool wants_facts, enum tm_art_part *part,
                                  struct tm_art_call *call, struct tm_error *err);

#endif
