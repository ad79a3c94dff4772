/* Notes of a stream: its frames without the lengths and checksums that must agree. So the changes of a fuzzer reach the
 * readers of the bodies. Any bytes are notes of some stream.
 *
 *     a frame  type (one byte)  then, for a batch:  varint rows  rows;  for any other:  varint length  body
 *     a row    19 varints, columns 2 to 20 (signed ones zigzag)  raw  detail
 *
 * 255 is a batch with a verbatim body: varint length, body. A length past the end means the rest. Header and END are
 * as in the notes, except the counts of END, which are correct. */
#ifndef TM_T_STREAM_NOTES_H
#define TM_T_STREAM_NOTES_H

#include "base/buf.h"

#include <stdbool.h>

enum { NOTES_BODY = 255, NOTES_ROWS_MAX = 2048 };

/* Writes the stream of LEN bytes of notes to FD. */
void stream_notes_write(int fd, const uint8_t *notes, size_t len);

/* Writes notes of the stream FD. False if FD is no stream. */
bool stream_notes_read(int fd, struct tm_buf *notes);

#endif
