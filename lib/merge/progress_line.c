#include "merge/progress_line.h"

#include "base/cpu.h"
#include "base/time_units.h"
#include "os/compat.h"
#include "os/io.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* No estimate is shown before 1/LEAST_PART of the work is done. */
enum { LINE_MAX = 160, TERMINAL_FIRST_MS = 400, FILE_EVERY_MS = 1000, LEAST_PART = 200 };

struct text {
    char data[LINE_MAX];
    size_t len;
};

static void put(struct text *t, const char *format, ...) TM_PRINTF(2, 3);

static void put(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->data + t->len, sizeof t->data - t->len, format, args);
    va_end(args);
    if (n > 0)
        t->len = t->len + (size_t)n < sizeof t->data ? t->len + (size_t)n : sizeof t->data - 1;
}

/* Appends N with two or three digits and k, M, G, … for powers of 1000 before UNIT. */
static void put_amount(struct text *t, uint64_t n, const char *unit)
{
    static const char prefixes[][2] = {"", "k", "M", "G", "T", "P", "E"};
    int i = 0;
    uint64_t tenths = n > UINT64_MAX / 10 ? UINT64_MAX : n * 10;
    for (; tenths >= 10000; i++)
        tenths /= 1000;
    put(t, "%" PRIu64, tenths / 10);
    if (i > 0 && tenths < 100)
        put(t, ".%" PRIu64, tenths % 10);
    if (i > 0 || *unit)
        put(t, " %s%s", prefixes[i], unit);
}

static void put_duration(struct text *t, uint64_t ns)
{
    uint64_t s = ns / TM_NS_PER_S;
    if (s < 60)
        put(t, "%" PRIu64 " s", s);
    else if (s < 3600)
        put(t, "%" PRIu64 ":%02" PRIu64 " min", s / 60, s % 60);
    else
        put(t, "%" PRIu64 ":%02" PRIu64 " h", s / 3600, s / 60 % 60);
}

static uint64_t idle_of(const struct tm_progress_state *s)
{
    return s->idle_in_ns + s->idle_out_ns;
}

/* Finds the stage from FIRST to LAST that waits least for its neighbours: they wait for it. */
static const char *limiter(const struct tm_progress_line *l, size_t first, size_t last)
{
    size_t least = first;
    for (size_t i = first + 1; i <= last; i++)
        if (idle_of(&l->states[i]) < idle_of(&l->states[least]))
            least = i;
    if (first == 0 && l->states[0].idle_in_ns > l->window_ns / 2)
        return "the input";
    return l->stages[least].name;
}

/* Returns AMOUNT, which was counted in the window, per second. */
static uint64_t per_second(const struct tm_progress_line *l, uint64_t amount)
{
    uint64_t ms = l->window_ns / 1000000;
    return ms ? amount > UINT64_MAX / 1000 ? amount / ms * 1000 : amount * 1000 / ms : 0;
}

/* Appends how long the rest will take, if DONE of TOTAL took the time since SINCE_NS. Appends nothing if that cannot be
 * estimated yet. */
static void put_left(const struct tm_progress_line *l, struct text *t, uint64_t done, uint64_t total, uint64_t since_ns)
{
    uint64_t took = l->last_ns - since_ns;
    if (total == 0 || done < total / LEAST_PART || done == 0 || took < TM_NS_PER_S)
        return;
    put(t, ", ");
    put_duration(t, done >= total ? 0 : (uint64_t)((tm_i128)took * (total - done) / done));
    put(t, " left");
}

static unsigned percent(uint64_t done, uint64_t total)
{
    return done >= total ? 100 : (unsigned)((tm_i128)done * 100 / total);
}

static void put_reading(const struct tm_progress_line *l, struct text *t)
{
    uint64_t done = l->states[0].in.bytes;
    if (l->total_bytes) {
        put(t, "%u%% of ", percent(done, l->total_bytes));
        put_amount(t, l->total_bytes, "B");
    } else {
        put_amount(t, done, "B");
    }
    put(t, " read");
    put_left(l, t, done, l->total_bytes, l->started_ns);
    put(t, ", ");
    put_amount(t, l->states[0].out.events, "");
    put(t, " events, ");
    put_amount(t, per_second(l, l->window_bytes), "B/s");
    put(t, ", %s limits", limiter(l, 0, l->sorter));
}

static void put_writing(const struct tm_progress_line *l, struct text *t)
{
    uint64_t done = l->states[l->count - 1].in.events, total = l->states[l->sorter].in.events;
    put(t, "%u%% of ", total ? percent(done, total) : 100);
    put_amount(t, total, "");
    put(t, " events written");
    put_left(l, t, done, total, l->writing_since_ns);
    put(t, ", ");
    put_amount(t, per_second(l, l->window_events), "");
    put(t, " events/s, %s limits", limiter(l, l->sorter, l->count - 1));
}

static void write_text(const struct tm_progress_line *l, const char *data, size_t len)
{
    tm_io_message(l->fd, data, len);
}

static void show(struct tm_progress_line *l, const struct text *t)
{
    struct text whole = {.len = 0};
    size_t columns = l->is_terminal ? tm_compat_columns(l->fd) : LINE_MAX;
    int len = (int)(t->len < columns ? t->len : columns - 1);
    if (l->is_terminal)
        put(&whole, "\r%.*s\033[K", len, t->data);
    else
        put(&whole, "%.*s\n", len, t->data);
    write_text(l, whole.data, whole.len);
    l->is_shown = true;
    l->shown_ns = l->last_ns;
}

/* Reduces V by an eighth at each tick, so older counts weigh less. */
static uint64_t fall_off(uint64_t v)
{
    return v - v / 8;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Reads the counts of all stages and updates the windows. */
static void look(struct tm_progress_line *l)
{
    uint64_t now = tm_progress_now_ns(), passed = now - l->last_ns;
    uint64_t bytes = l->states[0].in.bytes, events = l->states[l->count - 1].in.events;
    for (size_t i = 0; i < l->count; i++) {
        struct tm_progress_state *s = &l->states[i];
        struct tm_flow_sample in = tm_progress_sample(&l->page->stages[i].in, now);
        struct tm_flow_sample out = tm_progress_sample(&l->page->stages[i].out, now);
        s->idle_in_ns = fall_off(s->idle_in_ns) + least(in.waited_ns - s->in.waited_ns, passed);
        s->idle_out_ns = fall_off(s->idle_out_ns) + least(out.waited_ns - s->out.waited_ns, passed);
        s->in = in;
        s->out = out;
    }
    l->window_ns = fall_off(l->window_ns) + passed;
    l->window_bytes = fall_off(l->window_bytes) + (l->states[0].in.bytes - bytes);
    l->window_events = fall_off(l->window_events) + (l->states[l->count - 1].in.events - events);
    if (l->writing_since_ns == 0 && l->states[l->sorter].out.events)
        l->writing_since_ns = now;
    l->last_ns = now;
}

void tm_progress_line_start(struct tm_progress_line *l)
{
    l->started_ns = l->last_ns = tm_progress_now_ns();
}

void tm_progress_line_tick(struct tm_progress_line *l)
{
    struct text t = {.len = 0};
    look(l);
    uint64_t wait_ms = l->is_terminal ? (l->shown_ns ? 0 : TERMINAL_FIRST_MS) : FILE_EVERY_MS;
    if (l->last_ns - (l->shown_ns ? l->shown_ns : l->started_ns) < wait_ms * 1000000)
        return;
    put(&t, "tm-merge: ");
    if (l->writing_since_ns)
        put_writing(l, &t);
    else
        put_reading(l, &t);
    show(l, &t);
}

void tm_progress_line_clear(struct tm_progress_line *l)
{
    static const char erase[] = "\r\033[K";
    if (l->is_shown && l->is_terminal)
        write_text(l, erase, sizeof erase - 1);
    l->is_shown = false;
}

void tm_progress_line_finish(struct tm_progress_line *l)
{
    struct text t = {.len = 0};
    tm_progress_line_clear(l);
    if (l->is_terminal)
        return;
    look(l);
    put(&t, "tm-merge: ");
    put_amount(&t, l->states[0].in.bytes, "B");
    put(&t, " read, ");
    put_amount(&t, l->states[l->count - 1].in.events, "");
    put(&t, " events written in ");
    put_duration(&t, l->last_ns - l->started_ns);
    put(&t, "\n");
    write_text(l, t.data, t.len);
}
