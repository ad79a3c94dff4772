/* Files with the text of events that is not in the stream (frame Source). tm-unpack has read these files; the caller
 * names them. tm-emit checks each text that it reads, so a file that has changed since is an error. */
#ifndef TM_EMIT_SOURCES_H
#define TM_EMIT_SOURCES_H

#include "stream/json_ref.h"
#include "tm_stream.pb-c.h"

#include "base/status.h"

struct tm_sources;

/* A file that the caller names. */
struct tm_source_path {
    const char *path;  /* borrowed, also by what is opened */
    bool is_temporary; /* its storage may be given back as it is read, where the stream says that it was written for it
                        */
};

/* Opens COUNT regular files, which from then on are known by what they are, not by their names. TM_OK with *SOURCES
 * set; TM_E_INPUT where one cannot be opened (a temporary one for writing too), or is no regular file; TM_E_SYSTEM. */
enum tm_status tm_sources_open(const struct tm_source_path *paths, size_t count, struct tm_sources **sources,
                               struct tm_error *err);

/* Notes that a file of the stream has its text in one of SOURCES (may be NULL). If it is in none of them, asking for a
 * text is an error. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_sources_add(struct tm_sources *sources, const Tracemerge__Source *source, struct tm_error *err);

/* The text of REF, an event of FILE: *DATA, ref->bytes of it, valid until the next call; of a temporary file it is
 * asked for once. TM_OK; TM_E_INPUT "NAME: byte N: cause" where its file is not there or has changed; TM_E_SYSTEM. */
enum tm_status tm_sources_text(struct tm_sources *sources, uint32_t file, const struct tm_json_ref *ref,
                               const uint8_t **data, struct tm_error *err);

/* SOURCES may be NULL. */
void tm_sources_free(struct tm_sources *sources);

#endif
