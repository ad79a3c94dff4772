/* Parts of an output that are made late: for a whole buffer of output at once, perhaps by another thread (completer.h).
 * They belong between the output's own bytes. Each is what a function makes of a record, and of recorded text if the
 * record needs that. So the code that converts an event neither reads its text nor formats it. */
#ifndef TM_EMIT_LATE_PARTS_H
#define TM_EMIT_LATE_PARTS_H

#include "base/buf.h"
#include "base/text.h"
#include "emit/sources.h"

#include <stdbool.h>

struct tm_out;

/* Puts what a record, the LEN bytes at DATA, stands for into OUT. DATA has any alignment. TEXT is that of the record,
 * or has no data if the record has none. A failure is noted in OUT. It must depend on nothing else, because another
 * thread may call it. */
typedef void tm_late_format(struct tm_out *out, struct tm_text text, const uint8_t *data, size_t len);

/* Zero-initialise. */
struct tm_late_parts {
    size_t bytes; /* of all records and texts */
    uint32_t part_count;
    /* private */
    struct tm_buf records; /* each after its length in 4 bytes */
    struct tm_source_text *texts;
    bool awaits_record; /* the last text is that of the next record */
    struct tm_late_part {
        size_t at; /* the part stands before this one of the output's own bytes */
        tm_late_format *format;
        uint32_t from, len; /* bytes of records: one or more */
        bool has_texts;     /* one for each record */
    } *parts;                   /* in the order of at, and of texts and records */
    uint32_t text_count, text_cap, part_cap;
};

/* Notes that the next record has TEXT. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_late_parts_text(struct tm_late_parts *late, const struct tm_source_text *text, struct tm_error *err);

/* Returns room for a record of LEN bytes; NULL: no memory. Fill it, then call tm_late_parts_format. */
uint8_t *tm_late_parts_room(struct tm_late_parts *late, size_t len);

/* Notes that FORMAT puts what the record of LEN bytes in that room stands for before byte AT of the output's own bytes.
 * AT does not decrease. TM_OK or TM_E_SYSTEM. */
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
