/* The fields of a protobuf message of any size in a file. The bytes of a field are read only on request. */
#ifndef TM_FORMAT_XSPACE_MESSAGE_H
#define TM_FORMAT_XSPACE_MESSAGE_H

#include "base/pb.h"
#include "base/text.h"
#include "container/extent.h"

struct tm_xspace_message {
    uint64_t byte; /* offset of the message in the file */
    /* private */
    struct tm_input in;
    uint64_t len, unread; /* bytes of the message; bytes of the last field that are not read yet */
};

/* A field. Bytes are counted from the start of the file. */
struct tm_xspace_field {
    uint32_t id;
    enum tm_pb_type type;
    uint64_t value;   /* if type is not TM_PB_LEN */
    uint64_t byte;    /* offset of its tag */
    uint64_t at, len; /* if type is TM_PB_LEN: place and number of its bytes in the message */
    uint64_t missing; /* bytes that its length states beyond those */
};

/* Opens the message of LEN bytes at AT of FILE, which is borrowed. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_xspace_message_open(struct tm_xspace_message *message, const struct tm_extent *file, uint64_t at,
                                      uint64_t len, struct tm_error *err);

/* Reads the next field. TM_OK; TM_END; TM_E_INPUT "byte N: …": the bytes are not a field; TM_E_SYSTEM. */
enum tm_status tm_xspace_message_next(struct tm_xspace_message *message, struct tm_xspace_field *field,
                                      struct tm_error *err);

/* Sets *BYTES to the first bytes, at most MAX, of the FIELD that next returned last. Valid until the next call. TM_OK
 * or an error. */
enum tm_status tm_xspace_message_bytes(struct tm_xspace_message *message, const struct tm_xspace_field *field,
                                       size_t max, struct tm_text *bytes, struct tm_error *err);

/* The number of bytes of the message after the field that next returned last. */
uint64_t tm_xspace_message_left(const struct tm_xspace_message *message);

void tm_xspace_message_close(struct tm_xspace_message *message);

#endif
