/* Argument sets: the args of a slice, counter or track as rows of the args table. If an equal set was stored recently,
 * it is used again. The number of sets remembered for this is bounded. Two sets are equal if their bytes have the same
 * 64-bit hash under the secret of the process (base/secret.h): to keep and compare their bytes takes longer, because
 * those of the remembered sets are in no cache. n different sets have two of one hash with a chance below
 * n^2 / 2^65. */
#ifndef TM_MODEL_ARG_SETS_H
#define TM_MODEL_ARG_SETS_H

#include "base/buf.h"
#include "base/hash.h"
#include "base/pb.h"
#include "model/kept_args.h"
#include "model/rows.h"

enum { TM_ARG_SETS_CACHE = 1 << 14 };

/* Zero-initialise, then set ROWS. */
struct tm_arg_sets {
    const struct tm_rows *rows; /* receives the args */
    bool repeats; /* every set is written right before each row that has it, for receivers that keep no sets */
    /* private */
    int64_t next_id; /* of the next row; a set is numbered by the id of its first row */
    struct tm_arg_sets_seen *seen; /* NULL until the first set */
    uint64_t secret;               /* set with SEEN */
    struct tm_arg_sets_recalled *recalled; /* NULL until the first one */
    struct tm_buf joined; /* args of a detail that has other fields between them */
    struct tm_buf both;   /* args of two sets */
    struct tm_kept_args kept;
};

/* Reads the next arg of PB, the args that a receiver gets, into ROW. False: there is none. */
bool tm_arg_next(struct tm_pb *pb, struct tm_arg_row *row);

/* The args of a Detail message, which is borrowed, without its other fields. Set DETAIL, then add each field of it that
 * is an arg. */
struct tm_found_args {
    struct tm_text detail;
    /* private */
    const uint8_t *data, *end; /* from the first to the last arg; NULL: there is none */
    bool is_split;             /* other fields are between them */
    int64_t count;
    uint64_t hash; /* the same in every run: it decides which sets are remembered, and so which ids an output has */
};

/* Adds F, a field of ARGS->detail that is an arg. Fields are added in their order. */
static inline void tm_found_args_add(struct tm_found_args *args, const struct tm_pb_field *f)
{
    if (args->end == NULL)
        args->data = f->start;
    else
        args->is_split |= f->start != args->end;
    args->hash = tm_hash64_seed(f->data ? f->data : (const uint8_t *)"", f->len, args->hash + 1) | 1;
    args->end = f->end;
    args->count++;
}

/* True if F, a field of a Detail message, is an arg. */
static inline bool tm_found_args_is_arg(const struct tm_pb_field *f)
{
    return f->id == TM_DETAIL_ARGS && f->type == TM_PB_LEN;
}

/* Loads what the functions below read for ARGS. That takes as long as reading several events. */
void tm_arg_sets_prefetch(const struct tm_arg_sets *sets, const struct tm_found_args *args);

/* *SET becomes the set with ARGS, or TM_NO_ID if there are none. TM_OK or an error. */
enum tm_status tm_arg_sets_add_found(struct tm_arg_sets *sets, const struct tm_found_args *args, int64_t *set,
                                     struct tm_error *err);

/* *SET becomes the set with the args of DETAIL (a Detail message), or TM_NO_ID if there are none. Damaged bytes end the
 * set early. TM_OK or an error. */
enum tm_status tm_arg_sets_add(struct tm_arg_sets *sets, const uint8_t *detail, size_t len, int64_t *set,
                               struct tm_error *err);

/* *SET becomes the set with ARGS, or TM_NO_ID if there are none, for a caller that may join others to it later. Its
 * args are kept for a while, so that tm_arg_sets_join is then cheap. TM_OK or an error. */
enum tm_status tm_arg_sets_open(struct tm_arg_sets *sets, const struct tm_found_args *args, int64_t *set,
                                struct tm_error *err);

/* What args are made of, for tm_arg_sets_recall: the numbers and the two texts must decide all args and NOTE. A number
 * that stands for a text is read faster than the text. */
struct tm_arg_sets_source {
    uint64_t numbers[8];
    struct tm_text texts[2];
};

/* What is remembered of a source besides its set. */
struct tm_arg_sets_note {
    uint64_t key; /* of the source; 0: the set is not to be remembered */
    int64_t note; /* a number of the caller */
};

/* Finds the set that the args of SOURCE had, without making them. True: *SET is the set that tm_arg_sets_add would
 * find, and NOTE->note what was noted with it. False: the caller makes the args, sets NOTE->note and calls
 * tm_arg_sets_add_noted. Sources are compared by a hash as sets are. */
bool tm_arg_sets_recall(const struct tm_arg_sets *sets, const struct tm_arg_sets_source *source,
                        struct tm_arg_sets_note *note, int64_t *set);

/* Does the work of tm_arg_sets_add, and remembers the set and NOTE for the source that tm_arg_sets_recall did not
 * find. TM_OK or an error. */
enum tm_status tm_arg_sets_add_noted(struct tm_arg_sets *sets, struct tm_text detail,
                                     const struct tm_arg_sets_note *note, int64_t *set, struct tm_error *err);

/* *SET becomes a set with the args of set *SET (may be TM_NO_ID) followed by those of DETAIL. TM_OK or an error. */
enum tm_status tm_arg_sets_join(struct tm_arg_sets *sets, const uint8_t *detail, size_t len, int64_t *set,
                                struct tm_error *err);

/* *SET becomes a set with the args of set *SET (may be TM_NO_ID) followed by ARGS. TM_OK or an error. */
enum tm_status tm_arg_sets_join_found(struct tm_arg_sets *sets, const struct tm_found_args *args, int64_t *set,
                                      struct tm_error *err);

void tm_arg_sets_release(struct tm_arg_sets *sets);

#endif
