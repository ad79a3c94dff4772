/* CPU profiles of V8 inside Chrome JSON: P events named Profile and ProfileChunk. They carry a start time, the nodes of
 * a call tree, the sampled nodes, and the time between samples. Source: V8's CpuProfile streaming (v8_profiler trace
 * category), the DevTools protocol's Profiler.ProfileNode. */
#ifndef TM_FORMAT_CHROME_JSON_PROFILE_H
#define TM_FORMAT_CHROME_JSON_PROFILE_H

#include "json/scan.h"

#include "base/intern.h"
#include "base/map.h"

/* Limits for the profiles of one file. Samples beyond them have no frames. */
enum { TM_PROFILE_SESSIONS_MAX = 1024, TM_PROFILE_NODES_MAX = 1 << 18, TM_PROFILE_DEPTH_MAX = 1024,
       TM_PROFILE_STACK_BYTES_MAX = 64 << 10 };

/* One profile, identified by an id within one process. */
struct tm_profile_session {
    uint64_t key;
    int64_t time_ns; /* of the last sample; before that the start */
};

struct tm_profile_node {
    uint32_t id;
    uint32_t parent;
    bool has_parent;
    uint32_t function; /* string number + 1; 0: none */
    uint32_t url;
};

/* Zero-initialise, then init; release at the end. */
struct tm_json_profile {
    struct tm_profile_session sessions[TM_PROFILE_SESSIONS_MAX];
    uint32_t session_count;
    struct tm_profile_node *nodes;
    uint32_t node_count;
    /* private */
    uint32_t node_cap;
    struct tm_map node_of; /* session << 32 | id -> node */
    struct tm_intern strings;
};

void tm_json_profile_init(struct tm_json_profile *profile);

/* Finds the session KEY. If START is true, makes it if it is new, and sets its time to TIME_NS. NULL: it is not known,
 * or there are too many sessions. The result is valid as long as PROFILE. */
struct tm_profile_session *tm_json_profile_session(struct tm_json_profile *profile, uint64_t key, bool start,
                                                   int64_t time_ns);

/* Adds the nodes of the array NODES (valid JSON). TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_profile_nodes(struct tm_json_profile *profile, const struct tm_profile_session *session,
                                     const struct tm_json_value *nodes, struct tm_buf *scratch);

/* Appends the stack that ends in node ID to DETAIL as StackFrame messages, outermost first. Frames beyond
 * TM_PROFILE_DEPTH_MAX are left out, outermost first. No frame is added once DETAIL has TM_PROFILE_STACK_BYTES_MAX
 * bytes. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_profile_stack(const struct tm_json_profile *profile, const struct tm_profile_session *session,
                                     uint32_t id, struct tm_buf *detail);

void tm_json_profile_release(struct tm_json_profile *profile);

#endif
