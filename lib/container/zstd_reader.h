/* A Zstandard stream (RFC 8878) of any number of frames, whose data is joined. Frames that need a window above 128
 * MiB are refused. */
#ifndef TM_CONTAINER_ZSTD_READER_H
#define TM_CONTAINER_ZSTD_READER_H

#include "os/input.h"
#include "container/damage.h"

struct tm_zstd_reader {
    struct tm_input *in; /* borrowed; at the first frame, afterwards after the last */
    enum tm_on_damage on_damage; /* other than halt: damage ends the data */
    struct tm_damage damage;
    /* private */
    void *stream;
    bool in_frame, ended;
};

/* Sets INPUT to read the decompressed bytes. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_zstd_reader_init(struct tm_zstd_reader *reader, struct tm_input *in, struct tm_input *input,
                                   struct tm_error *err);
void tm_zstd_reader_release(struct tm_zstd_reader *reader);

#endif
