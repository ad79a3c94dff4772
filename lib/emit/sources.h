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
    /* its storage may be reclaimed while it is read, if the stream marks it as temporary, too */
    bool is_temporary;
};

/* Opens COUNT regular files; from then on they are identified by device and inode, not by name. TM_OK with *SOURCES
 * set; TM_E_INPUT: one cannot be opened (a temporary one for writing too), or is not a regular file; TM_E_SYSTEM. */
enum tm_status tm_sources_open(const struct tm_source_path *paths, size_t count, struct tm_sources **sources,
                               struct tm_error *err);

/* Notes that a file of the stream has its text in one of SOURCES (may be NULL). If it is in none of them, asking for a
 * text is an error. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_sources_add(struct tm_sources *sources, const Tracemerge__Source *source, struct tm_error *err);

/* A text: a JSON object. */
struct tm_source_text {
    uint32_t source;          /* number of its source */
    uint32_t bytes, checksum; /* these two and the next two are as in struct tm_json_ref */
    uint64_t offset, before;
};

/* Finds the text of REF, an event of FILE. TM_OK; TM_END: no source has FILE's text; TM_E_INPUT: the source has become
 * shorter. */
enum tm_status tm_sources_find(const struct tm_sources *sources, uint32_t file, const struct tm_json_ref *ref,
                               struct tm_source_text *text, struct tm_error *err);

/* Reads texts. Threads may have a reader each. */
struct tm_source_reader;

/* Returns a reader of SOURCES, which must outlive it; NULL: out of memory. It takes up to 9 MiB. */
struct tm_source_reader *tm_source_reader_new(struct tm_sources *sources);

/* Reads TEXT: *DATA has text->bytes bytes, valid until the next call. A text of a temporary file can be read only once,
 * by one reader. TM_OK; TM_E_INPUT "NAME: byte N: cause": the file has changed, or the text is no object;
 * TM_E_SYSTEM. */
enum tm_status tm_source_reader_read(struct tm_source_reader *reader, const struct tm_source_text *text,
                                     const uint8_t **data, struct tm_error *err);

/* READER may be NULL. */
void tm_source_reader_free(struct tm_source_reader *reader);

/* SOURCES may be NULL. */
void tm_sources_free(struct tm_sources *sources);

#endif
