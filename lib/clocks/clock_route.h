/* A route: one (file, machine, clock, sequence) on its way to trace time, with the step that
 * converted its last event. While times stay inside the step's interval a conversion is two
 * comparisons and an addition. */
#ifndef TM_CLOCKS_CLOCK_ROUTE_H
#define TM_CLOCKS_CLOCK_ROUTE_H

#include "clocks/clock_file.h"
#include "clocks/clock_hints.h"

/* What events of one route agree in. */
struct tm_route_key {
    uint32_t file;     /* File.id */
    uint32_t embedded; /* machine id as recorded */
    uint32_t clock;    /* as recorded; 0: the file's default */
    uint32_t sequence;
};

static inline bool tm_route_key_is(const struct tm_route_key *a, const struct tm_route_key *b)
{
    return a->file == b->file && a->embedded == b->embedded && a->clock == b->clock && a->sequence == b->sequence;
}

struct tm_clock_route {
    struct tm_route_key key;
    uint64_t version; /* of the registry when it was found; 0: an empty slot */
    struct tm_clock_scope *scope;
    uint32_t clock;   /* id after defaults; 0: times are taken as they stand */
    uint32_t source;  /* in the graph; UINT32_MAX: unknown there */
    uint32_t record;  /* in the scope */
    bool is_plain;    /* readings are absolute nanoseconds */
    bool has_events;  /* run below holds some */
    bool is_provisional; /* with --interpolate: placed by a snapshot, a line may place them better (line_rows.h) */
    uint32_t line_route; /* the number of that there; UINT32_MAX: not known */
    struct tm_step step; /* first_ns > last_ns: none yet */
    struct tm_placed_run run; /* events placed by step and not yet told the record */
};

enum { TM_ROUTES = 256 };

/* Zero-initialise with registry, files and hints set. */
struct tm_clock_routes {
    struct tm_clock_registry *registry;     /* borrowed */
    const struct tm_clock_files *files; /* borrowed */
    struct tm_clock_hints *hints;      /* borrowed */
    bool waits_for_lines;              /* what snapshots place is provisional */
    struct tm_clock_route routes[TM_ROUTES];
    /* private */
    struct tm_map used;   /* snapshots that records have used */
    struct tm_map serial_of; /* (file, machine, clock) to the number of its record */
    struct tm_buf text;
};

/* The route of KEY, up to date with the registry. IS_DATA as for tm_clock_file_scope. Valid until the
 * next call. TM_OK or an error. */
enum tm_status tm_clock_routes_find(struct tm_clock_routes *routes, const struct tm_route_key *key, bool is_data,
                                    struct tm_clock_route **route, struct tm_error *err);

/* Absolute nanoseconds for VALUE on ROUTE: times the unit, and added up where the clock is
 * incremental, which moves it on. False when that leaves int64. The source is known. */
bool tm_clock_route_absolute(const struct tm_clock_route *route, struct tm_clock_registry *registry, int64_t value,
                             int64_t *ns);

/* Finds the step for NS outside the one ROUTE has. TM_CONVERT_OK sets it. */
enum tm_status tm_clock_routes_step(struct tm_clock_routes *routes, struct tm_clock_route *route, int64_t ns,
                                    enum tm_convert *result, struct tm_error *err);

/* Before its first conversion ROUTE's file is placed; which may change what ROUTE leads to. *WAITS:
 * not yet, for a hint may still come, and ROUTE leads nowhere until then. */
enum tm_status tm_clock_routes_prepare(struct tm_clock_routes *routes, struct tm_clock_route *route, bool *waits,
                                       struct tm_error *err);

/* Tells the record of ROUTE what its step has placed, unless that is provisional. */
enum tm_status tm_clock_routes_settle(struct tm_clock_routes *routes, struct tm_clock_route *route,
                                      struct tm_error *err);

/* Tells the records what all routes of FILE have gathered and empties their slots. */
enum tm_status tm_clock_routes_flush(struct tm_clock_routes *routes, uint32_t file, struct tm_error *err);

void tm_clock_routes_release(struct tm_clock_routes *routes);

#endif
