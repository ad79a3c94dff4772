/* A route: the path from one (file, machine, clock, sequence) to trace time, with the step that converted its last
 * event. While times stay inside the step's interval, a conversion is two comparisons and an addition. */
#ifndef TM_CLOCKS_CLOCK_ROUTE_H
#define TM_CLOCKS_CLOCK_ROUTE_H

#include "base/table.h"
#include "clocks/clock_file.h"
#include "clocks/clock_hints.h"

/* What all events of one route have in common. */
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
    uint64_t version; /* version of the registry when it was found; 0: an empty slot */
    struct tm_clock_scope *scope;
    uint32_t clock;   /* id after defaults; 0: times are not converted */
    uint32_t source;  /* in the graph; UINT32_MAX: unknown there */
    uint32_t record;  /* in the scope; UINT32_MAX: it is known once the file is placed (tm_clock_routes_prepare) */
    bool is_in_ns;    /* readings are absolute nanoseconds */
    bool has_events;  /* run below holds some */
    bool is_provisional; /* with --interpolate: a snapshot placed it, and a line may place it better (line_rows.h) */
    uint32_t line_route; /* its number among the routes of line_rows.h; UINT32_MAX: not known */
    struct tm_step step; /* first_ns > last_ns: none yet */
    struct tm_placed_run run; /* events placed by step that the record does not count yet */
};

enum { TM_ROUTES = 256 };

/* Zero-initialise with registry, files and hints set. */
struct tm_clock_routes {
    struct tm_clock_registry *registry;     /* borrowed */
    const struct tm_clock_files *files; /* borrowed */
    struct tm_clock_hints *hints;      /* borrowed */
    bool defers_for_lines;              /* what snapshots place is provisional */
    struct tm_clock_route routes[TM_ROUTES];
    /* private */
    uint64_t in_use[TM_ROUTES / 64]; /* a bit for each slot that may hold a route, so the others are never touched */
    struct tm_map used;   /* snapshots that records have used */
    struct tm_table serial_of; /* (file, machine, clock) to the number of its record */
    struct tm_buf text;
};

/* Finds the route of KEY, up to date with the registry. IS_DATA: the packet is not a synchronization marker. *ROUTE is
 * valid until the next call. TM_OK or an error. */
enum tm_status tm_clock_routes_find(struct tm_clock_routes *routes, const struct tm_route_key *key, bool is_data,
                                    struct tm_clock_route **route, struct tm_error *err);

/* True if the unit of ROUTE's clock is settled. Otherwise readings are taken as nanoseconds. */
bool tm_clock_route_is_registered(const struct tm_clock_route *route, const struct tm_clock_registry *registry);

/* Sets *NS to VALUE on ROUTE in absolute nanoseconds. Multiplies by the unit. If the clock is incremental, adds its
 * last value and advances the clock. False if the result is no int64. The route's source must be known. */
bool tm_clock_route_absolute(const struct tm_clock_route *route, struct tm_clock_registry *registry, int64_t value,
                             int64_t *ns);

/* Finds the step for NS, which is outside ROUTE's step. *RESULT is TM_CONVERT_OK if it was set. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_clock_routes_step(struct tm_clock_routes *routes, struct tm_clock_route *route, int64_t ns,
                                    enum tm_convert *result, struct tm_error *err);

/* Places ROUTE's file before its first conversion, which may change where ROUTE leads. *IS_PENDING: true if it was not
 * placed, because a hint may still come. ROUTE leads nowhere until then. TM_OK, TM_E_INPUT (limit) or TM_E_SYSTEM. */
enum tm_status tm_clock_routes_prepare(struct tm_clock_routes *routes, struct tm_clock_route *route, bool *is_pending,
                                       struct tm_error *err);

/* Moves the run of ROUTE to its record, unless it is provisional. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_clock_routes_settle(struct tm_clock_routes *routes, struct tm_clock_route *route,
                                      struct tm_error *err);

/* Moves the runs of all routes of FILE to their records and empties their slots. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_clock_routes_flush(struct tm_clock_routes *routes, uint32_t file, struct tm_error *err);

void tm_clock_routes_release(struct tm_clock_routes *routes);

#endif
