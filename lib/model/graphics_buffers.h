/* Buffers of Android's graphics. An app draws into a buffer of a layer, a GPU renders it, the compositor takes it and
 * then it is on the display until the layer's next one. These phases are slices, and so is each event.
 *
 * KERNEL rows with these effects (kernel/effect.h) are converted here, in order of time. Their category identifies the
 * buffer, or the layer for what is on the display. Rules: importers/proto/graphics_frame_event_parser.cc of Perfetto.
 * Each file has buffers of its own for its machine. */
#ifndef TM_MODEL_GRAPHICS_BUFFERS_H
#define TM_MODEL_GRAPHICS_BUFFERS_H

#include "base/buf.h"
#include "base/table.h"
#include "kernel/effect.h"
#include "model/catalog.h"
#include "model/settled_rows.h"

/* Limit of buffers and layers together. Events of further ones are not shown. */
enum { TM_GRAPHICS_BUFFERS_MAX = 1 << 18 };

/* Zero-initialise. */
struct tm_graphics_buffers {
    uint64_t left_out; /* rows of buffers beyond TM_GRAPHICS_BUFFERS_MAX */
    /* private */
    struct tm_graphics_buffer *buffers;
    uint32_t count, cap;
    struct tm_table by_name;
    struct tm_buf detail, before;
};

/* True for rows that are converted here. */
static inline bool tm_graphics_buffers_has(uint64_t effect)
{
    return effect >= TM_KERNEL_BUFFER && effect <= TM_KERNEL_BUFFER_DISPLAYED;
}

/* Converts ROW, which must be DERIVED, into OUT. A row that changes nothing becomes none. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_graphics_buffers_take(struct tm_graphics_buffers *buffers, const struct tm_catalog *catalog,
                                        const struct tm_event *row, struct tm_settled_rows *out,
                                        struct tm_error *err);

void tm_graphics_buffers_release(struct tm_graphics_buffers *buffers);

#endif
