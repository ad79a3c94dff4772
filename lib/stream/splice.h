/* Copies the frames of one turn into the sink of the run. The turn's own sink has written them, with numbers of its
 * own. The copy gives each string, generation, file and turn the number that it has if the run's sink gets the events
 * itself. So the stream is the same (doc/parallel.md). */
#ifndef TM_STREAM_SPLICE_H
#define TM_STREAM_SPLICE_H

#include "stream/event_sink.h"

/* Zero-initialise with the first group set; it stays usable for further turns, each after begin. */
struct tm_splice {
    struct tm_event_sink *sink; /* the run's; borrowed */
    uint32_t files_max;         /* limit on the number of files */
    /* since begin */
    uint64_t frame_count;   /* frames copied, those of strings not counted */
    uint32_t file_count;    /* files of the stream so far; set by the caller before begin */
    uint32_t order;         /* turns begun in the stream so far; set by the caller before begin */
    bool is_full;           /* the run has no room for more strings; stays set */
    uint32_t files_from;    /* the number that the other sink gave to the first file it announced */
    /* private */
    uint32_t file_shift, order_from, generations_from;
    bool has_strings;       /* strings were added; they must be written before the next frame */
    bool is_same;           /* all strings so far have the same number as in the other sink */
    struct tm_buf strings;  /* the run's number of each of the other sink's strings, from 1 on */
    struct tm_buf columns[TM_COL_COUNT];
    struct tm_batch_store store;
};

/* Begins a turn. Its own files have the numbers FILES_FROM, FILES_FROM + 1, …; smaller ones are the run's. */
void tm_splice_begin(struct tm_splice *splice, uint32_t files_from);

/* Copies the frames in the LEN bytes at DATA. TM_OK. TM_END: the next frame cannot be copied, because it reaches a
 * limit of the run, or because another number was derived from a number that would change. The turn must then be
 * written into the run's sink itself. TM_E_SYSTEM. */
enum tm_status tm_splice_copy(struct tm_splice *splice, const uint8_t *data, size_t len, struct tm_error *err);

/* Adds the strings of OTHER, the sink of the turn, that it has not written yet. Results are those of tm_splice_copy. */
enum tm_status tm_splice_add_strings(struct tm_splice *splice, const struct tm_event_sink *other,
                                     struct tm_error *err);

/* Returns the run's number of the other sink's STRING, which has been added. */
uint32_t tm_splice_string(const struct tm_splice *splice, uint32_t string);

void tm_splice_release(struct tm_splice *splice);

#endif
