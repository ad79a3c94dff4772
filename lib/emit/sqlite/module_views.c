#include "emit/sqlite/internal.h"

/* The values of the counters NAME of cpus, each with the time until the next one; the last one holds to the end of the
 * trace. Of readings that repeat a value the first two and the last count, as in the reference. */
#define CPU_COUNTER(name, columns)                                                                                   \
    " AS SELECT id, track_id, ts, lead(ts, 1, (SELECT end_ts FROM trace_bounds)) OVER (PARTITION BY track_id"        \
    " ORDER BY ts, id) - ts AS dur, " columns " FROM (SELECT c.id, c.track_id, c.ts, c.value, t.cpu, t.machine_id,"  \
    " lag(c.value) OVER track AS last, lag(c.value, 2) OVER track AS last_but_one, lead(c.value) OVER track AS next" \
    " FROM counter c JOIN track t ON t.id = c.track_id WHERE t.cpu IS NOT NULL AND t.name = '" name "'"              \
    " WINDOW track AS (PARTITION BY c.track_id ORDER BY c.ts, c.id))"                                                \
    " WHERE last IS NOT value OR last_but_one IS NOT value OR next <> value;"

/* The number of INTERVALS, which have ts and dur, at each time at which an interval begins or ends. */
#define OVERLAPS(column, intervals)                                                                                  \
    " AS WITH x AS (" intervals ") SELECT ts, sum(sum(step)) OVER (ORDER BY ts) AS " column                          \
    " FROM (SELECT ts, 1 AS step FROM x UNION ALL SELECT ts + dur, -1 FROM x WHERE dur <> -1) GROUP BY ts;"

/* The share of STATE in the time of a thread, in percent. */
#define SHARE(state, column) "max(percentage_in_state) FILTER (WHERE state = '" state "') AS " column

#define IRQS(type, columns)                                                                                          \
    "SELECT s.ts, s.dur, s.name, s.id" columns " FROM slice s JOIN track t ON t.id = s.track_id"                     \
    " WHERE t.type = '" type "'"

/* The time that a thread has run up to a point is the sum of the ends of its scheduling slices up to there, less their
 * begins; if it runs there, the point is added. So one pass over the points in order of time suffices. Times count from
 * the start of the trace, so the sums do not overflow. */
#define POINTS(utid, ts, step, slice, sign, from)                                                                    \
    "SELECT " utid ", " ts " - (SELECT start_ts FROM trace_bounds), " step ", " slice ", " sign " FROM " from
#define RUNS "sched WHERE dur > 0"
#define OF_THREADS "slice s JOIN thread_track k ON k.id = s.track_id WHERE s.dur > 0 AND k.utid <> 0"

#define BATTERY(name, column) "max(c.value) FILTER (WHERE t.name = 'batt." name "') AS " column

const char tm_sqlite_module_views[] =
    "CREATE VIEW slice_self_dur AS SELECT s.id, s.dur - coalesce(c.dur, 0) AS self_dur FROM slice s LEFT JOIN"
    " (SELECT parent_id, sum(dur) AS dur FROM slice WHERE parent_id IS NOT NULL GROUP BY parent_id) c"
    " ON c.parent_id = s.id;"
    "CREATE VIEW thread_slice_cpu_time AS WITH point(utid, t, step, slice_id, sign) AS ("
    POINTS("utid", "ts", "1", "NULL", "0", RUNS) " UNION ALL " POINTS("utid", "ts + dur", "-1", "NULL", "0", RUNS)
    " UNION ALL " POINTS("k.utid", "s.ts", "0", "s.id", "-1", OF_THREADS)
    " UNION ALL " POINTS("k.utid", "s.ts + s.dur", "0", "s.id", "1", OF_THREADS)
    "), ran AS (SELECT slice_id, sign * (sum(step) OVER until * t - sum(step * t) OVER until) AS ns FROM point"
    " WINDOW until AS (PARTITION BY utid ORDER BY t)), total AS (SELECT slice_id, sum(ns) AS cpu_time FROM ran"
    " WHERE slice_id IS NOT NULL GROUP BY slice_id) SELECT s.id, s.name, t.utid, t.name AS thread_name, p.upid,"
    " p.name AS process_name, total.cpu_time FROM total JOIN slice s ON s.id = total.slice_id"
    " JOIN track k ON k.id = s.track_id JOIN thread t ON t.utid = k.utid LEFT JOIN process p ON p.upid = t.upid"
    " WHERE total.cpu_time > 0;"
    "CREATE VIEW cpu_frequency_counters"
    CPU_COUNTER("cpufreq", "CAST(value AS INTEGER) AS freq, machine_id * 4096 + cpu AS ucpu, cpu")
    "CREATE VIEW cpu_idle_counters"
    CPU_COUNTER("cpuidle", "CASE value WHEN 4294967295 THEN -1 ELSE CAST(value AS INTEGER) END AS idle, cpu")
    "CREATE VIEW cpu_idle_stats AS SELECT cpu, idle + 1 AS state, count, dur, dur / count AS avg_dur,"
    " dur * 100.0 / whole AS idle_percent FROM (SELECT cpu, idle, count(*) AS count, sum(dur) AS dur,"
    " sum(sum(dur)) OVER (PARTITION BY cpu) AS whole FROM cpu_idle_counters GROUP BY cpu, idle) WHERE idle >= 0;"
    /* A later state of a thread has a greater id. Runnable states are R and R+. */
    "CREATE VIEW sched_previous_runnable_on_thread AS SELECT id, prev_runnable_id, prev_wakeup_runnable_id FROM"
    " (SELECT id, state, max(id) FILTER (WHERE state <> 'Running') OVER before AS prev_runnable_id,"
    " max(id) FILTER (WHERE waker_utid IS NOT NULL AND irq_context IS NOT 1) OVER before AS prev_wakeup_runnable_id"
    " FROM thread_state WHERE state GLOB 'R*' AND dur <> -1 WINDOW before AS (PARTITION BY utid ORDER BY id))"
    " WHERE state = 'Running';"
    "CREATE VIEW sched_latency_for_running_interval AS SELECT r.id AS thread_state_id, s.id AS sched_id, w.utid,"
    " w.id AS runnable_latency_id, w.dur AS latency_dur FROM sched_previous_runnable_on_thread r"
    " JOIN thread_state w ON w.id = r.prev_runnable_id JOIN thread_state n ON n.id = r.id"
    " JOIN sched s ON s.utid = n.utid AND s.ts = n.ts AND s.dur = n.dur;"
    "CREATE VIEW sched_time_in_state_for_thread AS SELECT utid, sum(sum(dur)) OVER of_thread AS total_runtime, state,"
    " sum(dur) AS time_in_state, sum(dur) * 100 / sum(sum(dur)) OVER of_thread AS percentage_in_state"
    " FROM thread_state GROUP BY utid, state WINDOW of_thread AS (PARTITION BY utid);"
    "CREATE VIEW sched_percentage_of_time_in_state AS SELECT utid, " SHARE("Running", "running") ", "
    SHARE("R", "runnable") ", " SHARE("R+", "runnable_preempted") ", " SHARE("S", "sleeping") ", "
    SHARE("D", "uninterruptible_sleep") ", sum(time_in_state) FILTER"
    " (WHERE state IN ('T', 't', 'X', 'Z', 'x', 'I', 'K', 'W', 'P', 'N')) * 100 / total_runtime AS other"
    " FROM sched_time_in_state_for_thread GROUP BY utid;"
    "CREATE VIEW sched_runnable_thread_count"
    OVERLAPS("runnable_thread_count", "SELECT ts, dur FROM thread_state WHERE state = 'R'")
    "CREATE VIEW sched_uninterruptible_sleep_thread_count"
    OVERLAPS("uninterruptible_sleep_thread_count", "SELECT ts, dur FROM thread_state WHERE state = 'D'")
    "CREATE VIEW sched_active_cpu_count"
    OVERLAPS("active_cpu_count",
             "SELECT ts, dur FROM sched WHERE utid NOT IN (SELECT utid FROM thread WHERE is_idle)")
    "CREATE VIEW linux_hard_irqs AS " IRQS("cpu_irq", ", s.parent_id") ";"
    "CREATE VIEW linux_soft_irqs AS " IRQS("cpu_softirq", "") ";"
    "CREATE VIEW linux_irqs AS SELECT *, 0 AS is_soft_irq FROM linux_hard_irqs UNION ALL"
    " SELECT *, NULL, 1 FROM linux_soft_irqs;"
    /* Thread 2 of a Linux machine makes all others of the kernel. */
    "CREATE VIEW linux_kernel_threads AS SELECT p.upid, t.utid, p.pid, t.tid, p.name AS process_name,"
    " t.name AS thread_name, p.machine_id FROM process p JOIN thread t ON t.upid = p.upid"
    " WHERE p.pid = 2 OR p.parent_upid IN (SELECT upid FROM process WHERE pid = 2);"
    "CREATE VIEW android_battery_charge AS SELECT c.ts, " BATTERY("current.avg_ua", "current_avg_ua") ", "
    BATTERY("capacity_pct", "capacity_percent") ", " BATTERY("charge_uah", "charge_uah") ", "
    BATTERY("current_ua", "current_ua") ", " BATTERY("voltage_uv", "voltage_uv") ", "
    BATTERY("energy_counter_uwh", "energy_counter_uwh") ", " BATTERY("power_mw", "power_mw")
    " FROM counter c JOIN track t ON t.id = c.track_id WHERE t.is_counter = 1 AND t.name GLOB 'batt.*'"
    " GROUP BY c.ts;";
