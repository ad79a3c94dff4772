/* CPU profiles of V8: P events named Profile and ProfileChunk, in Chrome JSON or as legacy events of Perfetto traces.
 * Their JSON states a start time, the nodes of a call tree, the sampled nodes, and the time between samples. Source:
 * V8's CpuProfile streaming (v8_profiler trace category), the DevTools protocol's Profiler.ProfileNode. */
#ifndef TM_FORMAT_V8_PROFILE_H
#define TM_FORMAT_V8_PROFILE_H

#include "format/v8_nodes.h"

/* Profiles of one file. Samples of further ones are lost. */
enum { TM_PROFILE_SESSIONS_MAX = 1024 };

/* One profile, identified by an id within one process. */
struct tm_v8_session {
    uint64_t key;
    int64_t time_ns; /* of the last sample; before that the start */
};

/* The profiles of a file. */
struct tm_v8_profile {
    struct tm_v8_session sessions[TM_PROFILE_SESSIONS_MAX];
    uint32_t session_count;
    struct tm_v8_nodes nodes; /* the sessions are numbers in sessions */
};

/* What one event adds to a profile. Borrows from the text of the event. */
struct tm_v8_chunk {
    struct tm_json_value nodes, samples, deltas;
    bool has_nodes, has_samples, has_deltas, has_start;
    int64_t start_ns;
    size_t text_bytes; /* of the object; it limits the stacks */
};

/* Reads the object DATA (valid JSON), the argument "data" of an event. False: it has nothing of a profile. */
bool tm_v8_chunk_read(const struct tm_json_value *data, struct tm_v8_chunk *chunk);

/* The samples of a chunk, one after the other. Borrows from the chunk and the profile. */
struct tm_v8_samples {
    int64_t time_ns; /* of the latest one */
    bool is_cut;     /* a limit leaves out frames of its stack, or names of them */
    uint64_t bad_nodes;   /* of the chunk: repeated, below a node that is not known, or child of a second node */
    uint64_t bad_samples; /* until now: left out, because their node is not known */
    /* private */
    const struct tm_v8_profile *profile;
    struct tm_v8_session *session;
    struct tm_json_scan nodes, deltas; /* after the brackets; without bytes: there are no samples */
    uint64_t budget;                   /* bytes that stacks may still have */
};

/* Adds CHUNK to the session KEY of *PROFILE, which is made if it is NULL, and prepares to read its samples. TM_OK;
 * TM_END: the samples are lost, because they are not as many as their times, no chunk before has started the session,
 * or there are too many sessions; TM_E_SYSTEM. SAMPLES counts bad nodes in both of the first cases. The rules are those
 * of the reference importer's legacy_v8_cpu_profile_tracker. */
enum tm_status tm_v8_profile_take(struct tm_v8_profile **profile, uint64_t key, const struct tm_v8_chunk *chunk,
                                  struct tm_v8_samples *samples);

/* Moves to the next sample whose node is known, and appends the stack to DETAIL. TM_OK; TM_END: there is none;
 * TM_E_INPUT (without an error text): its time exceeds 64 bits of nanoseconds; TM_E_SYSTEM. */
enum tm_status tm_v8_samples_next(struct tm_v8_samples *samples, struct tm_buf *detail);

/* PROFILE may be NULL. */
void tm_v8_profile_free(struct tm_v8_profile *profile);

#endif
