/* Copies of recorded text that belong between the bytes of an output. The output notes them. The text is read later,
 * for a whole buffer of output, perhaps by another thread (copier.h). So the code that converts an event does not touch
 * its text. */
#ifndef TM_EMIT_SOURCE_COPIES_H
#define TM_EMIT_SOURCE_COPIES_H

#include "base/buf.h"
#include "emit/sources.h"

/* Zero-initialise. */
struct tm_source_copies {
    size_t bytes; /* of all parts */
    uint32_t text_count;
    /* private */
    struct tm_copied_text {
        struct tm_source_text text;
        uint32_t part_count; /* number of its parts; PARTS are in the order of TEXTS */
    } *texts;
    struct tm_copied_part {
        size_t at;          /* the part stands before this one of the output's own bytes */
        uint32_t from, len; /* bytes of the text */
    } *parts;
    uint32_t text_cap, part_count, part_cap;
};

/* Notes TEXT. Its parts follow. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_source_copies_text(struct tm_source_copies *copies, const struct tm_source_text *text,
                                     struct tm_error *err);

/* Notes a part of the last text: LEN bytes from its byte FROM, to stand before byte AT of the output's own bytes. AT
 * does not decrease. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_source_copies_part(struct tm_source_copies *copies, size_t at, uint32_t from, uint32_t len,
                                     struct tm_error *err);

/* Appends OWN, the bytes of the output, with the copies between them to WHOLE. Texts are read by READER, each once, in
 * order. Results are those of tm_source_reader_read; after an error WHOLE has a part. */
enum tm_status tm_source_copies_join(const struct tm_source_copies *copies, const struct tm_buf *own,
                                     struct tm_source_reader *reader, struct tm_buf *whole, struct tm_error *err);

/* Removes all copies and keeps the memory. */
void tm_source_copies_clear(struct tm_source_copies *copies);

void tm_source_copies_release(struct tm_source_copies *copies);

#endif
