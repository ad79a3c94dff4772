/* The picture as text: its parts, and functions that these share. */
#ifndef TM_EMIT_SVG_PICTURE_H
#define TM_EMIT_SVG_PICTURE_H

#include "emit/out.h"
#include "emit/paths.h"
#include "emit/svg/layout.h"

/* Zero-initialise, set the borrowed members, and init out. */
struct tm_svg_picture {
    const struct tm_emit_context *context; /* borrowed, as the next two */
    const struct tm_svg_counts *counts;
    const struct tm_svg_layout *layout;
    struct tm_out out;
    /* private */
    struct tm_paths paths;
};

/* Writes the name of MACHINE for people, as XML, at most MAX characters. */
void tm_svg_put_machine(struct tm_svg_picture *picture, uint32_t machine, size_t max);

/* The path of FILE, not escaped for XML. */
struct tm_text tm_svg_path(struct tm_svg_picture *picture, uint32_t file);

/* Writes N with thin spaces between groups of three digits. */
void tm_svg_put_number(struct tm_svg_picture *picture, uint64_t n);

/* Writes "N WORD" or "N WORDs". */
void tm_svg_put_count(struct tm_svg_picture *picture, uint64_t n, const char *word);

/* Writes a length in tenths of a pixel as pixels. */
void tm_svg_put_tenths(struct tm_svg_picture *picture, int tenths);

/* Writes ELEMENT (such as "<text") with its position. The caller adds further attributes and ">". */
void tm_svg_put_at(struct tm_svg_picture *picture, const char *element, int x, int y);

/* Write the texts of LANE: its tooltip; beside its timeline; and above it, if it is the first of its machine. */
void tm_svg_tooltip(struct tm_svg_picture *picture, const struct tm_svg_lane *lane);
void tm_svg_label(struct tm_svg_picture *picture, const struct tm_svg_lane *lane);
void tm_svg_lane_head(struct tm_svg_picture *picture, const struct tm_svg_lane *lane);

/* Write the parts of the picture, from top to bottom. */
void tm_svg_head(struct tm_svg_picture *picture);
void tm_svg_axes(struct tm_svg_picture *picture);
void tm_svg_lanes(struct tm_svg_picture *picture);
void tm_svg_legend(struct tm_svg_picture *picture);

void tm_svg_picture_release(struct tm_svg_picture *picture);

#endif
