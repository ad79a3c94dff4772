/* All frames but batches of several streams that were placed on one timeline, renumbered so that
 * they are the frames of one stream. */
#ifndef TM_SORT_UNION_FRAME_UNION_H
#define TM_SORT_UNION_FRAME_UNION_H

#include "sort/union/config_union.h"
#include "sort/file_order.h"
#include "sort/frame_file.h"
#include "sort/union/stream_ids.h"
#include "sort/union/string_union.h"

struct tm_frame_union {
    struct tm_machine_union machines;
    struct tm_string_union strings;
    const char *dir;             /* for temporary files */
    struct tm_file_order orders; /* of the new file numbers */
    bool has_trace_time; /* of all streams, in new numbers; set by the caller */
    Tracemerge__TraceTime trace_time;
    /* private */
    struct tm_frame_file frames, file_configs;
    struct tm_config_union configs;
    struct tm_intern metadata; /* to drop what several streams say of the whole */
    struct tm_buf scratch;
    const char *name; /* of the stream whose turn it is */
    bool has_root;    /* a file 0 encloses the streams */
    uint64_t root_bytes;
    uint32_t file_count, order_end, generation_count, snapshot_end; /* so far */
};

/* With HAS_ROOT the files of all streams get a common outermost of type directory, as files of one
 * command line have (tm-unpack(1)). DIR is for temporary files. */
void tm_frame_union_init(struct tm_frame_union *all, bool has_root, const char *dir);

/* A stream called NAME begins (both borrowed): sets the bases of IDS, which is all zeros. */
void tm_frame_union_begin(struct tm_frame_union *all, struct tm_stream_ids *ids, const char *name);

/* The stream's next machine, in the state its last frame leaves it in. To be called for all of them
 * before add. */
enum tm_status tm_frame_union_machine(struct tm_frame_union *all, struct tm_stream_ids *ids,
                                      const Tracemerge__Machine *machine, struct tm_error *err);

/* Its next frame, which is no batch; Machine and TraceTime frames are passed over. TM_OK, TM_E_INPUT
 * "byte N: …", TM_E_SYSTEM. */
enum tm_status tm_frame_union_add(struct tm_frame_union *all, struct tm_stream_ids *ids,
                                  const struct tm_frame *frame, struct tm_error *err);

/* No more frames of it. */
void tm_frame_union_end(struct tm_frame_union *all, const struct tm_stream_ids *ids);

/* Writes the frames of all streams. To be called once. */
enum tm_status tm_frame_union_write(struct tm_frame_union *all, struct tm_stream_writer *writer,
                                    struct tm_error *err);

void tm_frame_union_release(struct tm_frame_union *all);

#endif
