/* Parts of an output that are made late: for a whole buffer of output at once, perhaps by another thread (completer.h).
 * They belong between the output's own bytes. Each is a copy of recorded text, or what a function makes of records. So
 * the code that converts an event neither reads its text nor formats it. */
#ifndef TM_EMIT_LATE_PARTS_H
#define TM_EMIT_LATE_PARTS_H

#include "base/buf.h"
#include "emit/sources.h"

struct tm_out;

/* Puts what a record, the LEN bytes at DATA, stands for into OUT. DATA has any alignment. A failure is noted in OUT. It
 * must depend on nothing else, because another thread may call it. */
typedef void tm_late_format(struct tm_out *out, const uint8_t *data, size_t len);

/* Zero-initialise. */
struct tm_late_parts {
    size_t bytes;         /* of all copies and records */
    uint32_t part_count;
    /* private */
    struct tm_buf records; /* each after its length in 4 bytes */
    struct tm_source_text *texts;
    struct tm_late_part {
        size_t at;              /* the part stands before this one of the output's own bytes */
        tm_late_format *format; /* NULL: the part is of a text */
        uint32_t from, len;     /* bytes of the text, or of records: one or more for this format */
    } *parts;                   /* in the order of at, and of texts and records */
    uint32_t text_count, text_cap, part_cap;
};

/* Notes TEXT. Its parts follow. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_late_parts_text(struct tm_late_parts *late, const struct tm_source_text *text, struct tm_error *err);

/* Notes a part of the last text: LEN bytes from its byte FROM, to stand before byte AT of the output's own bytes. AT
 * does not decrease. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_late_parts_copy(struct tm_late_parts *late, size_t at, uint32_t from, uint32_t len,
                                  struct tm_error *err);

/* Returns room for a record of LEN bytes; NULL: no memory. Fill it, then call tm_late_parts_format. */
uint8_t *tm_late_parts_room(struct tm_late_parts *late, size_t len);

/* Notes that FORMAT puts what the record of LEN bytes in that room stands for before byte AT. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_late_parts_format(struct tm_late_parts *late, size_t at, tm_late_format *format, size_t len,
                                    struct tm_error *err);

/* Appends OWN, the bytes of the output, with the parts between them to WHOLE. Texts are read by READER (may be NULL if
 * there are none), each once, in order. Results are those of tm_source_reader_read; after an error WHOLE has a part. */
enum tm_status tm_late_parts_join(const struct tm_late_parts *late, const struct tm_buf *own,
                                  struct tm_source_reader *reader, struct tm_buf *whole, struct tm_error *err);

/* Removes all parts and keeps the memory. */
void tm_late_parts_clear(struct tm_late_parts *late);

void tm_late_parts_release(struct tm_late_parts *late);

#endif
