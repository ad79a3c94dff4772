#include "emit/sqlite/internal.h"

/* Tables in the form of doc/model.md. Further columns are our own: values by which the views distinguish tracks, and
 * the file of a track. */
static const char tables[] =
    "CREATE TABLE machine(id INTEGER PRIMARY KEY, raw_id INTEGER, name TEXT, sysname TEXT, release TEXT,"
    " version TEXT, arch TEXT, num_cpus INTEGER, android_build_fingerprint TEXT, android_device_manufacturer TEXT,"
    " android_sdk_version INTEGER, system_ram_bytes INTEGER, label_index INTEGER, system_ram_gb INTEGER,"
    " page_size INTEGER);"
    "CREATE TABLE trace_file(id INTEGER PRIMARY KEY, parent_id INTEGER, name TEXT, size INTEGER, trace_type TEXT,"
    " processing_order INTEGER, is_container INTEGER);"
    "CREATE TABLE metadata(id INTEGER PRIMARY KEY, name TEXT, key_type TEXT, int_value INTEGER, str_value TEXT,"
    " machine_id INTEGER, trace_id INTEGER);"
    "CREATE TABLE stats(id INTEGER PRIMARY KEY, name TEXT, key TEXT, idx INTEGER, severity TEXT, source TEXT,"
    " value INTEGER, description TEXT, machine_id INTEGER, trace_id INTEGER);"
    "CREATE TABLE clock_snapshot(id INTEGER PRIMARY KEY, ts INTEGER, clock_id INTEGER, clock_name TEXT,"
    " clock_value INTEGER, snapshot_id INTEGER, machine_id INTEGER);"
    "CREATE TABLE trace_bounds(start_ts INTEGER, end_ts INTEGER);"
    "CREATE TABLE process(id INTEGER PRIMARY KEY, upid INTEGER, pid INTEGER, name TEXT, start_ts INTEGER,"
    " end_ts INTEGER, parent_upid INTEGER, uid INTEGER, cmdline TEXT, arg_set_id INTEGER, machine_id INTEGER,"
    " android_appid INTEGER, android_user_id INTEGER);"
    "CREATE TABLE thread(id INTEGER PRIMARY KEY, utid INTEGER, tid INTEGER, name TEXT, start_ts INTEGER,"
    " end_ts INTEGER, upid INTEGER, is_main_thread INTEGER, is_idle INTEGER, machine_id INTEGER,"
    " arg_set_id INTEGER);"
    "CREATE TABLE cpu(id INTEGER PRIMARY KEY, ucpu INTEGER, cpu INTEGER, cluster_id INTEGER, processor TEXT,"
    " machine_id INTEGER, capacity INTEGER, arg_set_id INTEGER);"
    "CREATE TABLE gpu(id INTEGER PRIMARY KEY, ugpu INTEGER, gpu INTEGER, machine_id INTEGER, name TEXT, vendor TEXT,"
    " model TEXT, architecture TEXT, uuid TEXT, pci_bdf TEXT, arg_set_id INTEGER);"
    "CREATE TABLE cpu_available_frequencies(id INTEGER PRIMARY KEY, cpu INTEGER, freq INTEGER, ucpu INTEGER);"
    "CREATE TABLE track(id INTEGER PRIMARY KEY, name TEXT, type TEXT, parent_id INTEGER, source_arg_set_id INTEGER,"
    " dimension_arg_set_id INTEGER, machine_id INTEGER, trace_file_id INTEGER, is_counter INTEGER, unit TEXT,"
    " utid INTEGER, upid INTEGER, cpu INTEGER, gpu INTEGER, description TEXT);"
    "CREATE TABLE slice(id INTEGER PRIMARY KEY, ts INTEGER, dur INTEGER, track_id INTEGER, category TEXT, name TEXT,"
    " depth INTEGER, parent_id INTEGER, arg_set_id INTEGER, thread_ts INTEGER, thread_dur INTEGER,"
    " thread_instruction_count INTEGER, thread_instruction_delta INTEGER);"
    "CREATE TABLE counter(id INTEGER PRIMARY KEY, ts INTEGER, track_id INTEGER, value REAL, arg_set_id INTEGER);"
    "CREATE TABLE sched(id INTEGER PRIMARY KEY, ts INTEGER, dur INTEGER, ts_end INTEGER, cpu INTEGER, ucpu INTEGER,"
    " utid INTEGER, end_state TEXT, priority INTEGER);"
    "CREATE TABLE thread_state(id INTEGER PRIMARY KEY, ts INTEGER, dur INTEGER, cpu INTEGER, utid INTEGER, state TEXT,"
    " io_wait INTEGER, blocked_function TEXT, waker_utid INTEGER, waker_id INTEGER, irq_context INTEGER,"
    " ucpu INTEGER);"
    "CREATE TABLE spurious_sched_wakeup(id INTEGER PRIMARY KEY, ts INTEGER, thread_state_id INTEGER,"
    " irq_context INTEGER, utid INTEGER, waker_utid INTEGER);"
    "CREATE TABLE ftrace_event(id INTEGER PRIMARY KEY, ts INTEGER, name TEXT, cpu INTEGER, utid INTEGER,"
    " arg_set_id INTEGER, common_flags INTEGER, ucpu INTEGER);"
    "CREATE TABLE tm_arg_set(id INTEGER PRIMARY KEY, args TEXT);"
    "CREATE TABLE tm_arg_key(id INTEGER PRIMARY KEY, flat_key TEXT, key TEXT);"
    "CREATE TABLE tm_arg_real(id INTEGER PRIMARY KEY, value REAL);"
    "CREATE TABLE flow(id INTEGER PRIMARY KEY, slice_out INTEGER, slice_in INTEGER);"
    "CREATE TABLE tm_sample(id INTEGER PRIMARY KEY, ts INTEGER, source TEXT, utid INTEGER, callsite_id INTEGER,"
    " cpu INTEGER, ucpu INTEGER, cpu_mode TEXT, unwind_error TEXT, upid INTEGER);"
    "CREATE TABLE stack_sample_counter(id INTEGER PRIMARY KEY, stack_sample_id INTEGER, track_id INTEGER,"
    " value REAL);"
    "CREATE TABLE heap_profile(id INTEGER PRIMARY KEY, ts INTEGER, ts_end INTEGER, dur INTEGER, upid INTEGER,"
    " heap_name TEXT);"
    "CREATE TABLE heap_profile_allocation(id INTEGER PRIMARY KEY, ts INTEGER, upid INTEGER, heap_name TEXT,"
    " callsite_id INTEGER, count INTEGER, size INTEGER);"
    "CREATE TABLE heap_graph(id INTEGER PRIMARY KEY, ts INTEGER, upid INTEGER, dump_reason TEXT, heap_size INTEGER,"
    " truncated INTEGER);"
    "CREATE TABLE heap_graph_class(id INTEGER PRIMARY KEY, name TEXT, deobfuscated_name TEXT, location TEXT,"
    " superclass_id INTEGER, classloader_id INTEGER, kind TEXT);"
    "CREATE TABLE heap_graph_object(id INTEGER PRIMARY KEY, upid INTEGER, graph_sample_ts INTEGER, self_size INTEGER,"
    " native_size INTEGER, reference_set_id INTEGER, reachable INTEGER, heap_type TEXT, type_id INTEGER,"
    " root_type TEXT, root_distance INTEGER, object_data_id INTEGER);"
    "CREATE TABLE heap_graph_reference(id INTEGER PRIMARY KEY, reference_set_id INTEGER, owner_id INTEGER,"
    " owned_id INTEGER, field_name TEXT, field_type_name TEXT, deobfuscated_field_name TEXT);"
    "CREATE TABLE heap_graph_object_data(id INTEGER PRIMARY KEY, field_set_id INTEGER, value_string TEXT,"
    " array_element_type TEXT, array_element_count INTEGER, array_data_id INTEGER, array_data_hash INTEGER);"
    "CREATE TABLE heap_graph_primitive(id INTEGER PRIMARY KEY, field_set_id INTEGER, field_name TEXT, field_type TEXT,"
    " bool_value INTEGER, byte_value INTEGER, char_value INTEGER, short_value INTEGER, int_value INTEGER,"
    " long_value INTEGER, float_value REAL, double_value REAL);"
    "CREATE TABLE android_logs(id INTEGER PRIMARY KEY, ts INTEGER, utid INTEGER, prio INTEGER, tag TEXT, msg TEXT,"
    " arg_set_id INTEGER, log_source TEXT, syslog_prio INTEGER);"
    "CREATE TABLE tm_package(id INTEGER PRIMARY KEY, package_name TEXT, uid INTEGER, debuggable INTEGER,"
    " profileable_from_shell INTEGER, version_code INTEGER, machine_id INTEGER, trace_file_id INTEGER);"
    "CREATE TABLE stack_profile_callsite(id INTEGER PRIMARY KEY, depth INTEGER, parent_id INTEGER,"
    " frame_id INTEGER);"
    "CREATE TABLE stack_profile_frame(id INTEGER PRIMARY KEY, name TEXT, mapping INTEGER, rel_pc INTEGER,"
    " symbol_set_id INTEGER, deobfuscated_name TEXT);"
    "CREATE TABLE stack_profile_symbol(id INTEGER PRIMARY KEY, symbol_set_id INTEGER, name TEXT, source_file TEXT,"
    " line_number INTEGER, inlined INTEGER);"
    "CREATE TABLE stack_profile_mapping(id INTEGER PRIMARY KEY, build_id TEXT, exact_offset INTEGER,"
    " start_offset INTEGER, start INTEGER, end INTEGER, load_bias INTEGER, name TEXT);"
    "CREATE TABLE tm_placement(trace_file_id INTEGER, machine_id INTEGER, clock_id INTEGER, clock_name TEXT,"
    " rule TEXT, path TEXT, first_ts INTEGER, last_ts INTEGER, first_offset_ns INTEGER, last_offset_ns INTEGER,"
    " snapshots_used INTEGER, max_distance_ns INTEGER, placed INTEGER);"
    "CREATE TABLE tm_accounting(trace_file_id INTEGER, machine_id INTEGER, clock_id INTEGER, reason TEXT,"
    " events INTEGER);";

/* Indices for the usual joins, in addition to the primary keys. */
static const char indices[] =
    "CREATE UNIQUE INDEX process_upid ON process(upid);"
    "CREATE UNIQUE INDEX thread_utid ON thread(utid);"
    "CREATE UNIQUE INDEX cpu_ucpu ON cpu(ucpu);";

/* Indices for queries about a part of the timeline. They are made last, so SQLite sorts all rows at once. */
static const char time_indices[] =
    "CREATE INDEX slice_track_id_ts ON slice(track_id, ts);"
    "CREATE INDEX counter_track_id_ts ON counter(track_id, ts);"
    "CREATE INDEX sched_ucpu_ts ON sched(ucpu, ts);"
    "CREATE INDEX thread_state_utid_ts ON thread_state(utid, ts);";

/* A set is an object {"KEY TYPE PLACE": value}, without the spaces: the number in tm_arg_key, the first letter of
 * value_type, and the place of the arg in the set. CROSS JOIN keeps the order of the tables: sets first, or the
 * one set of a query. */
#define ARG_PLACE "substr(ltrim(j.key, '0123456789'), 2)"
#define ARG_TYPE "substr(ltrim(j.key, '0123456789'), 1, 1)"

static const char args_view[] =
    "CREATE VIEW args AS SELECT s.id + " ARG_PLACE " AS id, s.id AS arg_set_id, k.flat_key, k.key,"
    " CASE WHEN " ARG_TYPE " IN ('i', 'u', 'b', 'p') THEN j.value END AS int_value,"
    " CASE WHEN " ARG_TYPE " IN ('s', 'j') THEN j.value END AS string_value,"
    " CASE " ARG_TYPE " WHEN 'r' THEN (SELECT value FROM tm_arg_real r WHERE r.id = s.id + " ARG_PLACE ") END"
    " AS real_value,"
    " CASE " ARG_TYPE " WHEN 'i' THEN 'int' WHEN 's' THEN 'string' WHEN 'r' THEN 'real' WHEN 'b' THEN 'bool'"
    " WHEN 'u' THEN 'uint' WHEN 'p' THEN 'pointer' WHEN 'j' THEN 'json' ELSE 'null' END AS value_type,"
    " CASE " ARG_TYPE " WHEN 'b' THEN CASE j.value WHEN 0 THEN 'false' ELSE 'true' END"
    " WHEN 'p' THEN printf('0x%x', j.value) WHEN 'u' THEN printf('%llu', j.value) WHEN 'n' THEN NULL"
    " WHEN 'r' THEN CAST((SELECT value FROM tm_arg_real r WHERE r.id = s.id + " ARG_PLACE ") AS TEXT)"
    " ELSE CAST(j.value AS TEXT) END AS display_value"
    " FROM tm_arg_set s CROSS JOIN json_each(s.args) j CROSS JOIN tm_arg_key k ON k.id = CAST(j.key AS INTEGER);";

static const char views[] =
    "CREATE VIEW __intrinsic_trace_file AS SELECT * FROM trace_file;"
    "CREATE VIEW thread_track AS SELECT id, name, type, parent_id, source_arg_set_id, dimension_arg_set_id,"
    " machine_id, utid FROM track WHERE utid IS NOT NULL AND is_counter = 0;"
    "CREATE VIEW process_track AS SELECT id, name, type, parent_id, source_arg_set_id, dimension_arg_set_id,"
    " machine_id, upid FROM track WHERE upid IS NOT NULL AND is_counter = 0;"
    "CREATE VIEW counter_track AS SELECT id, name, type, parent_id, source_arg_set_id, dimension_arg_set_id,"
    " machine_id, unit, description FROM track WHERE is_counter = 1;"
    "CREATE VIEW thread_counter_track AS SELECT id, name, type, parent_id, source_arg_set_id, dimension_arg_set_id,"
    " machine_id, unit, description, utid FROM track WHERE is_counter = 1 AND utid IS NOT NULL;"
    "CREATE VIEW process_counter_track AS SELECT id, name, type, parent_id, source_arg_set_id, dimension_arg_set_id,"
    " machine_id, unit, description, upid FROM track WHERE is_counter = 1 AND upid IS NOT NULL;"
    "CREATE VIEW cpu_counter_track AS SELECT id, name, type, parent_id, source_arg_set_id, dimension_arg_set_id,"
    " machine_id, unit, description, cpu FROM track WHERE is_counter = 1 AND cpu IS NOT NULL;"
    "CREATE VIEW gpu_counter_track AS SELECT id, name, type, parent_id, source_arg_set_id, dimension_arg_set_id,"
    " machine_id, unit, description, machine_id * 4096 + gpu AS ugpu, gpu AS gpu_id FROM track"
    " WHERE is_counter = 1 AND gpu IS NOT NULL;"
    "CREATE VIEW gpu_track AS SELECT id, name, type, parent_id, source_arg_set_id, dimension_arg_set_id,"
    " machine_id, type AS scope, description, (SELECT a.int_value FROM args a WHERE"
    " a.arg_set_id = dimension_arg_set_id AND a.key = 'context_id') AS context_id FROM track WHERE type IN"
    " ('drm_vblank', 'drm_sched_ring', 'drm_fence', 'mali_mcu_state', 'gpu_render_stage', 'vulkan_events', 'gpu_log',"
    " 'graphics_frame_event');"
    "CREATE VIEW cpu_track AS SELECT id, name, type, parent_id, source_arg_set_id, dimension_arg_set_id,"
    " machine_id, cpu FROM track WHERE is_counter = 0 AND cpu IS NOT NULL;"
    "CREATE VIEW counters AS SELECT c.*, t.name, t.unit FROM counter c JOIN track t ON t.id = c.track_id;"
    "CREATE VIEW slices AS SELECT *, category AS cat, id AS slice_id FROM slice;"
    "CREATE VIEW instant AS SELECT ts, track_id, name, arg_set_id FROM slice WHERE dur = 0;"
    "CREATE VIEW sched_slice AS SELECT * FROM sched;"
    "CREATE VIEW logs AS SELECT id, ts, utid, COALESCE(syslog_prio, prio) AS prio, log_source, tag, msg, arg_set_id"
    " FROM android_logs;"
    "CREATE VIEW raw AS SELECT * FROM ftrace_event;"
    /* Of the apps of one name in a file's lists, the first counts: min() chooses the row of the other columns. */
    "CREATE VIEW package_list AS SELECT min(id) AS id, package_name, uid, debuggable, profileable_from_shell,"
    " version_code, machine_id, trace_file_id FROM tm_package GROUP BY trace_file_id, machine_id, package_name"
    " ORDER BY id;";

/* The texts of the statements, by number. */
static const char *const statements[TM_SQL_COUNT] = {
    [TM_SQL_SLICE_END] = "UPDATE slice SET dur = ?2, arg_set_id = ?3 WHERE id = ?1",
    [TM_SQL_SLICE_NAME] = "UPDATE slice SET name = ?2 WHERE id = ?1",
    [TM_SQL_SLICE_THREAD_END] = "UPDATE slice SET thread_dur = CASE WHEN ?3 OR ?2 <> thread_ts THEN ?2 - thread_ts END"
                                " WHERE id = ?1",
    [TM_SQL_SLICE_INSTRUCTIONS_END] =
        "UPDATE slice SET thread_instruction_delta = CASE WHEN ?3 OR ?2 <> thread_instruction_count"
        " THEN ?2 - thread_instruction_count END WHERE id = ?1",
    [TM_SQL_SCHED_END] = "UPDATE sched SET dur = ?2, ts_end = ts + ?2, end_state = ?3 WHERE id = ?1",
    [TM_SQL_THREAD_STATE_REASON] = "UPDATE thread_state SET io_wait = ?2,"
                                   " blocked_function = coalesce(?3, blocked_function) WHERE id = ?1",
    [TM_SQL_THREAD_STATE_IS] = "UPDATE thread_state SET state = ?2 WHERE id = ?1",
    [TM_SQL_POSTPONE] = "INSERT INTO tm_postponed VALUES(?4,?1,?2,?3)",
    [TM_SQL_POSTPONED] = "SELECT * FROM tm_postponed ORDER BY a, rowid",
    [TM_SQL_ARG_KEY] = "INSERT INTO tm_arg_key VALUES(?,?,?)",
    [TM_SQL_ARG_KEY_TEXT] = "SELECT key FROM tm_arg_key WHERE id = ?",
    [TM_SQL_SAMPLE_COUNTER] = "INSERT INTO stack_sample_counter(stack_sample_id, track_id, value) VALUES(?,?,?)",
    [TM_SQL_HEAP_DUMP] = "INSERT INTO heap_profile VALUES(?1,?2,?2 + ?3,?3,?4,?5)",
    [TM_SQL_ALLOCATION] = "INSERT INTO heap_profile_allocation VALUES(?,?,?,?,?,?,?)",
    [TM_SQL_HEAP_GRAPH] = "INSERT INTO heap_graph VALUES(?1,?2,?3,NULL,?4,?5)",
    [TM_SQL_HEAP_CLASS] = "INSERT INTO heap_graph_class VALUES(?1,?2,NULL,?3,?4,?5,?6)",
    [TM_SQL_HEAP_DATA] = "INSERT INTO heap_graph_object_data(id, field_set_id) VALUES(?,?)",
    [TM_SQL_HEAP_PRIMITIVE] = "INSERT INTO heap_graph_primitive(id, field_set_id, field_name, field_type, int_value,"
                              " long_value) VALUES(?,?,?,?,?,?)",
    [TM_SQL_CALLSITE] = "INSERT INTO stack_profile_callsite VALUES(?,?,?,?)",
    [TM_SQL_FRAME] = "INSERT INTO stack_profile_frame VALUES(?,?,?,?,?,NULL)",
    [TM_SQL_SYMBOL] = "INSERT INTO stack_profile_symbol VALUES(?,?,?,?,?,NULL)",
    [TM_SQL_MAPPING] = "INSERT INTO stack_profile_mapping VALUES(?,?,?,?,?,?,?,?)",
    [TM_SQL_TRACK_SAME] = "INSERT INTO tm_same_track VALUES(?,?)",
    [TM_SQL_CPU] = "INSERT INTO cpu VALUES(?1,?1,?2,?3,?4,?5,?6,?7)",
    [TM_SQL_GPU] = "INSERT OR IGNORE INTO gpu VALUES(?1,?1,?2,?3,?4,?5,?6,?7,?8,?9,?10)",
    [TM_SQL_CPU_FREQUENCY] = "INSERT INTO cpu_available_frequencies VALUES(?,?,?,?)",
    [TM_SQL_MACHINE] = "INSERT INTO machine VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,"
                       " (?12 + 500000000) / 1000000000, ?14)",
    [TM_SQL_FILE] = "INSERT INTO trace_file VALUES(?,?,?,?,?,?,?)",
    [TM_SQL_METADATA] = "INSERT INTO metadata VALUES(?1,?4,?5,?2,?3,?6,?7)",
    [TM_SQL_METADATA_UPDATE] = "UPDATE metadata SET int_value = ?2, str_value = ?3 WHERE id = ?1",
    [TM_SQL_PACKAGE] = "INSERT INTO tm_package VALUES(NULL,?,?,?,?,?,?,?)",
    [TM_SQL_STAT] = "INSERT INTO stats(name, key, idx, severity, source, value, description, machine_id, trace_id)"
                    " VALUES(?1,?1,?2,?3,?4,?5,?8 || ?9,?6,?7)",
    [TM_SQL_BOUNDS] = "INSERT INTO trace_bounds VALUES(?,?)",
    [TM_SQL_PLACEMENT] = "INSERT INTO tm_placement VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [TM_SQL_ACCOUNT] = "INSERT INTO tm_accounting VALUES(?,?,?,?,?)",
};

/* Runs the statements in the second column of QUERY, for each table in the first that is not a btree. */
static enum tm_status run_for_tables(struct tm_sqlite *s, const char *query, struct tm_error *err)
{
    sqlite3_stmt *table;
    struct tm_buf sql = {0};
    enum tm_status st = TM_OK;
    if (sqlite3_prepare_v2(s->db, query, -1, &table, NULL) != SQLITE_OK)
        return tm_sqlite_fail(s, err);
    while (st == TM_OK && sqlite3_step(table) == SQLITE_ROW)
        if (!tm_sqlite_is_btree((const char *)sqlite3_column_text(table, 0)) &&
            tm_buf_add_str(&sql, (const char *)sqlite3_column_text(table, 1)) < 0)
            st = tm_error_nomem(err);
    if (sqlite3_finalize(table) != SQLITE_OK && st == TM_OK)
        st = tm_sqlite_fail(s, err);
    const char *text = tm_buf_cstr(&sql);
    if (st == TM_OK)
        st = text ? tm_sqlite_exec(s, text, err) : tm_error_nomem(err);
    tm_buf_release(&sql);
    return st;
}

/* Makes tables with the same names and columns in the temporary database. SQLite resolves a name there first, so it
 * does not touch the file while the btrees write to it. */
static enum tm_status make_temporary(struct tm_sqlite *s, struct tm_error *err)
{
    enum tm_status st = run_for_tables(s,
                                       "SELECT name, 'CREATE TEMP ' || substr(sql, 8) || ';' FROM main.sqlite_schema"
                                       " WHERE type = 'table'",
                                       err);
    return st < 0 ? st : tm_sqlite_exec(s, "CREATE TEMP TABLE tm_postponed(statement, a, b, c);"
                                        "CREATE TEMP TABLE tm_same_track(id INTEGER PRIMARY KEY, same_as INTEGER)",
                                     err);
}

/* Copies the temporary tables into the file and drops them. */
static enum tm_status move_temporary(struct tm_sqlite *s, struct tm_error *err)
{
    return run_for_tables(s,
                          "SELECT name, 'INSERT INTO main.' || name || ' SELECT * FROM temp.' || name ||"
                          " '; DROP TABLE temp.' || name || ';' FROM temp.sqlite_schema"
                          " WHERE name IN (SELECT name FROM main.sqlite_schema)",
                          err);
}

/* Moves the counters of a track that turned out to be another to that one. */
static enum tm_status move_counters(struct tm_sqlite *s, struct tm_error *err)
{
    return !s->has_same_track
               ? TM_OK
               : tm_sqlite_exec(s,
                                "UPDATE counter SET track_id = (SELECT same_as FROM tm_same_track WHERE id = track_id)"
                                " WHERE track_id IN (SELECT id FROM tm_same_track)",
                                err);
}

enum tm_status tm_sqlite_create(struct tm_sqlite *s, struct tm_error *err)
{
    /* The file becomes visible only when it is renamed; after a crash it is discarded. */
    static const char settings[] = "PRAGMA page_size=8192; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
                                   "PRAGMA temp_store=FILE; PRAGMA cache_size=-8192; PRAGMA temp.cache_size=-8192;"
                                   "PRAGMA encoding='UTF-8'; BEGIN;";
    enum tm_status st = tm_sqlite_exec(s, settings, err);
    if (st == TM_OK)
        st = tm_sqlite_exec(s, tables, err);
    if (st == TM_OK)
        st = tm_sqlite_exec(s, "COMMIT", err);
    if (st == TM_OK)
        st = tm_sqlite_btrees_open(s, err);
    if (st == TM_OK)
        st = make_temporary(s, err);
    return st < 0 ? st : tm_sqlite_exec(s, "BEGIN", err);
}

enum tm_status tm_sqlite_prepare(struct tm_sqlite *s, struct tm_error *err)
{
    for (int i = 0; i < TM_SQL_COUNT; i++)
        if (sqlite3_prepare_v3(s->db, statements[i], -1, SQLITE_PREPARE_PERSISTENT, &s->statements[i], NULL) !=
            SQLITE_OK)
            return tm_sqlite_fail(s, err);
    return TM_OK;
}

enum tm_status tm_sqlite_complete(struct tm_sqlite *s, struct tm_error *err)
{
    const char *const parts[] = {indices, s->context->options->index ? time_indices : "", views, tm_sqlite_slice_views,
                                 tm_sqlite_frame_views, tm_sqlite_sample_views, tm_sqlite_module_views,
                                 args_view, "COMMIT"};
    enum tm_status st = tm_sqlite_exec(s, "COMMIT", err);
    if (st == TM_OK)
        st = tm_sqlite_btrees_finish(s, err);
    if (st == TM_OK)
        st = tm_sqlite_exec(s, "BEGIN", err);
    if (st == TM_OK)
        st = move_temporary(s, err);
    if (st == TM_OK)
        st = tm_sqlite_postponed_run(s, err);
    if (st == TM_OK)
        st = move_counters(s, err);
    if (st == TM_OK)
        st = tm_sqlite_deobfuscate(s, err);
    for (size_t i = 0; st == TM_OK && i < sizeof parts / sizeof *parts; i++)
        st = tm_sqlite_exec(s, parts[i], err);
    return st;
}
