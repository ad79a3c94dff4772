/* Perfetto packets inside a Fuchsia trace. The blobs of that type form one proto trace. It is collected in a temporary
 * file and read after the last record. */
#ifndef TM_FORMAT_FUCHSIA_BLOB_H
#define TM_FORMAT_FUCHSIA_BLOB_H

#include "os/temporary_file.h"
#include "format/format.h"
#include "format/fuchsia/words.h"

/* Zero-initialise, then init. */
struct tm_fxt_blob {
    /* private */
    struct tm_temporary_file file;
    uint64_t read; /* bytes of the file read so far */
    void *state; /* of the proto parser */
    struct tm_input input;
};

/* The temporary file is made in DIR (borrowed; NULL: as tm_io_temporary). */
void tm_fxt_blob_init(struct tm_fxt_blob *blob, const char *dir);

/* Adds BYTES, the next part of the proto trace. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_fxt_blob_add(struct tm_fxt_blob *blob, struct tm_text bytes, struct tm_error *err);

/* Reads a part of the proto trace. TM_OK: there may be more. TM_END: all is read. Otherwise an error. CONTEXT is that
 * of the Fuchsia trace. */
enum tm_status tm_fxt_blob_read(struct tm_fxt_blob *blob, const struct tm_format_context *context,
                                struct tm_error *err);

void tm_fxt_blob_release(struct tm_fxt_blob *blob);

#endif
