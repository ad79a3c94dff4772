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
    const char *path;  /* borrowed, also after open */
    /* its storage may be reclaimed while it is read, if the stream states that it was written for that */
    bool is_temporary;
};

/* Opens COUNT regular files; from then on they are identified by device and inode, not by name. TM_OK with *SOURCES
 * set; TM_E_INPUT: one cannot be opened (a temporary one for writing too), or is not a regular file; TM_E_SYSTEM. */
enum tm_status tm_sources_open(const struct tm_source_path *paths, size_t count, struct tm_sources **sources,
                               struct tm_error *err);

/* Notes that a file of the stream has its text in one of SOURCES (may be NULL). If it is in none of them, asking for a
 * text is an error. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_sources_add(struct tm_sources *sources, const Tracemerge__Source *source, struct tm_error *err);

/* Reads the text of REF, an event of FILE: *DATA has ref->bytes bytes, valid until the next call. A text of a temporary
 * file can be read only once. TM_OK; TM_E_INPUT "NAME: byte N: cause": its file is missing or has changed;
 * TM_E_SYSTEM. */
enum tm_status tm_sources_text(struct tm_sources *sources, uint32_t file, const struct tm_json_ref *ref,
                               const uint8_t **data, struct tm_error *err);

/* SOURCES may be NULL. */
void tm_sources_free(struct tm_sources *sources);

#endif
