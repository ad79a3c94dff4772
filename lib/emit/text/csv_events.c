/* csv --events: one record for each event (RFC 4180, with a header), for spreadsheets and data frames. Definitions are
 * left out; their names appear in the events. */
#include "emit/names.h"
#include "emit/out.h"
#include "emit/outputs.h"
#include "emit/paths.h"
#include "emit/task_names.h"
#include "stream/clock_name.h"
#include "stream/kind_name.h"

#include <stdlib.h>
#include <unistd.h>

struct csv {
    struct tm_out out;
    struct tm_task_names names;
    struct tm_paths paths;
    const struct tm_emit_context *context;
    bool placed, to_terminal;
};

static enum tm_status open_csv(const struct tm_emit_context *context, void **state, struct tm_error *err)
{
    struct csv *c = calloc(1, sizeof *c);
    if (c == NULL)
        return tm_error_nomem(err);
    *state = c;
    tm_out_init(&c->out, context->fd, context->options->out_path);
    c->context = context;
    c->placed = context->stream->header.stage == TRACEMERGE__STAGE__PLACED;
    c->to_terminal = isatty(context->fd);
    tm_task_names_init(&c->names, context->catalog);
    tm_out_str(&c->out,
               "ts,dur,kind,name,category,value,machine,machine_id,process,pid,thread,tid,other_tid,cpu,scope,track,"
               "file,position,clock\r\n");
    return TM_OK;
}

static void put_text(struct csv *c, struct tm_text text)
{
    tm_out_char(&c->out, ',');
    if (c->to_terminal)
        tm_out_escaped(&c->out, text);
    else
        tm_out_csv(&c->out, text);
}

static void put_i64(struct csv *c, bool has, int64_t v)
{
    tm_out_char(&c->out, ',');
    if (has)
        tm_out_i64(&c->out, v);
}

static void put_word(struct csv *c, const char *word, uint32_t number)
{
    if (word)
        tm_out_str(&c->out, word);
    else
        tm_out_u64(&c->out, number);
}

static void put_value(struct csv *c, const struct tm_event *e)
{
    tm_out_char(&c->out, ',');
    if (!(e->flags & TM_EVENT_HAS_VALUE))
        return;
    if (e->flags & TM_EVENT_VALUE_DOUBLE)
        tm_out_double(&c->out, e->value);
    else
        tm_out_i64(&c->out, (int64_t)e->value);
}

static void put_place(struct csv *c, const struct tm_event *e)
{
    struct tm_event_task place;
    const struct tm_catalog_machine *m = c->placed ? tm_catalog_machine(c->context->catalog, e->machine) : NULL;
    tm_task_names_find(&c->names, e, &place);
    put_text(c, m ? m->name : (struct tm_text){0});
    put_i64(c, true, m ? m->raw_id : (int64_t)e->machine);
    put_text(c, place.process);
    put_i64(c, place.has_pid, place.pid);
    put_text(c, place.thread);
    put_i64(c, place.has_tid, place.tid);
    put_i64(c, tm_task_names_has_other(e), e->pid);
    put_i64(c, e->flags & TM_EVENT_HAS_CPU, e->cpu);
    tm_out_char(&c->out, ',');
    put_word(c, tm_name_of_scope(tm_event_scope(e->flags)), tm_event_scope(e->flags));
    tm_out_char(&c->out, ',');
    bool has_track = e->flags & TM_EVENT_HAS_TRACK && e->kind != TM_KIND_SCHED_SWITCH;
    if (has_track || tm_event_scope(e->flags) == TM_SCOPE_TRACK)
        tm_out_u64(&c->out, e->track);
}

static enum tm_status put_event(struct csv *c, const struct tm_event *e, struct tm_error *err)
{
    struct tm_out *out = &c->out;
    const char *clock = tm_name_of_clock(e->clock);
    struct tm_text path;
    if (tm_paths_get(&c->paths, c->context->catalog, e->file, &path) < 0)
        return tm_error_nomem(err);
    tm_out_i64(out, e->time_ns);
    put_i64(c, e->kind == TM_KIND_SLICE_COMPLETE && !(e->flags & TM_EVENT_OPEN_ENDED), e->dur_ns);
    tm_out_char(out, ',');
    put_word(c, tm_name_of_kind(e->kind), e->kind);
    put_text(c, tm_catalog_string(c->context->catalog, e->name, e));
    put_text(c, tm_catalog_string(c->context->catalog, e->category, e));
    put_value(c, e);
    put_place(c, e);
    put_text(c, path);
    tm_out_char(out, ',');
    tm_out_u64(out, e->position);
    tm_out_char(out, ',');
    if (clock || e->clock)
        put_word(c, clock, e->clock);
    tm_out_str(out, "\r\n");
    return tm_out_end_row(out, err);
}

static enum tm_status show_frame(void *state, const struct tm_frame *frame, const struct tm_batch *batch,
                                 struct tm_error *err)
{
    struct csv *c = state;
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_event e;
    enum tm_status st = TM_OK;
    while (batch && st == TM_OK && tm_batch_next(&walk, &e)) {
        if ((st = tm_task_names_learn(&c->names, &e, err)) < 0)
            return tm_error_prefix(err, "byte %llu", (unsigned long long)frame->offset);
        if (!(e.flags & (TM_EVENT_DEFINITION | TM_EVENT_UNTIMED | TM_EVENT_CONTEXT)))
            st = put_event(c, &e, err);
    }
    return st;
}

static enum tm_status finish_csv(void *state, struct tm_error *err)
{
    struct csv *c = state;
    return tm_out_flush(&c->out, err);
}

static void close_csv(void *state)
{
    struct csv *c = state;
    if (c) {
        tm_task_names_release(&c->names);
        tm_paths_release(&c->paths);
        tm_out_release(&c->out);
    }
    free(c);
}

const struct tm_emit_functions tm_emit_csv_events_functions = {
    .open = open_csv,
    .frame = show_frame,
    .finish = finish_csv,
    .close = close_csv,
};
