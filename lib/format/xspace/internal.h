/* The state of a profile being read, shared by the files of this folder. */
#ifndef TM_FORMAT_XSPACE_INTERNAL_H
#define TM_FORMAT_XSPACE_INTERNAL_H

#include "format/xspace/message.h"
#include "format/xspace/names.h"
#include "format/xspace/xspace.h"

/* Fields of the messages of xplane.proto. */
enum { TM_XSPACE_PLANE = 1, TM_XSPACE_ERROR = 2, TM_XSPACE_WARNING = 3, TM_XSPACE_HOSTNAME = 4 };
enum {
    TM_XPLANE_ID = 1,
    TM_XPLANE_NAME = 2,
    TM_XPLANE_LINE = 3,
    TM_XPLANE_EVENT_METADATA = 4,
    TM_XPLANE_STAT_METADATA = 5,
    TM_XPLANE_STAT = 6
};
enum {
    TM_XLINE_ID = 1,
    TM_XLINE_NAME = 2,
    TM_XLINE_TIMESTAMP_NS = 3,
    TM_XLINE_EVENT = 4,
    TM_XLINE_DISPLAY_ID = 10,
    TM_XLINE_DISPLAY_NAME = 11
};
enum { TM_XMETADATA_NAME = 2, TM_XEVENT_METADATA_DISPLAY_NAME = 4, TM_XEVENT_METADATA_STAT = 5 };

/* Names of planes and lines are cut to this length. */
enum { TM_XSPACE_NAME_MAX = 4096 };

struct tm_xspace_line {
    int64_t id, timestamp_ns;
    bool has_name;
    int64_t tid;
};

struct tm_xspace_plane {
    uint64_t at, len; /* of its message in the file */
    uint64_t missing; /* bytes that its length states and the file lacks */
};

struct tm_xspace {
    struct tm_format_context context;
    struct tm_extent file;    /* the profile */
    struct tm_extent uncounted; /* the same file; reads through it are not counted as progress */
    struct tm_xspace_plane *planes;
    uint32_t plane_count, plane_cap;
    uint64_t rest_at; /* the end of the last field of the XSpace; the bytes from here on are damage */
    bool has_start, is_absolute;
    int64_t start_ns; /* wall-clock time from which times of lines count, unless they are wall-clock times */
    uint32_t next_plane;
    bool in_plane, in_line;
    struct tm_xspace_message plane, line;
    struct tm_xspace_names events, stats; /* of the current plane */
    struct tm_buf plane_name;
    int64_t pid;
    bool has_process; /* the process has been defined */
    struct tm_xspace_line now;
    uint32_t note_count;
    uint64_t unnamed_count, unshown_stat_count;
    struct tm_buf detail, inner, key, text;
    size_t detail_max; /* stats of the current event that come after so many bytes of its detail are not shown */
    struct tm_error *err; /* of the current call */
};

/* Handles damage at BYTE that loses SKIPPED bytes. *err may have the cause already; otherwise it is CAUSE. TM_E_INPUT
 * if the run halts at damage; otherwise accounts for it and returns TM_OK. */
enum tm_status tm_xspace_damage(struct tm_xspace *x, uint64_t byte, uint64_t skipped, const char *cause);

/* Adds a row of metadata. Its name is in x->key, its text has LEN bytes at TEXT. TM_OK or an error. */
enum tm_status tm_xspace_note(struct tm_xspace *x, const void *text, size_t len);

/* Reads the description of a plane: its name, the names of its events, its stats as metadata. Opens it in x->plane.
 * TM_OK or an error. */
enum tm_status tm_xspace_plane_open(struct tm_xspace *x, const struct tm_xspace_plane *plane);

/* If PLANE states when the recording started, sets x->start_ns. TM_OK or an error. */
enum tm_status tm_xspace_plane_start(struct tm_xspace *x, const struct tm_xspace_plane *plane);

/* Reads the description of the line FIELD, defines the line if it has events, and opens it in x->line. TM_OK or an
 * error. */
enum tm_status tm_xspace_line_open(struct tm_xspace *x, const struct tm_xspace_field *field);

/* Adds the row of an event of x->now. Its message DATA is at BYTE. TM_OK or an error. */
enum tm_status tm_xspace_event(struct tm_xspace *x, struct tm_text data, uint64_t byte);

/* The flows that the stats of one event state. */
struct tm_xspace_flows {
    uint64_t flow;
    bool has_flow, is_async;
    bool has_correlation, has_producer, has_consumer, has_producer_type, has_consumer_type;
    uint64_t correlation, producer, consumer, producer_type, consumer_type;
};

/* Adds STAT, a message, to x->detail as an argument, and its flows to FLOWS. TM_OK or an error. */
enum tm_status tm_xspace_stat(struct tm_xspace *x, struct tm_text stat, struct tm_xspace_flows *flows);

/* Appends the ids of FLOWS to x->detail. TM_OK or an error. */
enum tm_status tm_xspace_flows_put(struct tm_xspace *x, const struct tm_xspace_flows *flows);

/* The last text in FIELD of a message of metadata; empty: none. */
struct tm_text tm_xspace_name(struct tm_text metadata, uint32_t field);

#endif
