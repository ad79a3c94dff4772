/* Isolates of V8, whose code packets describe, in merged traces. A reader has one table of isolates for each machine:
 * of those of a process with one id it takes the first. The importer aborts if the memory of two overlaps, or if two
 * have code for the whole process at different places. Different traces may have such isolates, because a later
 * process had the same pid. So isolates whose ids are taken get others, and of memory that is taken the merged trace
 * says nothing.
 * Source: perfetto/trace/chrome/v8.proto, and v8_tracker and jit_tracker of the reference importer. */
#ifndef TM_EMIT_PERFETTO_V8_ISOLATES_H
#define TM_EMIT_PERFETTO_V8_ISOLATES_H

#include "base/map.h"
#include "base/pb.h"
#include "stream/event.h"

/* Further isolates of one process are compared with these, but not with each other. */
enum { TM_V8_ISOLATES_MAX = 256 };

/* Zero-initialise. */
struct tm_v8_isolates {
    /* private */
    struct tm_v8_isolate {
        uint32_t machine, file;
        uint64_t pid;
        int64_t id, new_id;
        struct tm_v8_memory {
            uint64_t from, to; /* TO is the first byte after it; equal: there is none */
        } code, blob;          /* as recorded */
        bool is_wide;          /* as recorded: all isolates of the process share the code */
        bool keeps_code, keeps_blob, stays_wide;
        uint32_t next; /* of the process; UINT32_MAX: none */
    } *all;
    uint32_t count, cap;
    struct tm_map processes; /* the hash of machine and pid to the last isolate */
};

/* True if EVENT, a row with a raw packet, describes an isolate. */
bool tm_v8_isolates_are_in(const struct tm_event *event);

/* Appends the isolate in FIELD of EVENT's interned data to OUT, changed for the output. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_v8_isolates_put(struct tm_v8_isolates *isolates, const struct tm_event *event,
                                  const struct tm_pb_field *field, struct tm_buf *out);

void tm_v8_isolates_release(struct tm_v8_isolates *isolates);

#endif
