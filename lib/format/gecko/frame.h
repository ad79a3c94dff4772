/* One frame of a Gecko stack: what its text says, and the bytes that become a StackFrame message. */
#ifndef TM_FORMAT_GECKO_FRAME_H
#define TM_FORMAT_GECKO_FRAME_H

#include "base/span.h"
#include "format/gecko/process.h"

/* Spans are borrowed; empty ones absent. */
struct tm_gecko_frame {
    struct tm_span function, mapping, file;
    uint32_t line;      /* 0 unknown */
    bool has_address;
    bool is_return;     /* of frames that called another: the address behind the call */
    uint64_t address;   /* in the mapping */
};

/* NAME is "function (in mapping)", or all function; then the mapping is "gecko", as in the
 * reference. */
void tm_gecko_frame_name(struct tm_gecko_frame *frame, struct tm_span name);

/* LOCATION is an address, which PROCESS's libraries resolve, "function (file:line:column)", of which
 * all is the function's name, or a name as above. */
void tm_gecko_frame_location(struct tm_gecko_frame *frame, struct tm_span location,
                             const struct tm_gecko_process *process);

/* Appends the frame's record to OUT. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_gecko_frame_put(const struct tm_gecko_frame *frame, struct tm_buf *out);

/* Appends the frame of a record to OUT as field FIELD. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_gecko_frame_add(const uint8_t *record, size_t len, bool is_leaf, uint32_t field, struct tm_buf *out);

#endif
