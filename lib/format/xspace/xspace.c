#include "format/xspace/internal.h"

#include "base/table.h"

#include <stdlib.h>

enum { EVENTS_AT_ONCE = 1024 };

/* 2001-09-09: a line that begins later has wall-clock times. */
static const int64_t epoch_times_ns = INT64_C(1000000000000000000);

static enum tm_status store_plane(struct tm_xspace *x, const struct tm_xspace_field *f)
{
    if (x->plane_count == TM_XSPACE_PLANES_MAX)
        return tm_error_at(x->err, f->byte, "more than the limit of %d planes", TM_XSPACE_PLANES_MAX);
    enum tm_status st = tm_array_grow(&x->planes, &x->plane_cap, x->plane_count, sizeof *x->planes, x->err);
    if (st == TM_OK)
        x->planes[x->plane_count++] = (struct tm_xspace_plane){f->at, f->len, f->missing};
    return st;
}

/* Finds the places of the planes, and the first byte that is not in a field of an XSpace. */
static enum tm_status find_planes(struct tm_xspace *x)
{
    struct tm_xspace_message space = {0};
    struct tm_xspace_field f;
    enum tm_status st = tm_xspace_message_open(&space, &x->uncounted, 0, x->file.len, x->err);
    while (st == TM_OK && (st = tm_xspace_message_next(&space, &f, x->err)) == TM_OK && f.type == TM_PB_LEN &&
           f.id <= TM_XSPACE_HOSTNAME) {
        x->rest_at = f.at + f.len;
        if (f.id == TM_XSPACE_PLANE && (st = store_plane(x, &f)) < 0)
            goto out;
    }
    if (st == TM_E_INPUT) /* the error is reported when the planes are read */
        *x->err = (struct tm_error){0};
    if (st == TM_E_INPUT || st == TM_END)
        st = TM_OK;
out:
    tm_xspace_message_close(&space);
    return st;
}

/* Sets x->is_absolute if a line of PLANE has wall-clock times. */
static enum tm_status find_epoch_times(struct tm_xspace *x, const struct tm_xspace_plane *plane)
{
    struct tm_xspace_message message = {0}, line = {0};
    struct tm_xspace_field f, g;
    enum tm_status st = tm_xspace_message_open(&message, &x->uncounted, plane->at, plane->len, x->err);
    while (st == TM_OK && !x->is_absolute && (st = tm_xspace_message_next(&message, &f, x->err)) == TM_OK) {
        if (f.id != TM_XPLANE_LINE || f.type != TM_PB_LEN)
            continue;
        st = tm_xspace_message_open(&line, &x->uncounted, f.at, f.len, x->err);
        while (st == TM_OK && (st = tm_xspace_message_next(&line, &g, x->err)) == TM_OK && g.id != TM_XLINE_EVENT)
            x->is_absolute |= g.id == TM_XLINE_TIMESTAMP_NS && g.type == TM_PB_VARINT &&
                              (int64_t)g.value >= epoch_times_ns;
        tm_xspace_message_close(&line);
        if (st == TM_END)
            st = TM_OK;
    }
    tm_xspace_message_close(&message);
    if (st == TM_E_INPUT) /* the error is reported when the lines are read */
        *x->err = (struct tm_error){0};
    return st == TM_E_SYSTEM ? st : TM_OK;
}

static enum tm_status survey(struct tm_xspace *x)
{
    enum tm_status st = find_planes(x);
    for (uint32_t i = 0; i < x->plane_count && st == TM_OK && !x->has_start; i++)
        st = tm_xspace_plane_start(x, &x->planes[i]);
    for (uint32_t i = 0; i < x->plane_count && st == TM_OK && !x->has_start && !x->is_absolute; i++)
        st = find_epoch_times(x, &x->planes[i]);
    return st;
}

static enum tm_status xspace_open(const struct tm_format_context *context, void **state, struct tm_error *err)
{
    struct tm_xspace *x = calloc(1, sizeof *x);
    if (x == NULL)
        return tm_error_nomem(err);
    x->context = *context;
    x->file = x->uncounted = context->whole;
    x->uncounted.is_temporary = true;
    x->err = err;
    *state = x;
    return survey(x);
}

static Tracemerge__ClockPolicy xspace_policy(const void *state)
{
    const struct tm_xspace *x = state;
    return x->has_start || x->is_absolute ? TRACEMERGE__CLOCK_POLICY__REALTIME_CLOCK
                                          : TRACEMERGE__CLOCK_POLICY__PRIVATE;
}

/* Reads some events of the open line. */
static enum tm_status read_events(struct tm_xspace *x)
{
    struct tm_xspace_field f;
    struct tm_text data;
    enum tm_status st = TM_OK;
    for (int i = 0; i < EVENTS_AT_ONCE && st == TM_OK; i++) {
        if ((st = tm_xspace_message_next(&x->line, &f, x->err)) != TM_OK)
            break;
        if (f.type != TM_PB_LEN || f.id != TM_XLINE_EVENT)
            continue;
        if (f.missing > 0)
            st = tm_xspace_damage(x, f.byte, f.len, "an event that is cut short");
        else if (f.len > TM_XSPACE_EVENT_MAX)
            st = tm_event_sink_account(x->context.sink, (struct tm_loss){TM_DROP_TOO_LARGE, 0, 1, f.byte}, x->err);
        else if ((st = tm_xspace_message_bytes(&x->line, &f, (size_t)f.len, &data, x->err)) == TM_OK)
            st = tm_xspace_event(x, data, f.byte);
        if (st < 0)
            return st;
    }
    if (st == TM_E_INPUT)
        st = tm_xspace_damage(x, f.byte, tm_xspace_message_left(&x->line), "a line with damaged fields");
    else if (st == TM_OK)
        return TM_OK;
    tm_xspace_message_close(&x->line);
    x->in_line = false;
    return st < 0 ? st : TM_OK;
}

/* Reads the next line of the open plane. */
static enum tm_status read_plane(struct tm_xspace *x)
{
    struct tm_xspace_field f;
    enum tm_status st;
    while ((st = tm_xspace_message_next(&x->plane, &f, x->err)) == TM_OK)
        if (f.type == TM_PB_LEN && f.id == TM_XPLANE_LINE) {
            st = tm_xspace_line_open(x, &f);
            x->in_line = st == TM_OK;
            return st;
        }
    if (st == TM_E_INPUT)
        st = tm_xspace_damage(x, f.byte, tm_xspace_message_left(&x->plane), "a plane with damaged fields");
    tm_xspace_message_close(&x->plane);
    x->in_plane = false;
    x->next_plane++;
    return st < 0 ? st : TM_OK;
}

static enum tm_status open_plane(struct tm_xspace *x)
{
    const struct tm_xspace_plane *plane = &x->planes[x->next_plane];
    enum tm_status st = TM_OK;
    if (plane->missing > 0)
        st = tm_xspace_damage(x, plane->at + plane->len, 0, "the profile is cut short");
    if (st == TM_OK)
        st = tm_xspace_plane_open(x, plane);
    x->in_plane = st == TM_OK;
    return st;
}

static enum tm_status stat(struct tm_xspace *x, const char *name, Tracemerge__Severity severity, uint64_t *n)
{
    uint64_t count = *n;
    *n = 0;
    return count ? tm_event_sink_stat(x->context.sink, name, severity, (int64_t)count, x->err) : TM_OK;
}

/* Adds host names, errors and warnings as metadata. */
static enum tm_status put_notes(struct tm_xspace *x)
{
    static const char *const names[] = {[TM_XSPACE_ERROR] = "xspace_error", [TM_XSPACE_WARNING] = "xspace_warning",
                                        [TM_XSPACE_HOSTNAME] = "xspace_hostname"};
    uint32_t counts[TM_XSPACE_HOSTNAME + 1] = {0};
    struct tm_xspace_message space = {0};
    struct tm_xspace_field f;
    struct tm_text text;
    enum tm_status st = tm_xspace_message_open(&space, &x->uncounted, 0, x->rest_at, x->err);
    while (st == TM_OK && (st = tm_xspace_message_next(&space, &f, x->err)) == TM_OK) {
        if (f.id == TM_XSPACE_PLANE)
            continue;
        tm_buf_clear(&x->key);
        if (tm_buf_addf(&x->key, "%s.%u", names[f.id], (unsigned)counts[f.id]++) != TM_OK)
            st = tm_error_nomem(x->err);
        else if ((st = tm_xspace_message_bytes(&space, &f, TM_XSPACE_NAME_MAX, &text, x->err)) == TM_OK)
            st = tm_xspace_note(x, text.data, text.len);
    }
    tm_xspace_message_close(&space);
    return st == TM_END ? TM_OK : st;
}

static enum tm_status finish(struct tm_xspace *x)
{
    enum tm_status st = put_notes(x);
    if (st == TM_OK && x->rest_at < x->file.len)
        st = tm_xspace_damage(x, x->rest_at, x->file.len - x->rest_at, "no plane of a profile");
    if (st == TM_OK)
        st = stat(x, "xspace_events_without_name", TRACEMERGE__SEVERITY__INFO, &x->unnamed_count);
    if (st == TM_OK)
        st = stat(x, "xspace_stats_not_shown", TRACEMERGE__SEVERITY__DATA_LOSS, &x->unshown_stat_count);
    return st < 0 ? st : TM_END;
}

static enum tm_status xspace_read(void *state, struct tm_error *err)
{
    struct tm_xspace *x = state;
    x->err = err;
    if (x->in_line)
        return read_events(x);
    if (x->in_plane)
        return read_plane(x);
    return x->next_plane < x->plane_count ? open_plane(x) : finish(x);
}

static void xspace_close(void *state)
{
    struct tm_xspace *x = state;
    if (x == NULL)
        return;
    tm_xspace_message_close(&x->line);
    tm_xspace_message_close(&x->plane);
    tm_xspace_names_release(&x->events);
    tm_xspace_names_release(&x->stats);
    tm_buf_release(&x->plane_name);
    tm_buf_release(&x->detail);
    tm_buf_release(&x->inner);
    tm_buf_release(&x->key);
    tm_buf_release(&x->text);
    free(x->planes);
    free(x);
}

/* True if TEXT can be the name of a plane: it has no control bytes. In a Perfetto trace field 2 of a packet is a
 * process tree, whose first byte is one. */
static bool is_name(const uint8_t *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] < 0x20 || text[i] == 0x7f)
            return false;
    return len > 0;
}

/* Accepts a first plane that begins with its number and name, or with its name; lines, names and stats must follow. No
 * Perfetto packet has a number as field 1. */
static bool xspace_sniff(const uint8_t *head, size_t len)
{
    uint64_t size, name_len, value;
    const uint8_t *end = head + len, *p;
    if (len < 2 || head[0] != (TM_XSPACE_PLANE << 3 | TM_PB_LEN) ||
        (p = tm_varint_get(head + 1, end, &size)) == NULL)
        return false;
    if (size < (uint64_t)(end - p))
        end = p + size;
    if (p < end && *p == (TM_XPLANE_ID << 3 | TM_PB_VARINT) && (p = tm_varint_get(p + 1, end, &value)) == NULL)
        return false;
    if (p == end || *p != (TM_XPLANE_NAME << 3 | TM_PB_LEN) || (p = tm_varint_get(p + 1, end, &name_len)) == NULL ||
        name_len > size || !is_name(p, name_len < (uint64_t)(end - p) ? (size_t)name_len : (size_t)(end - p)))
        return false;
    if (name_len >= (uint64_t)(end - p))
        return true;
    p += name_len;
    return *p >> 3 >= TM_XPLANE_LINE && *p >> 3 <= TM_XPLANE_STAT && (*p & 7) == TM_PB_LEN;
}

const struct tm_format tm_format_xspace = {
    .type = TM_INPUT_XSPACE,
    .priority = TM_PRIORITY_TRACE,
    .clock_policy = TRACEMERGE__CLOCK_POLICY__PRIVATE,
    .policy_of = xspace_policy,
    .sniff = xspace_sniff,
    .open = xspace_open,
    .read = xspace_read,
    .close = xspace_close,
    .by_place = true,
};
