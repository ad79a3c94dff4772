/* One frame of a Gecko stack: parses its text and writes the bytes of a StackFrame message. */
#ifndef TM_FORMAT_GECKO_FRAME_H
#define TM_FORMAT_GECKO_FRAME_H

#include "base/text.h"
#include "format/gecko/process.h"

/* Texts are borrowed; an empty one is absent. */
struct tm_gecko_frame {
    struct tm_text function, mapping, file;
    uint32_t line;      /* 0: unknown */
    bool has_address;
    bool is_return;     /* the frame called another one: address is a return address */
    uint64_t address;   /* relative to the mapping */
};

/* Splits NAME, "function (in mapping)". A name without a mapping is a function in the mapping "gecko", as in the
 * reference importer. */
void tm_gecko_frame_name(struct tm_gecko_frame *frame, struct tm_text name);

/* Parses LOCATION: an address, which the libraries of PROCESS resolve; or "function (file:line:column)", which as a
 * whole is the function's name; or a name as for tm_gecko_frame_name. */
void tm_gecko_frame_location(struct tm_gecko_frame *frame, struct tm_text location,
                             const struct tm_gecko_process *process);

/* Appends the frame to OUT as a record, the form in which tables store it. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_gecko_frame_put(const struct tm_gecko_frame *frame, struct tm_buf *out);

/* Appends the frame of a record to OUT as field FIELD. Unless IS_LEAF, subtracts 1 from a return address, so that it is
 * inside the call. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_gecko_frame_add(const uint8_t *record, size_t len, bool is_leaf, uint32_t field, struct tm_buf *out);

#endif
