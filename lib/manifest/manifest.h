/* A perfetto_manifest: the text of a JSON file is checked in full and converted to the stream's Config message.
 * Everything that depends only on the manifest is decided here.
 *
 *     struct tm_manifest m = {0};
 *     st = tm_manifest_read(&m, text, len, &err);
 *     … m.config.message where st is TM_OK, m.problems where it is TM_E_INPUT …
 *     tm_manifest_release(&m);
 *
 * A manifest beyond the limits of json_text.h (64 MiB, 4 194 304 values, depth 128) is refused.
 *
 * Source: perfetto_manifest(5); doc/rules.md sections 4 and 5. */
#ifndef TM_MANIFEST_MANIFEST_H
#define TM_MANIFEST_MANIFEST_H

#include "base/intern.h"
#include "manifest/config.h"

/* Zero-initialise. */
struct tm_manifest {
    struct tm_manifest_config config;     /* set if read returned TM_OK; the manifest owns its memory */
    struct tm_manifest_problems problems; /* errors, in the order of the checks */
    struct tm_manifest_problems warnings; /* what is valid and probably a mistake */
    const void *source;                   /* the text, with source_len; borrowed, unless read_fd or keep made it */
    size_t source_len;
    /* private */
    struct tm_json_text json;
    struct tm_manifest_fields fields;
    struct tm_buf text, kept_text;
};

/* Reads and checks the LEN bytes at TEXT, which must outlive the manifest. TM_OK; TM_E_INPUT with the first problem in
 * ERR; TM_E_SYSTEM. May be called once for each struct. */
enum tm_status tm_manifest_read(struct tm_manifest *manifest, const void *text, size_t len, struct tm_error *err);

/* Reads and checks all bytes of the descriptor FD. A text beyond the limit is not read to its end. Returns what
 * tm_manifest_read returns. */
enum tm_status tm_manifest_read_fd(struct tm_manifest *manifest, int fd, struct tm_error *err);

/* Removes entries of files, and their texts from the source. It keeps the entries whose paths are in NAMES (each with a
 * NUL at its end), and the entries to which these or the trace time refer. Call it after read has returned TM_OK, and
 * before the manifest is used. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_manifest_keep(struct tm_manifest *manifest, const struct tm_intern *names, struct tm_error *err);

void tm_manifest_release(struct tm_manifest *manifest);

#endif
