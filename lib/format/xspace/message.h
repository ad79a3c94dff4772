/* The fields of a protobuf message of any size that lies in a file. Bytes of a field are read where they are asked for
 * and passed over else. */
#ifndef TM_FORMAT_XSPACE_MESSAGE_H
#define TM_FORMAT_XSPACE_MESSAGE_H

#include "base/pb.h"
#include "base/text.h"
#include "container/extent.h"

struct tm_xspace_message {
    uint64_t byte; /* of the file: where the message begins */
    /* private */
    struct tm_input in;
    uint64_t len, unread; /* bytes of the message; of the field that next returned last */
};

/* A field. Bytes are counted from the start of the file. */
struct tm_xspace_field {
    uint32_t id;
    enum tm_pb_type type;
    uint64_t value;   /* where type is no TM_PB_LEN */
    uint64_t byte;    /* where its tag is */
    uint64_t at, len; /* of TM_PB_LEN: where its bytes are, and how many of them the message has */
    uint64_t missing; /* how many more its length says */
};

/* Opens the message of LEN bytes at AT of FILE, which is borrowed. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_xspace_message_open(struct tm_xspace_message *message, const struct tm_extent *file, uint64_t at,
                                      uint64_t len, struct tm_error *err);

/* The next field. TM_OK; TM_END; TM_E_INPUT "byte N: …": what follows is no field; TM_E_SYSTEM. */
enum tm_status tm_xspace_message_next(struct tm_xspace_message *message, struct tm_xspace_field *field,
                                      struct tm_error *err);

/* The first bytes of the FIELD that next returned last, at most MAX. Valid until the next call. TM_OK or an error. */
enum tm_status tm_xspace_message_bytes(struct tm_xspace_message *message, const struct tm_xspace_field *field,
                                       size_t max, struct tm_text *bytes, struct tm_error *err);

/* Bytes of the message behind the field that next returned last. */
uint64_t tm_xspace_message_left(const struct tm_xspace_message *message);

void tm_xspace_message_close(struct tm_xspace_message *message);

#endif
