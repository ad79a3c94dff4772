/* Rows of stats: the source of each statistic's number, as the reference importer names it, and a sentence. */
#include "emit/sqlite/internal.h"

#include "emit/stat_words.h"

/* Removes an ending from NAME that states when the recording noted it, and returns the meaning of the ending. */
static const char *take_ending(struct tm_text *name)
{
    static const struct {
        const char *ending, *text;
    } endings[] = {{"_begin", ", at the start of the recording"},
                   {"_end", ", at the end of the recording"},
                   {"_delta", ", from the start to the end of the recording"}};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t len = strlen(endings[i].ending);
        if (name->len > len && memcmp(name->data + name->len - len, endings[i].ending, len) == 0) {
            name->len -= len;
            return endings[i].text;
        }
    }
    return "";
}

void tm_sqlite_bind_stat_words(sqlite3_stmt *stmt, struct tm_text name, bool from_trace)
{
    enum { SOURCE = 4, TEXT = 8, WHEN = 9 };
    const struct tm_stat_words *words = name.data ? tm_stat_words_find(name) : NULL;
    const char *when = "";
    if (words == NULL && name.data) {
        when = take_ending(&name);
        words = tm_stat_words_find(name);
    }
    const bool is_of_trace = words ? !(words->source & TM_STAT_OF_ANALYSIS) : from_trace;
    tm_sqlite_bind_word(stmt, SOURCE, is_of_trace ? "trace" : "analysis");
    tm_sqlite_bind_word(stmt, TEXT, words ? words->text : NULL);
    tm_sqlite_bind_word(stmt, WHEN, when);
}

bool tm_sqlite_stat_is_time(struct tm_text name)
{
    const struct tm_stat_words *words = tm_stat_words_find(name);
    return words && words->source & TM_STAT_IS_LATEST;
}

/* Appends the quoted names of the statistics with FLAG, with commas. */
static enum tm_status put_names(struct tm_buf *sql, unsigned flag)
{
    enum tm_status st = TM_OK;
    const char *comma = "";
    const struct tm_stat_words *words = NULL;
    while (st == TM_OK && (words = tm_stat_words_next(words)) != NULL)
        if (words->source & flag) {
            st = tm_buf_addf(sql, "%s'%s'", comma, words->name);
            comma = ",";
        }
    return st;
}

/* Runs BEFORE, the list of the names of all statistics with FLAG, and AFTER. */
static enum tm_status run_for(struct tm_sqlite *s, const char *before, const char *after, unsigned flag,
                              struct tm_error *err)
{
    struct tm_buf sql = {0};
    enum tm_status st = tm_buf_add_str(&sql, before);
    if (st == TM_OK)
        st = put_names(&sql, flag);
    if (st == TM_OK)
        st = tm_buf_add_str(&sql, after);
    const char *text = st == TM_OK ? tm_buf_cstr(&sql) : NULL;
    st = text ? tm_sqlite_exec(s, text, err) : tm_error_nomem(err);
    tm_buf_release(&sql);
    return st;
}

enum tm_status tm_sqlite_join_stats(struct tm_sqlite *s, struct tm_error *err)
{
    enum tm_status st = run_for(s,
                                "INSERT INTO stats(name, key, idx, severity, source, value, description)"
                                " SELECT name, key, idx, severity, source, sum(value), description FROM stats"
                                " WHERE name IN (",
                                ") GROUP BY name, idx ORDER BY min(id)", TM_STAT_IS_GLOBAL, err);
    if (st == TM_OK)
        st = run_for(s, "DELETE FROM stats WHERE name IN (", ") AND machine_id IS NOT NULL", TM_STAT_IS_GLOBAL, err);
    if (st == TM_OK)
        st = run_for(s, "DELETE FROM stats WHERE name IN (",
                     ") AND id NOT IN (SELECT max(id) FROM stats GROUP BY name, idx, machine_id, trace_id)",
                     TM_STAT_IS_LATEST, err);
    /* Another file of the machine may state a version of the service that flushes by itself. */
    return st < 0 ? st
                  : tm_sqlite_exec(s,
                                   "DELETE FROM stats WHERE name = 'config_write_into_file_no_flush' AND machine_id IN"
                                   " (SELECT machine_id FROM metadata WHERE name = 'tracing_service_version' AND"
                                   " str_value GLOB 'Perfetto v*' AND CAST(substr(str_value, 11) AS INTEGER) > 53)",
                                   err);
}
