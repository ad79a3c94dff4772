/* Sampled call stacks: one table for all sources, and views as the reference importer has them. */
#include "emit/sqlite/internal.h"

/* The numbers of modes are those of perf's records. */
#define CONTEXT                                                                                                        \
    "CASE WHEN ucpu IS NULL AND cpu_mode IS NULL THEN NULL ELSE (coalesce(ucpu, -1) + 1) * 8 + CASE cpu_mode"          \
    " WHEN 'unknown' THEN 6 WHEN 'kernel' THEN 1 WHEN 'user' THEN 2 WHEN 'hypervisor' THEN 3"                          \
    " WHEN 'guest_kernel' THEN 4 WHEN 'guest_user' THEN 5 ELSE 0 END END"

/* The types of the tracks of what perf counts, and of what stack_sample packets count. */
#define OF_PERF "IN ('perf_cpu_counter', 'perf_global_counter')"
#define OF_STACK_SAMPLES "IN ('stack_sample_session_counter', 'stack_sample_cpu_counter')"

/* The arg KEY of a track t, in its set SET. */
#define ARG(set, key)                                                                                                  \
    "(SELECT coalesce(a.int_value, a.string_value) FROM args a WHERE a.arg_set_id = t." set " AND a.key = '" key "')"

const char tm_sqlite_sample_views[] =
    "CREATE VIEW stack_sample AS SELECT id, ts, source, coalesce(utid, -1 - upid) AS task_context_id,"
    " " CONTEXT " AS execution_context_id, callsite_id, utid, cpu FROM tm_sample;"
    "CREATE VIEW stack_sample_task_context AS SELECT utid AS id, upid, utid, NULL AS async_context_id FROM thread"
    " WHERE utid IN (SELECT utid FROM tm_sample)"
    " UNION ALL SELECT DISTINCT -1 - upid, upid, NULL, NULL FROM tm_sample WHERE upid IS NOT NULL;"
    "CREATE VIEW stack_sample_execution_context AS SELECT DISTINCT " CONTEXT " AS id, ucpu, cpu_mode FROM tm_sample"
    " WHERE ucpu IS NOT NULL OR cpu_mode IS NOT NULL;"
    "CREATE VIEW stack_sample_counter_track AS SELECT id, name, type, parent_id, source_arg_set_id, machine_id, unit,"
    " cpu, description FROM track WHERE type " OF_PERF " OR type " OF_STACK_SAMPLES ";"
    "CREATE VIEW perf_counter_track AS SELECT id, name, type, parent_id, source_arg_set_id, machine_id, unit, cpu,"
    " description FROM track WHERE type " OF_PERF ";"
    "CREATE VIEW stack_sample_session AS SELECT min(t.id) AS id, 'linux.perf' AS source,"
    " CASE substr(t.name, 1, instr(t.name || ':', ':') - 1)" /* modifiers such as :u follow the name of the event */
    " WHEN 'cpu-clock' THEN 'ns' WHEN 'task-clock' THEN 'ns' WHEN 'instructions' THEN 'instructions'"
    " WHEN 'cycles' THEN 'cycles' WHEN 'cpu-cycles' THEN 'cycles' WHEN 'bus-cycles' THEN 'cycles'"
    " WHEN 'ref-cycles' THEN 'cycles' ELSE 'count' END AS timebase_unit, (SELECT str_value FROM"
    " metadata m WHERE m.name = 'perf_cmdline' AND m.trace_id = t.trace_file_id) AS cmdline FROM track t"
    " WHERE t.type " OF_PERF " GROUP BY t.trace_file_id, t.name"
    " UNION ALL SELECT min(t.id), nullif(" ARG("dimension_arg_set_id", "source") ", ''),"
    /* the unit of the first one on which samples are taken; ids have as many digits as id 1e9 at most */
    " substr(min(CASE WHEN " ARG("source_arg_set_id", "is_timebase") " THEN printf('%010d', t.id) || t.unit END), 11),"
    " NULL FROM track t"
    " WHERE t.type " OF_STACK_SAMPLES " GROUP BY t.trace_file_id, t.machine_id, "
    ARG("dimension_arg_set_id", "session_id") ";"
    "CREATE VIEW perf_session AS SELECT id, id AS perf_session_id, cmdline FROM stack_sample_session"
    " WHERE source = 'linux.perf';"
    "CREATE VIEW perf_sample AS SELECT id, ts, utid, cpu, cpu_mode, callsite_id, unwind_error FROM tm_sample"
    " WHERE source = 'linux.perf';"
    "CREATE VIEW instruments_sample AS SELECT id, ts, utid, callsite_id, cpu FROM tm_sample"
    " WHERE source = 'instruments';"
    "CREATE VIEW cpu_profile_stack_sample AS SELECT id, ts, callsite_id, utid FROM tm_sample"
    " WHERE source NOT IN ('linux.perf', 'instruments');";

/* Returns the reference importer's word for the source of ROW, or the file's type if the importer does not read it. */
static struct tm_text source_of(const struct tm_sample_row *row)
{
    switch (row->input_type) {
    case TM_INPUT_PERF:
        return tm_text_str("linux.perf");
    case TM_INPUT_PROTO:
        if (row->source.data)
            return row->source.len ? row->source : (struct tm_text){0};
        return tm_text_str(row->is_perf ? "linux.perf" : "chrome");
    case TM_INPUT_SIMPLEPERF:
        return tm_text_str("simpleperf");
    case TM_INPUT_INSTRUMENTS:
        return tm_text_str("instruments");
    case TM_INPUT_JSON:
        return tm_text_str("legacy_v8");
    default:
        return row->file_type;
    }
}

enum tm_status tm_sqlite_sample_counter(struct tm_sqlite *s, int64_t track, double count, struct tm_error *err)
{
    sqlite3_stmt *stmt = s->statements[TM_SQL_SAMPLE_COUNTER];
    sqlite3_bind_int64(stmt, 1, s->next_sample - 1);
    sqlite3_bind_int64(stmt, 2, track);
    sqlite3_bind_double(stmt, 3, count);
    return tm_sqlite_run(s, stmt, err);
}

enum tm_status tm_sqlite_sample(void *self, const struct tm_sample_row *row, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    struct tm_sqlite_record *r = &s->record;
    tm_sqlite_record_begin(r);
    tm_sqlite_record_null(r);
    tm_sqlite_record_int(r, row->ts);
    tm_sqlite_put_text(s, source_of(row));
    tm_sqlite_record_id(r, row->utid);
    tm_sqlite_record_id(r, row->callsite);
    tm_sqlite_record_id(r, row->cpu);
    tm_sqlite_record_maybe(r, row->cpu != TM_NO_ID && row->cpu < TM_CPUS_A_MACHINE,
                           tm_ucpu(row->machine, (uint32_t)row->cpu));
    tm_sqlite_put_text(s, row->cpu_mode);
    tm_sqlite_put_text(s, row->unwind_error);
    if (row->upid != TM_NO_ID) /* SQLite reads columns that a record lacks as NULL */
        tm_sqlite_record_int(r, row->upid);
    enum tm_status st = tm_sqlite_btree_add(&s->samples, s->next_sample++, r, err);
    return st < 0 || row->counter == TM_NO_ID ? st : tm_sqlite_sample_counter(s, row->counter, row->count, err);
}
