/* svg: the merged timeline as one picture. Reads events once, in any order, and keeps counts for each lane. */
#include "emit/outputs.h"
#include "emit/svg/picture.h"

#include <stdlib.h>

struct svg {
    struct tm_svg_counts counts;
    struct tm_svg_layout layout;
    struct tm_svg_picture picture;
};

static enum tm_status open_svg(const struct tm_emit_context *context, void **state, struct tm_error *err)
{
    struct svg *svg = calloc(1, sizeof *svg);
    if (svg == NULL)
        return tm_error_nomem(err);
    *state = svg;
    svg->counts.catalog = context->catalog;
    svg->picture = (struct tm_svg_picture){.context = context, .counts = &svg->counts, .layout = &svg->layout};
    tm_out_init(&svg->picture.out, context->fd, context->options->out_path);
    return TM_OK;
}

static enum tm_status show_frame(void *state, const struct tm_frame *frame, const struct tm_batch *batch,
                                 struct tm_error *err)
{
    struct svg *svg = state;
    return batch ? tm_svg_counts_batch(&svg->counts, batch, err) : tm_svg_counts_frame(&svg->counts, frame, err);
}

static void put_root(struct tm_out *out, int height)
{
    tm_out_str(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"");
    tm_out_u64(out, TM_SVG_WIDTH);
    tm_out_str(out, "\" height=\"");
    tm_out_i64(out, height);
    tm_out_str(out, "\" viewBox=\"0 0 ");
    tm_out_u64(out, TM_SVG_WIDTH);
    tm_out_char(out, ' ');
    tm_out_i64(out, height);
    tm_out_str(out, "\">\n");
}

static enum tm_status finish_svg(void *state, struct tm_error *err)
{
    struct svg *svg = state;
    struct tm_svg_picture *p = &svg->picture;
    enum tm_status st = tm_svg_counts_finish(&svg->counts, err);
    if (st < 0 ||
        (st = tm_svg_layout_make(&svg->layout, &svg->counts, p->context->accounting->total.lost > 0, err)) < 0)
        return st;
    put_root(&p->out, svg->layout.height);
    tm_svg_head(p);
    tm_svg_axes(p);
    tm_svg_lanes(p);
    tm_svg_legend(p);
    tm_out_str(&p->out, "</svg>\n");
    return tm_out_flush(&p->out, err);
}

static void close_svg(void *state)
{
    struct svg *svg = state;
    if (svg) {
        tm_svg_picture_release(&svg->picture);
        tm_svg_layout_release(&svg->layout);
        tm_svg_counts_release(&svg->counts);
    }
    free(svg);
}

const struct tm_emit_functions tm_emit_svg_functions = {
    .open = open_svg,
    .frame = show_frame,
    .finish = finish_svg,
    .close = close_svg,
};
