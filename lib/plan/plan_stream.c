#include "plan/plan_stream.h"

#include "align/alignment.h"
#include "cut/counts.h"
#include "plan/file_bounds.h"
#include "plan/plan_rows.h"
#include "stream/event_counts.h"

/* Parts of struct tm_cut_counts: the plan, and all events of the stream. */
enum { KEPT, ALL };

struct planner {
    struct tm_stream_reader reader;
    struct tm_stream_writer writer;
    struct tm_alignment alignment;
    struct tm_plan_rows rows;
    struct tm_arg_expander args;
    struct tm_file_bounds bounds;
    struct tm_cut_counts accounts;
    struct tm_event_counts counts, given; /* given: of a stream that is a plan already */
    bool is_plan;
    struct tm_event counted; /* the current event that accounts count, without payload */
    bool is_kept;            /* the plan has a row for it */
};

/* Adds ROW for the current event. The accounts count one row for an event. Further rows are derived from the first. */
static enum tm_status add_row(struct planner *p, struct tm_event *row, int64_t end_ns, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    row->flags &= ~(uint32_t)TM_EVENT_DERIVED;
    if (p->is_kept)
        row->flags |= TM_EVENT_DERIVED;
    else
        st = tm_cut_counts_add(&p->accounts, &p->counted, KEPT, true, err);
    p->is_kept = true;
    tm_file_bounds_keep(&p->bounds, row, end_ns);
    return st == TM_OK ? tm_plan_rows_add(&p->rows, row, err) : st;
}

/* Keeps an event that a rule uses. A begin and its end are one row: rules see no difference, and the row needs no other
 * to be understood. */
static enum tm_status keep_used(void *self, const struct tm_align_event *used, struct tm_error *err)
{
    struct tm_event row = *used->event;
    if (row.kind == TM_KIND_SLICE_BEGIN) {
        row.kind = TM_KIND_SLICE_COMPLETE;
        row.dur_ns = used->end_ns - used->begin_ns;
    }
    return add_row(self, &row, used->end_ns, err);
}

static bool is_track_of_thread(const struct tm_event *e)
{
    return e->kind == TM_KIND_TRACK && e->flags & TM_EVENT_HAS_TID && e->flags & TM_EVENT_HAS_TRACK && e->tid >= 0;
}

/* Counts E, notes the range of its file, and shows it to the rules of alignment, which call keep_used for what they
 * use. */
static enum tm_status take_event(struct planner *p, const struct tm_event *e, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    int64_t end_ns;
    if (e->file >= p->alignment.candidates.catalog.file_count)
        return tm_error_set(err, TM_E_INPUT, "an event is of file %u, which is not known", e->file);
    if (tm_event_is_counted(e->flags)) {
        p->counted = *e;
        p->is_kept = false;
        st = tm_cut_counts_add(&p->accounts, e, ALL, true, err);
    }
    if (st == TM_OK && !(e->flags & (TM_EVENT_DEFINITION | TM_EVENT_UNTIMED)))
        st = tm_event_counts_add(&p->counts, p->counted.time_ns, tm_event_is_counted(e->flags),
                                 TM_BATCH_ROW_BYTES + (uint64_t)e->raw_bytes + e->detail_bytes, err);
    if (st == TM_OK && e->flags & TM_EVENT_DEFINITION && is_track_of_thread(e)) {
        struct tm_event row = *e;
        row.flags &= ~(uint32_t)TM_EVENT_DERIVED;
        st = tm_plan_rows_add(&p->rows, &row, err);
    } else if (st == TM_OK && !(e->flags & TM_EVENT_DEFINITION) && tm_event_is_timed(e->flags) &&
               tm_candidates_end_of(e, &end_ns)) {
        st = tm_file_bounds_add(&p->bounds, e, end_ns, err);
    }
    return st == TM_OK ? tm_candidates_event(&p->alignment.candidates, e, err) : st;
}

static enum tm_status take_batch(struct planner *p, const struct tm_batch *batch, struct tm_error *err)
{
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_event e;
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_batch_next(&walk, &e))
        if ((st = tm_arg_expand(&p->args, &e, err)) == TM_OK)
            st = take_event(p, &e, err);
    return st;
}

static enum tm_status take_frame(struct planner *p, const struct tm_frame *frame, const struct tm_batch *batch,
                                 struct tm_error *err)
{
    enum tm_status st;
    switch (frame->type) {
    case TM_FRAME_BATCH: return take_batch(p, batch, err);
    case TM_FRAME_EVENT_COUNTS: p->is_plan = true; return tm_event_counts_add_frame(&p->given, frame, err);
    case TM_FRAME_STRINGS:
    case TM_FRAME_SEQUENCE:
    case TM_FRAME_SOURCE:
    case TM_FRAME_COMPACT_MESSAGES: return tm_alignment_add(&p->alignment, frame, batch, err);
    default: break;
    }
    st = tm_alignment_add(&p->alignment, frame, batch, err);
    return st == TM_OK ? tm_stream_write_frame(&p->writer, frame, err) : st;
}

/* Chooses the event that a row about the whole FILE stands for: one of the file's events that has no row. */
static void choose_counted(struct planner *p, uint32_t file)
{
    p->is_kept = true;
    for (uint32_t i = 0; i < p->accounts.count && p->is_kept; i++) {
        const struct tm_cut_count *row = &p->accounts.rows[i];
        p->is_kept = row->file != file || row->of_part[KEPT] >= row->of_part[ALL];
        if (!p->is_kept)
            p->counted = (struct tm_event){.file = file, .machine = row->machine, .clock = row->clock};
    }
}

/* Adds a row for each file whose rows do not cover its range. The row begins with the file's first event and ends with
 * its last. */
static enum tm_status add_bounds(struct planner *p, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < p->bounds.count && st == TM_OK; i++) {
        const struct tm_file_bound *f = &p->bounds.files[i];
        if (tm_file_bound_is_kept(f))
            continue;
        choose_counted(p, f->like.file);
        struct tm_event row = {.time_ns = f->first_ns,
                               .dur_ns = f->last_ns - f->first_ns,
                               .position = f->like.position,
                               .kind = TM_KIND_SLICE_COMPLETE,
                               .file = f->like.file,
                               .machine = p->is_kept ? f->like.machine : p->counted.machine,
                               .clock = p->is_kept ? f->like.clock : p->counted.clock};
        st = add_row(p, &row, f->last_ns, err);
    }
    return st;
}

static enum tm_status open(struct planner *p, int in, int out, const char *rules, struct tm_error *err)
{
    struct tm_buf args = {0};
    enum tm_status st = tm_alignment_begin(&p->alignment, rules, NULL, err);
    if (st == TM_OK && tm_alignment_arg_names(rules, &args) != TM_OK)
        st = tm_error_nomem(err);
    if (st == TM_OK)
        st = tm_plan_rows_init(&p->rows, (const char *)args.data, err);
    tm_buf_release(&args);
    if (st == TM_OK)
        st = tm_stream_reader_open(&p->reader, in, err);
    if (st < 0)
        return st;
    if (p->reader.header.stage != TRACEMERGE__STAGE__PLACED)
        return tm_error_set(err, TM_E_INPUT,
                            "the stream's times are not trace time yet: pipe it through tm-clocks first");
    if (!tm_time_part_is_whole(&p->reader.header.part))
        return tm_error_set(err, TM_E_INPUT, "the stream is a part by time: make the plan of the whole");
    return tm_stream_writer_open(&p->writer, out, "tm-plan",
                                 &(struct tm_stream_header){.stage = TRACEMERGE__STAGE__PLACED}, err);
}

static enum tm_status finish(struct planner *p, struct tm_error *err)
{
    enum tm_status st = add_bounds(p, err);
    if (st == TM_OK)
        st = tm_plan_rows_flush(&p->rows, err);
    if (st == TM_OK)
        st = tm_cut_counts_write(&p->accounts, KEPT, &p->writer, err);
    if (st == TM_OK)
        st = tm_event_counts_write(p->is_plan ? &p->given : &p->counts, &p->writer, err);
    return st == TM_OK ? tm_stream_writer_end(&p->writer, err) : st;
}

enum tm_status tm_plan_stream(int in, int out, const char *rules, struct tm_error *err)
{
    struct planner p = {.accounts = {.part_count = ALL}};
    const struct tm_align_watch watch = {keep_used, &p};
    struct tm_frame frame;
    struct tm_batch batch;
    p.alignment.candidates.watch = &watch;
    p.rows.writer = &p.writer;
    p.rows.catalog = &p.alignment.candidates.catalog;
    p.args = tm_catalog_expander(p.rows.catalog);
    enum tm_status st = open(&p, in, out, rules, err);
    while (st == TM_OK && (st = tm_stream_reader_next(&p.reader, &frame, &batch, err)) == TM_OK)
        st = take_frame(&p, &frame, &batch, err);
    if (st == TM_END)
        st = finish(&p, err);
    tm_stream_reader_release(&p.reader);
    tm_stream_writer_release(&p.writer);
    tm_alignment_release(&p.alignment);
    tm_plan_rows_release(&p.rows);
    tm_arg_expander_release(&p.args);
    tm_file_bounds_release(&p.bounds);
    tm_cut_counts_release(&p.accounts);
    tm_event_counts_release(&p.counts);
    tm_event_counts_release(&p.given);
    return st;
}

enum tm_status tm_plan_divide(int in, uint32_t part_count, int64_t *points, struct tm_error *err)
{
    struct tm_stream_reader reader;
    struct tm_event_counts counts = {0};
    struct tm_frame frame;
    struct tm_batch batch;
    bool is_plan = false;
    enum tm_status st = tm_stream_reader_open(&reader, in, err);
    while (st == TM_OK && (st = tm_stream_reader_next(&reader, &frame, &batch, err)) == TM_OK)
        if (frame.type == TM_FRAME_EVENT_COUNTS) {
            is_plan = true;
            st = tm_event_counts_add_frame(&counts, &frame, err);
        }
    if (st == TM_END)
        st = is_plan ? TM_OK : tm_error_set(err, TM_E_INPUT, "the stream is not a plan: pipe it through tm-plan first");
    if (st == TM_OK)
        tm_event_counts_divide(&counts, part_count, points);
    tm_stream_reader_release(&reader);
    tm_event_counts_release(&counts);
    return st;
}
