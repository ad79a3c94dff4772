/* Matches, written once and read any number of times. They are in memory while they are few, otherwise in a temporary
 * file. */
#ifndef TM_ALIGN_MATCH_LOG_H
#define TM_ALIGN_MATCH_LOG_H

#include "os/temporary_file.h"
#include "align/record.h"
#include "base/buf.h"

struct tm_match_member {
    int64_t begin_ns, end_ns;
    uint32_t node, name;
};

struct tm_match {
    uint8_t rule, form; /* enum tm_match_form */
    uint32_t count;     /* number of members, each of another file */
    struct tm_match_member *members;
};

/* Zero-initialise, and set file.dir. */
struct tm_match_log {
    struct tm_temporary_file file;
    uint64_t count; /* number of matches */
    /* private */
    struct tm_buf tail, window; /* tail: bytes not in the file yet; window: bytes read from it */
    uint64_t read_at;
    size_t window_at;
};

/* Appends MATCH. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_match_log_add(struct tm_match_log *log, const struct tm_match *match, struct tm_error *err);

/* Goes back to the first match. */
void tm_match_log_rewind(struct tm_match_log *log);

/* Reads the next match. TM_OK with *MATCH set, valid until the next call; TM_END; TM_E_SYSTEM. */
enum tm_status tm_match_log_next(struct tm_match_log *log, struct tm_match *match, struct tm_error *err);

void tm_match_log_release(struct tm_match_log *log);

#endif
