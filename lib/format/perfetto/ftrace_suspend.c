/* Suspending a machine: suspend_resume and device_pm_callback_start, _end. Rules: importers/ftrace/ftrace_parser.cc of
 * perfetto. */
#include "base/hash.h"
#include "stream/detail_arg.h"
#include "format/perfetto/ftrace_event.h"
#include "kernel/effect.h"
#include "kernel/tracks.h"
#include "perfetto/ftrace_event_fields.h"

#include <stdio.h>

struct sleep {
    struct tm_proto_rows *rows;
    struct tm_event *row;
    const struct tm_proto_event_fields *fields;
    struct tm_error *err;
};

/* Makes the row the begin or the end of the slice NAME. Uses the key of the rows. */
static enum tm_status put_action(struct sleep *s, bool begins, const char *name, size_t len)
{
    static const char track[] = "Suspend/Resume Latency";
    const struct tm_proto_named_row named = {.type = TM_NAMED_TRACK_SUSPEND,
                                             .instance = (uint32_t)tm_hash64(name, len)};
    s->row->kind = begins ? TM_KIND_SLICE_BEGIN : TM_KIND_SLICE_END;
    enum tm_status st = begins ? tm_proto_string(s->rows, name, len, &s->row->name, s->err) : TM_OK;
    if (st < 0)
        return st;
    tm_buf_clear(&s->rows->key);
    tm_buf_clear(&s->rows->text);
    if (tm_buf_add(&s->rows->key, track, sizeof track - 1) != TM_OK)
        return tm_error_nomem(s->err);
    st = tm_proto_named_row(s->rows, &named, s->row, s->err);
    s->row->flags &= ~(uint32_t)TM_EVENT_ASYNC;
    s->row->track = tm_kernel_track_number(TM_KERNEL_TRACK_SUSPEND, named.instance);
    return st;
}

static bool is_action(const struct sleep *s, const char *action)
{
    const void *text = s->fields->text[1];
    size_t len = s->fields->len[1];
    return strlen(action) == len && (text == NULL || memcmp(text, action, len) == 0);
}

static enum tm_status put_suspend(struct sleep *s)
{
    static const char type[] = "Main Kernel Suspend Event";
    struct tm_buf *detail = &s->rows->detail;
    bool begins = s->fields->number[3] != 0;
    char name[64]; /* longer names are cut, as in the reference importer */
    /* The value of this action is the cpu, which may differ at its end. */
    int value = is_action(s, "timekeeping_freeze") ? 0 : (int)(uint32_t)s->fields->number[2];
    (void)snprintf(name, sizeof name, "%.*s(%d)",
                   (int)(s->fields->len[1] < sizeof name ? s->fields->len[1] : sizeof name),
                   s->fields->text[1] ? (const char *)s->fields->text[1] : "", value);
    enum tm_status st = put_action(s, begins, name, strlen(name));
    if (st < 0)
        return st;
    if (is_action(s, "suspend_enter"))
        s->row->value = begins ? TM_KERNEL_SUSPEND : TM_KERNEL_SUSPEND_DONE;
    else if (is_action(s, begins ? "freeze_processes" : "thaw_processes"))
        s->row->value = begins ? TM_KERNEL_FREEZE : TM_KERNEL_THAWED;
    if (s->row->value)
        s->row->kind = TM_KIND_KERNEL;
    return begins && (tm_detail_arg_text(detail, "event_type", type, sizeof type - 1) < 0 ||
                      tm_detail_arg_uint(detail, "cpu", s->row->cpu) < 0)
               ? tm_error_nomem(s->err)
               : TM_OK;
}

/* Writes to PHASE the event that a device is notified of (include/linux/pm.h) and the event's phase. Returns PHASE. */
static const char *phase_of(const struct sleep *s, char phase[64])
{
    static const struct {
        int32_t event;
        const char *name;
    } events[] = {{1, "freeze"}, {2, "suspend"}, {4, "hibernate"}, {8, "quiesce"}, {0x10, "resume"}, {0x20, "thaw"},
                  {0x40, "restore"}, {0x80, "recover"}};
    static const char *const parts[] = {"early", "late", "noirq"};
    const char *event = "(unknown PM event)", *part = "",
               *ops = s->fields->text[4] ? (const char *)s->fields->text[4] : "";
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (events[i].event == (int32_t)(uint32_t)s->fields->number[5])
            event = events[i].name;
    if (s->fields->len[4] == 0)
        part = strcmp(event, "suspend") == 0 ? "prepare" : strcmp(event, "resume") == 0 ? "complete" : "";
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (s->fields->len[4] >= strlen(parts[i]) && memcmp(ops, parts[i], strlen(parts[i])) == 0)
            part = parts[i];
    (void)snprintf(phase, 64, "%s%s%s", event, *part ? ":" : "", part);
    return phase;
}

static enum tm_status put_device_event(struct sleep *s, bool begins)
{
    static const char type[] = "Device PM Suspend Event";
    struct tm_buf *detail = &s->rows->detail, *key = &s->rows->key;
    const struct tm_proto_event_fields *f = s->fields;
    char phase[64];
    const char *device = f->text[1] ? (const char *)f->text[1] : "",
               *driver = f->text[2] ? (const char *)f->text[2] : "";
    key->len = 0;
    if (tm_buf_addf(key, "%.*s %.*s", (int)f->len[1], device, (int)f->len[2], driver) != TM_OK)
        return tm_error_nomem(s->err);
    enum tm_status st = put_action(s, begins, (const char *)key->data, key->len);
    if (st < 0 || !begins)
        return st;
    phase_of(s, phase);
    return tm_detail_arg_text(detail, "event_type", type, sizeof type - 1) < 0 ||
                   tm_detail_arg_uint(detail, "cpu", s->row->cpu) < 0 ||
                   tm_detail_arg_text(detail, "device_name", device, f->len[1]) < 0 ||
                   tm_detail_arg_text(detail, "driver_name", driver, f->len[2]) < 0 ||
                   tm_detail_arg_text(detail, "callback_phase", phase, strlen(phase)) < 0
               ? tm_error_nomem(s->err)
               : TM_OK;
}

enum tm_status tm_proto_ftrace_suspend(struct tm_proto_rows *rows, const struct tm_pb_field *f, struct tm_event *row,
                                       struct tm_error *err)
{
    struct tm_proto_event_fields fields;
    struct sleep s = {.rows = rows, .row = row, .fields = &fields, .err = err};
    tm_proto_event_fields_read(&fields, f);
    return f->id == TM_FTRACE_EVENT_SUSPEND_RESUME
               ? put_suspend(&s)
               : put_device_event(&s, f->id == TM_FTRACE_EVENT_DEVICE_PM_CALLBACK_START);
}
