/* The history of the battery, as `dumpsys batterystats --checkin` writes it: in the section CHECKIN BATTERYSTATS of a
 * bug report, and as a file of its own. Values and states become counters, what happened an instant, and wakelocks
 * slices, named like those of the reference importer. Source: BatteryStats.java of AOSP (HistoryPrinter), and
 * android_battery_stats_reader and android_dumpstate_event_parser of the reference importer.
 *
 * Lines begin with "9,". "9,hsp,INDEX,UID,"TEXT"" gives a text its index, "9,h,MS:TIME:MS" states the wall clock,
 * "9,h,MS,ITEM,..." has the changes MS after the line before. Items: "+S" and "-S" (a state begins and ends), "Bl=97"
 * (a value), "+Ejb=3" (something happened to text 3), "+w=3" (a lock). */
#ifndef TM_FORMAT_DUMPSTATE_BATTERY_H
#define TM_FORMAT_DUMPSTATE_BATTERY_H

#include "stream/event_sink.h"

/* Texts with a greater index, and texts beyond the bytes, are left out (tm_event_sink.left_out). */
enum { TM_BATTERY_TEXTS_MAX = 1 << 16, TM_BATTERY_TEXT_BYTES_MAX = 8 << 20 };

struct tm_battery_text; /* private */

struct tm_battery {
    /* private */
    struct tm_event_sink *sink;
    bool has_time;    /* the history has stated the wall clock */
    int64_t time_ms;  /* of the last line, since 1970 */
    int64_t version;  /* of the format; 0: not stated */
    struct tm_battery_text *texts; /* owned; by index */
    uint32_t text_count, text_cap;
    uint32_t *held; /* owned; indexes of the texts whose lock is held, in no order */
    uint32_t held_count, held_cap;
    uint32_t *free_lanes; /* owned; a stack of the tracks whose lock has ended */
    uint32_t free_count, free_cap, lane_count;
    struct tm_buf bytes;        /* of all texts */
    struct tm_buf name, detail; /* of the row in work */
    uint32_t defined;           /* a bit for each number of tm_battery_event whose track is defined */
    int64_t not_shown;          /* items */
};

/* Initialises BATTERY, which adds to SINK (borrowed). */
static inline void tm_battery_init(struct tm_battery *battery, struct tm_event_sink *sink)
{
    *battery = (struct tm_battery){.sink = sink};
}

/* Reads LINE, without its end. TM_OK; TM_END: it is not of the history, or damaged, and nothing was added; or an error
 * of the sink. */
enum tm_status tm_battery_line(struct tm_battery *battery, struct tm_text line, struct tm_error *err);

/* Adds the locks that are still held, and the statistics. TM_OK or an error of the sink. */
enum tm_status tm_battery_finish(struct tm_battery *battery, struct tm_error *err);

void tm_battery_release(struct tm_battery *battery);

#endif
