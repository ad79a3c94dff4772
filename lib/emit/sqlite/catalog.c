#include "emit/sqlite/internal.h"

#include "stream/clock_id.h"
#include "stream/clock_name.h"

/* The word for a builtin clock, or NULL. */
static const char *clock_name(uint32_t clock)
{
    return clock <= TM_CLOCK_BOOTTIME ? tm_name_of_clock(clock) : NULL;
}

enum tm_status tm_sqlite_clock_row(struct tm_sqlite *s, const struct tm_frame *frame, struct tm_error *err)
{
    struct tm_sqlite_record *r = &s->record;
    ProtobufCMessage *message = tm_frame_message(frame, &tracemerge__clock_row__descriptor, err);
    if (message == NULL)
        return err->status;
    const Tracemerge__ClockRow *row = (const Tracemerge__ClockRow *)(const void *)message;
    if (row->unrelated) {
        protobuf_c_message_free_unpacked(message, NULL);
        return TM_OK;
    }
    tm_sqlite_record_begin(r);
    tm_sqlite_record_null(r);
    tm_sqlite_record_int(r, row->ts_ns);
    tm_sqlite_record_int(r, row->clock);
    tm_sqlite_put_word(s, clock_name(row->clock));
    tm_sqlite_record_int(r, row->value);
    tm_sqlite_record_int(r, row->snapshot);
    tm_sqlite_record_int(r, row->machine);
    enum tm_status st = tm_sqlite_btree_add(&s->clocks, s->next_clock++, r, err);
    protobuf_c_message_free_unpacked(message, NULL);
    return st;
}

static enum tm_status put_files(struct tm_sqlite *s, struct tm_error *err)
{
    const struct tm_catalog *c = s->context->catalog;
    sqlite3_stmt *stmt = s->statements[TM_SQL_FILE];
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; st == TM_OK && i < c->file_count; i++) {
        const struct tm_catalog_file *f = &c->files[i];
        sqlite3_bind_int64(stmt, 1, i);
        tm_sqlite_bind_maybe(stmt, 2, f->has_parent, f->parent);
        sqlite3_bind_int64(stmt, 4, (int64_t)f->size_bytes);
        tm_sqlite_bind_maybe(stmt, 6, f->begun, f->processing_order);
        sqlite3_bind_int64(stmt, 7, f->is_container);
        /* The content of a compressed file has an empty name; only an outermost file has none. */
        struct tm_text name = f->name;
        if (name.data == NULL && f->has_parent)
            name = tm_text_str("");
        if ((st = tm_sqlite_bind_text(s, stmt, 3, name, err)) == TM_OK &&
            (st = tm_sqlite_bind_text(s, stmt, 5, f->type, err)) == TM_OK)
            st = tm_sqlite_run(s, stmt, err);
    }
    return st;
}

static enum tm_status put_stats(struct tm_sqlite *s, struct tm_error *err)
{
    static const char *const severities[] = {"info", "data_loss", "error", "notice"};
    const struct tm_catalog *c = s->context->catalog;
    sqlite3_stmt *stmt = s->statements[TM_SQL_STAT];
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; st == TM_OK && i < c->stat_count; i++) {
        const Tracemerge__Stat *t = c->stats[i];
        tm_sqlite_bind_maybe(stmt, 2, t->has_idx, t->idx);
        tm_sqlite_bind_word(stmt, 3, (uint32_t)t->severity < 4 ? severities[t->severity] : NULL);
        tm_sqlite_bind_stat_words(stmt, tm_text_of(t->name), t->from_trace);
        sqlite3_bind_int64(stmt, 5, t->value);
        tm_sqlite_bind_maybe(stmt, 6, t->has_machine, t->machine);
        tm_sqlite_bind_maybe(stmt, 7, t->has_file, t->file);
        if ((st = tm_sqlite_bind_text(s, stmt, 1, tm_text_of(t->name), err)) == TM_OK)
            st = tm_sqlite_run(s, stmt, err);
    }
    return st;
}

static enum tm_status put_account(struct tm_sqlite *s, const Tracemerge__Account *a, struct tm_error *err)
{
    sqlite3_stmt *stmt = s->statements[TM_SQL_ACCOUNT];
    sqlite3_bind_int64(stmt, 1, a->file);
    tm_sqlite_bind_maybe(stmt, 2, a->has_machine, a->machine);
    sqlite3_bind_int64(stmt, 3, a->clock);
    sqlite3_bind_int64(stmt, 5, (int64_t)a->count);
    enum tm_status st = tm_sqlite_bind_text(s, stmt, 4, tm_text_of(a->reason), err);
    return st < 0 ? st : tm_sqlite_run(s, stmt, err);
}

static enum tm_status put_placement(struct tm_sqlite *s, const Tracemerge__Placement *p, struct tm_error *err)
{
    sqlite3_stmt *stmt = s->statements[TM_SQL_PLACEMENT];
    enum tm_status st;
    sqlite3_bind_int64(stmt, 1, p->file);
    sqlite3_bind_int64(stmt, 2, p->machine);
    sqlite3_bind_int64(stmt, 3, p->clock);
    tm_sqlite_bind_word(stmt, 4, tm_name_of_clock(p->clock));
    sqlite3_bind_int64(stmt, 7, p->first_ns);
    sqlite3_bind_int64(stmt, 8, p->last_ns);
    sqlite3_bind_int64(stmt, 9, p->first_offset_ns);
    sqlite3_bind_int64(stmt, 10, p->last_offset_ns);
    sqlite3_bind_int64(stmt, 11, (int64_t)p->snapshots_used);
    tm_sqlite_bind_maybe(stmt, 12, p->has_max_distance_ns, p->max_distance_ns);
    sqlite3_bind_int64(stmt, 13, (int64_t)p->placed_count);
    if ((st = tm_sqlite_bind_text(s, stmt, 5, tm_text_of(p->rule), err)) == TM_OK &&
        (st = tm_sqlite_bind_text(s, stmt, 6, tm_text_of(p->path), err)) == TM_OK)
        st = tm_sqlite_run(s, stmt, err);
    return st;
}

/* Writes the placements, and the accounts of placed and of dropped events. */
static enum tm_status put_placements(struct tm_sqlite *s, struct tm_error *err)
{
    static const char placed[] = "placed", filtered[] = "filtered";
    const struct tm_catalog *c = s->context->catalog;
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; st == TM_OK && i < c->placement_count; i++) {
        const Tracemerge__Placement *p = c->placements[i];
        Tracemerge__Account account = TRACEMERGE__ACCOUNT__INIT;
        account.file = p->file;
        account.has_machine = true;
        account.machine = p->machine;
        account.clock = p->clock;
        account.reason = tm_bytes(filtered, sizeof filtered - 1);
        uint64_t left_out = tm_catalog_account_count(c, &account);
        account.reason = tm_bytes(placed, sizeof placed - 1);
        account.count = p->placed_count > left_out ? p->placed_count - left_out : 0;
        st = put_placement(s, p, err);
        if (st == TM_OK && account.count)
            st = put_account(s, &account, err);
    }
    for (uint32_t i = 0; st == TM_OK && i < c->account_count; i++)
        st = put_account(s, c->accounts[i], err);
    return st;
}

enum tm_status tm_sqlite_put_catalog(struct tm_sqlite *s, struct tm_error *err)
{
    enum tm_status st = put_files(s, err);
    if (st == TM_OK)
        st = tm_sqlite_put_metadata(s, err);
    if (st == TM_OK)
        st = put_stats(s, err);
    return st < 0 ? st : put_placements(s, err);
}
