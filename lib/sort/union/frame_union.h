/* Joins all frames except batches of several streams that are on one timeline. They are renumbered to be the frames
 * of one stream. */
#ifndef TM_SORT_UNION_FRAME_UNION_H
#define TM_SORT_UNION_FRAME_UNION_H

#include "sort/union/config_union.h"
#include "sort/file_order.h"
#include "sort/frame_file.h"
#include "sort/union/stream_ids.h"
#include "sort/union/string_union.h"
#include "stream/event_counts.h"

struct tm_frame_union {
    struct tm_machine_union machines;
    struct tm_string_union strings;
    const char *dir;             /* for temporary files */
    struct tm_file_order orders; /* by new file numbers */
    bool has_trace_time; /* of all streams, in new numbers; set by the caller */
    Tracemerge__TraceTime trace_time;
    /* private */
    struct tm_frame_file frames, file_configs;
    struct tm_config_union configs;
    struct tm_event_counts counts;
    bool has_counts; /* a stream has them */
    struct tm_intern metadata; /* drops metadata that several streams repeat */
    struct tm_buf scratch;
    const char *name; /* name of the current stream */
    bool has_root;    /* a file 0 contains the streams */
    uint64_t root_bytes;
    uint32_t file_count, order_end, generation_count, snapshot_end; /* so far */
};

/* Initialises ALL. With HAS_ROOT the files of all streams get a common outermost file of type directory, as files of
 * one command line have (tm-unpack(1)). The directories of streams that were merged before are left out, so a merge of
 * merges equals one merge. DIR is for temporary files. */
void tm_frame_union_init(struct tm_frame_union *all, bool has_root, const char *dir);

/* Begins the stream NAME. Sets the bases of IDS, which is all zeros. Both are borrowed. */
void tm_frame_union_begin(struct tm_frame_union *all, struct tm_stream_ids *ids, const char *name);

/* Adds the stream's next machine, as its last frame states it. Must be called for all machines before add. TM_OK;
 * TM_E_INPUT if there are too many; TM_E_SYSTEM. */
enum tm_status tm_frame_union_machine(struct tm_frame_union *all, struct tm_stream_ids *ids,
                                      const Tracemerge__Machine *machine, struct tm_error *err);

/* Adds the stream's next frame, which is no batch. Machine and TraceTime frames are ignored. TM_OK, TM_E_INPUT "byte
 * N: …", TM_E_SYSTEM. */
enum tm_status tm_frame_union_add(struct tm_frame_union *all, struct tm_stream_ids *ids,
                                  const struct tm_frame *frame, struct tm_error *err);

/* Ends the stream. */
void tm_frame_union_end(struct tm_frame_union *all, const struct tm_stream_ids *ids);

/* Writes the frames of all streams. May be called once. TM_OK, TM_E_SYSTEM, or the error of WRITER. */
enum tm_status tm_frame_union_write(struct tm_frame_union *all, struct tm_stream_writer *writer,
                                    struct tm_error *err);

void tm_frame_union_release(struct tm_frame_union *all);

#endif
