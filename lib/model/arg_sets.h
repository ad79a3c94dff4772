/* Argument sets: the args of a slice, counter or track as rows of the args table. If an equal set was stored recently,
 * it is used again. The number of sets remembered for this is bounded. Two sets are equal if their bytes have the same
 * 64-bit hash under the secret of the process (base/secret.h): to keep and compare their bytes takes longer, because
 * those of the remembered sets are in no cache. n different sets have two of one hash with a chance below
 * n^2 / 2^65. */
#ifndef TM_MODEL_ARG_SETS_H
#define TM_MODEL_ARG_SETS_H

#include "base/buf.h"
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
    uint32_t slot;                 /* in SEEN of the set that was added last */
    struct tm_arg_sets_recalled *recalled; /* NULL until the first one */
    struct tm_buf joined; /* args of a detail that has other fields between them */
    struct tm_buf both;   /* args of two sets */
    struct tm_kept_args kept;
};

/* Reads the next arg of PB, the args that a receiver gets, into ROW, without its ids. False: there is none. */
bool tm_arg_next(struct tm_pb *pb, struct tm_arg_row *row);

/* *SET becomes the set with the args of DETAIL (a Detail message), or TM_NO_ID if it has none. Damaged bytes end the
 * set early. TM_OK or an error. */
enum tm_status tm_arg_sets_add(struct tm_arg_sets *sets, const uint8_t *detail, size_t len, int64_t *set,
                               struct tm_error *err);

/* Like tm_arg_sets_add, for a set that tm_arg_sets_join may be called for. Its args are kept for a while, so that this
 * is then cheap. */
enum tm_status tm_arg_sets_open(struct tm_arg_sets *sets, const uint8_t *detail, size_t len, int64_t *set,
                                struct tm_error *err);

/* What args are made of, for tm_arg_sets_recall: the numbers and the two texts must decide all args and NOTE. A number
 * that stands for a text is read faster than the text. */
struct tm_arg_sets_source {
    uint64_t numbers[8];
    struct tm_text texts[2];
};

/* Finds the set that the args of SOURCE had, without making them. True: *SET is the set that tm_arg_sets_add would
 * find, and *NOTE what was noted with it. False: the caller makes the args, calls tm_arg_sets_add, and tm_arg_sets_note
 * with *KEY. Sources are compared by a hash as sets are. */
bool tm_arg_sets_recall(const struct tm_arg_sets *sets, const struct tm_arg_sets_source *source, uint64_t *key,
                        int64_t *set, int64_t *note);

/* Remembers SET, which was added last, and NOTE for the source with KEY. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_arg_sets_note(struct tm_arg_sets *sets, uint64_t key, int64_t set, int64_t note,
                                struct tm_error *err);

/* *SET becomes a set with the args of set *SET (may be TM_NO_ID) followed by those of DETAIL. TM_OK or an error. */
enum tm_status tm_arg_sets_join(struct tm_arg_sets *sets, const uint8_t *detail, size_t len, int64_t *set,
                                struct tm_error *err);

void tm_arg_sets_release(struct tm_arg_sets *sets);

#endif
