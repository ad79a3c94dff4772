/* Rows on tracks that their detail describes (perfetto/named_tracks.h). */
#ifndef TM_FORMAT_PERFETTO_NAMED_ROW_H
#define TM_FORMAT_PERFETTO_NAMED_ROW_H

#include "format/perfetto/internal.h"
#include "perfetto/named_tracks.h"

struct tm_proto_named_row {
    enum tm_named_track type;
    uint16_t second; /* with INSTANCE, distinguishes the slice or the track from others of the type */
    uint32_t instance;
    uint32_t gpu; /* on a track of a driver: the cpu that the event states */
    int64_t tid; /* the thread for which the GPU works; 0: not known */
    struct tm_text unit, description; /* of a counter; empty: not stated */
    struct tm_text source; /* of a counter: args of the source of its track, as in a Detail message; empty: none */
    bool has_name; /* the track has a name even if rows->key is empty */
};

/* Puts ROW on a track. The track's name is in rows->key (empty: none), its dimensions are in rows->text; both are
 * cleared. The detail of ROWS must be empty. ROW becomes asynchronous; the caller can change that. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_proto_named_row(struct tm_proto_rows *rows, const struct tm_proto_named_row *named,
                                  struct tm_event *row, struct tm_error *err);

/* Puts ROW on the track that is called TRACK and has no dimensions, as tm_proto_named_row. */
enum tm_status tm_proto_named_row_on(struct tm_proto_rows *rows, const struct tm_proto_named_row *named,
                                     const char *track, struct tm_event *row, struct tm_error *err);

/* Sets rows->text to the dimension KEY with VALUE, which is null without data. Uses rows->key. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_proto_named_dimension(struct tm_proto_rows *rows, const char *key, struct tm_text value,
                                        struct tm_error *err);

/* Puts ROW, a counter, on the track NAME of NAMED. rows->text has the dimensions that distinguish it from others of the
 * type. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_proto_named_counter(struct tm_proto_rows *rows, const struct tm_proto_named_row *named,
                                      struct tm_text name, struct tm_event *row, struct tm_error *err);

/* Adds ROW, a counter of the memory of GPU: of the process that ROW states, or of all. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_proto_gpu_memory_add(struct tm_proto_rows *rows, uint32_t gpu, struct tm_event *row,
                                       struct tm_error *err);

#endif
