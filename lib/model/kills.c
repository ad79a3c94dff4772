/* Processes that Android's low memory killer has killed. Markers state them. Rules and names:
 * importers/systrace/systrace_parser.cc of perfetto. */
#include "base/decimal.h"
#include "model/internal.h"
#include "perfetto/named_tracks.h"
#include "stream/detail_fields.h"

#include <string.h>

struct kill {
    uint32_t pid; /* of the killed process */
    bool has_score;
    int64_t score; /* its oom_score_adj */
};

/* Returns part PART, from 0, of TEXT, whose parts have commas between them. Empty parts do not count. */
static struct tm_text part_of(struct tm_text text, unsigned part)
{
    for (size_t at = 0; at < text.len;) {
        size_t end = at;
        while (end < text.len && text.data[end] != ',')
            end++;
        if (end > at && part-- == 0)
            return tm_text_at(text.data + at, end - at);
        at = end + 1;
    }
    return (struct tm_text){0};
}

static bool number_of(struct tm_text text, int64_t min, int64_t max, int64_t *number)
{
    return text.len && tm_decimal_int((const char *)text.data, text.len, number) == TM_OK && *number >= min &&
           *number <= max;
}

/* True if EV is a slice "lmk,PID,REASON,SCORE,…", or a counter kill_one_process whose value is the pid. The killer sets
 * that counter to 0 when it is done. */
static bool read_kill(const struct tm_model_event *ev, struct kill *kill)
{
    static const char prefix[] = "lmk,";
    const struct tm_event *e = ev->e;
    int64_t pid;
    if (e->kind == TM_KIND_COUNTER) {
        kill->pid = (uint32_t)e->value;
        return kill->pid && tm_text_is(ev->name, "kill_one_process");
    }
    if (e->kind != TM_KIND_SLICE_BEGIN || e->flags & TM_EVENT_ASYNC || ev->name.len < sizeof prefix - 1 ||
        memcmp(ev->name.data, prefix, sizeof prefix - 1) != 0)
        return false;
    kill->has_score = number_of(part_of(ev->name, 3), INT32_MIN, INT32_MAX, &kill->score);
    if (!kill->has_score || !number_of(part_of(ev->name, 1), 0, UINT32_MAX, &pid))
        return false;
    kill->pid = (uint32_t)pid;
    return true;
}

/* Appends the description of the killed process's track to DETAIL. */
static enum tm_status put_track(struct tm_buf *detail)
{
    static const char name[] = "LMK";
    size_t mark;
    enum tm_status st = tm_pb_begin(detail, TM_DETAIL_TRACK, &mark);
    if (st == TM_OK)
        st = tm_pb_put_bytes(detail, TM_TRACK_DESCRIPTION_NAME, name, sizeof name - 1);
    if (st == TM_OK)
        st = tm_pb_put_varint(detail, TM_TRACK_DESCRIPTION_NAMED_TRACK, TM_NAMED_TRACK_KILLS);
    return st == TM_OK ? tm_pb_end(detail, mark) : st;
}

/* Adds an event of kind KIND with the name NAME to the killed process. */
static enum tm_status add(struct tm_model *m, const struct tm_model_event *of, const struct kill *kill,
                          enum tm_kind kind, struct tm_error *err)
{
    struct tm_event e = {.kind = kind,
                         .flags = tm_event_scope_flags(TM_SCOPE_PROCESS) | TM_EVENT_HAS_PID,
                         .time_ns = of->e->time_ns,
                         .file = of->e->file,
                         .machine = of->e->machine,
                         .pid = kill->pid};
    struct tm_buf detail = {0};
    struct tm_model_event ev = tm_model_event_of(&e);
    enum tm_status st = TM_OK;
    if (kind == TM_KIND_COUNTER) {
        e.flags |= TM_EVENT_HAS_VALUE;
        e.value = (uint64_t)kill->score;
        ev.name = tm_text_str("oom_score_adj");
        return tm_model_counter(&m->tasks, &m->layout, &m->out, &ev, err);
    }
    ev.name = tm_text_str("mem.lmk");
    if (put_track(&detail) != TM_OK)
        st = tm_error_nomem(err);
    e.detail = detail.data;
    e.detail_bytes = (uint32_t)detail.len;
    if (st == TM_OK)
        st = tm_model_slice(m, &ev, err);
    tm_buf_release(&detail);
    return st;
}

enum tm_status tm_model_kill(struct tm_model *m, const struct tm_model_event *ev, struct tm_error *err)
{
    struct kill kill = {0};
    if (!read_kill(ev, &kill))
        return TM_OK;
    enum tm_status st = kill.has_score ? add(m, ev, &kill, TM_KIND_COUNTER, err) : TM_OK;
    return st < 0 ? st : add(m, ev, &kill, TM_KIND_INSTANT, err);
}
