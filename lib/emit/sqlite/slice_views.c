#include "emit/sqlite/internal.h"

#define SLICE_OF(track) \
    "s.id, s.ts, s.dur, s.category, s.name, s.track_id, " track ".name AS track_name"
#define PROCESS "p.name AS process_name, p.upid, p.pid"
#define PLACE "s.depth, s.parent_id, s.arg_set_id"
#define THREAD_TIMES "s.thread_ts, s.thread_dur"
#define OF_THREAD \
    " FROM slice s JOIN thread_track k ON k.id = s.track_id JOIN thread t ON t.id = k.utid" \
    " LEFT JOIN process p ON p.id = t.upid"
#define OF_PROCESS " FROM slice s JOIN process_track k ON k.id = s.track_id JOIN process p ON p.id = k.upid"

/* A recursive view would be computed for all slices. A recursion in the argument of json_each is computed for one, so
 * "WHERE slice_id = 5" follows only the parents of that slice. CROSS JOIN keeps this order. */
#define ANCESTORS(slice) \
    "WITH RECURSIVE up(id) AS (SELECT " slice ".parent_id UNION ALL SELECT p.parent_id FROM up CROSS JOIN slice p" \
    " ON p.id = up.id) SELECT "

const char tm_sqlite_slice_views[] =
    "CREATE VIEW thread_slice AS SELECT " SLICE_OF("k") ", t.name AS thread_name, t.utid, t.tid, t.is_main_thread, "
    PROCESS ", " PLACE ", " THREAD_TIMES OF_THREAD ";"
    "CREATE VIEW process_slice AS SELECT " SLICE_OF("k") ", " PROCESS ", " PLACE ", " THREAD_TIMES OF_PROCESS ";"
    "CREATE VIEW thread_or_process_slice AS SELECT " SLICE_OF("k") ", t.name AS thread_name, t.utid, t.tid, "
    PROCESS ", " PLACE OF_THREAD
    " UNION ALL SELECT " SLICE_OF("k") ", NULL, NULL, NULL, " PROCESS ", " PLACE OF_PROCESS ";"
    "CREATE VIEW sched_with_thread_process AS SELECT s.id, s.ts, s.dur, s.utid, t.name AS thread_name, t.upid,"
    " p.name AS process_name, s.cpu, s.end_state, s.priority FROM sched s JOIN thread t ON t.id = s.utid"
    " LEFT JOIN process p ON p.id = t.upid;"
    "CREATE VIEW slice_with_machine AS SELECT " SLICE_OF("k") ", t.name AS thread_name, t.utid, t.tid, "
    PROCESS ", " PLACE ", " THREAD_TIMES ", m.id AS machine_id, m.name AS machine_name, f.name AS file_name"
    " FROM slice s JOIN track k ON k.id = s.track_id LEFT JOIN thread t ON t.id = k.utid"
    " LEFT JOIN process p ON p.id = CASE WHEN k.utid IS NULL THEN k.upid ELSE t.upid END"
    " LEFT JOIN machine m ON m.id = k.machine_id LEFT JOIN trace_file f ON f.id = k.trace_file_id;"
    "CREATE VIEW ancestor_slice AS SELECT s.id AS slice_id, a.* FROM slice s CROSS JOIN json_each(("
    ANCESTORS("s") "json_group_array(id) FROM up WHERE id IS NOT NULL)) j CROSS JOIN slice a ON a.id = j.value;"
    /* Between begin and end of a slice, deeper slices on its track are within it. At these two times it may belong
	 * to the slice before or after, so its parents decide. */
    "CREATE VIEW descendant_slice AS SELECT s.id AS slice_id, d.* FROM slice s CROSS JOIN slice d"
    " ON d.track_id = s.track_id AND d.ts >= s.ts AND d.depth > s.depth"
    " AND d.ts <= CASE WHEN s.dur < 0 THEN 9223372036854775807 ELSE s.ts + s.dur END"
    " AND (d.ts NOT IN (s.ts, s.ts + s.dur) OR EXISTS (" ANCESTORS("d") "1 FROM up WHERE id = s.id));";
