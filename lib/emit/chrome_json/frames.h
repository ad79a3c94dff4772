/* The members stackFrames and samples of the top level. The output has one of each.
 *
 * Equal tables become one; different tables are joined. If two tables have an id in common, all ids are replaced by
 * "ORDER:ID", in the tables and in sf, esf and parent. ORDER is that of the file, or of the first file with the same
 * table. */
#ifndef TM_EMIT_CHROME_JSON_FRAMES_H
#define TM_EMIT_CHROME_JSON_FRAMES_H

#include "base/map.h"
#include "emit/by_file.h"
#include "emit/chrome_json/inputs.h"
#include "emit/chrome_json/top_members.h"
#include "emit/chrome_json/writer.h"

/* Zero-initialise, and set the borrowed members. */
struct tm_json_frames {
    const struct tm_json_inputs *inputs; /* borrowed, as the next two */
    const struct tm_json_top_members *members;
    struct tm_json_writer *writer;
    /* private */
    bool is_ready;
    bool are_renamed;       /* two tables have an id in common */
    uint32_t table_count;   /* number of different tables */
    struct tm_map table_of; /* file -> the first file with the same table, plus 1 */
    struct tm_by_file placements; /* set at the end */
};

/* True if M is one of these members, which tm_json_frames_write writes. Valid after tm_json_frames_end. */
bool tm_json_frames_cover(const struct tm_json_frames *frames, const struct tm_json_top_member *m);

/* Reads the tables, once, when all are known: before the first event with a time. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_frames_read(struct tm_json_frames *frames, struct tm_error *err);

/* True if ids of frames in FILE are replaced: tables have ids in common, or FILE has no table and its ids could refer
 * to frames of another file. */
bool tm_json_frames_renames(const struct tm_json_frames *frames, uint32_t file);

/* Writes ID of FILE under its new name, a string. */
void tm_json_frames_put_id(const struct tm_json_frames *frames, uint32_t file, const struct tm_json_value *id);

/* Called once, when the stream has ended. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_frames_end(struct tm_json_frames *frames, struct tm_error *err);

/* Writes both members, after tm_json_frames_end. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_frames_write(struct tm_json_frames *frames, struct tm_error *err);

void tm_json_frames_release(struct tm_json_frames *frames);

#endif
