/* One zlib stream (RFC 1950): the body of a ctrace. */
#ifndef TM_CONTAINER_ZLIB_READER_H
#define TM_CONTAINER_ZLIB_READER_H

#include "os/input.h"
#include "container/damage.h"
#include "container/inflater.h"

struct tm_zlib_reader {
    struct tm_input *in; /* borrowed; at the stream, afterwards after it */
    enum tm_on_damage on_damage; /* other than halt: damage ends the data */
    struct tm_damage damage;
    /* private */
    struct tm_inflater inflater;
    bool ended;
};

/* Sets INPUT to read the decompressed bytes. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_zlib_reader_init(struct tm_zlib_reader *reader, struct tm_input *in, struct tm_input *input,
                                   struct tm_error *err);
void tm_zlib_reader_release(struct tm_zlib_reader *reader);

#endif
