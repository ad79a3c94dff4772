#include "emit/perfetto/work_line.h"

#include "base/table.h"
#include "emit/perfetto/ftrace_bundle.h"
#include "emit/perfetto/line_text.h"
#include "perfetto/ftrace_event_fields.h"

#include <stdlib.h>

enum { WORKQUEUE_WORK = 1, WORKQUEUE_FUNCTION = 2 };
enum { NAMES_MAX = 1 << 16, NAME_BYTES_MAX = 32 << 20 }; /* any single string of the stream fits */

bool tm_work_line_is(const struct tm_ftrace_writer *w, const struct tm_event *e)
{
    if ((e->kind != TM_KIND_SLICE_BEGIN && e->kind != TM_KIND_SLICE_END) || e->category == 0)
        return false;
    struct tm_text text = tm_catalog_string(w->packets->catalog, e->category, e);
    return tm_text_is(text, "workqueue") && !(e->flags & TM_EVENT_ASYNC);
}

static enum tm_status names_of(struct tm_ftrace_writer *w, uint32_t machine, struct tm_work_names **names,
                               struct tm_error *err)
{
    if (tm_array_grow(&w->work, &w->work_cap, machine, sizeof *w->work, err) < 0)
        return TM_E_SYSTEM;
    for (; w->work_count <= machine; w->work_count++)
        tm_intern_init(&w->work[w->work_count].names, NAMES_MAX, NAME_BYTES_MAX);
    *names = &w->work[machine];
    return TM_OK;
}

/* Writes a packet that gives NAME the number IID on MACHINE. */
static enum tm_status write_name(struct tm_ftrace_writer *w, uint32_t machine, uint64_t iid, struct tm_text name,
                                 struct tm_error *err)
{
    struct tm_work_names *names = &w->work[machine];
    struct tm_buf *out = &w->packets->out;
    uint64_t flags = TM_SEQUENCE_NEEDS_STATE | (names->is_begun ? 0 : TM_SEQUENCE_CLEARED);
    size_t interned, symbol;
    enum tm_status st = tm_packet_begin(w->packets, machine, err);
    if (st < 0)
        return st;
    if (tm_pb_put_varint(out, TM_PACKET_SEQUENCE_ID, names->sequence) != TM_OK ||
        tm_pb_put_varint(out, TM_PACKET_SEQUENCE_FLAGS, flags) != TM_OK ||
        tm_pb_begin(out, TM_PACKET_INTERNED_DATA, &interned) != TM_OK ||
        tm_pb_begin(out, TM_INTERNED_KERNEL_SYMBOLS, &symbol) != TM_OK ||
        tm_pb_put_varint(out, TM_INTERNED_IID, iid) != TM_OK ||
        tm_pb_put_bytes(out, TM_INTERNED_TEXT, name.data, name.len) != TM_OK || tm_pb_end(out, symbol) != TM_OK ||
        tm_pb_end(out, interned) != TM_OK)
        return tm_error_nomem(err);
    names->is_begun = true;
    return tm_packet_end(w->packets, err);
}

enum tm_status tm_kernel_symbol(struct tm_ftrace_writer *w, struct tm_ftrace_bundle *b, struct tm_text name,
                                uint64_t *symbol, struct tm_error *err)
{
    struct tm_work_names *names = NULL;
    uint32_t id = 0;
    bool is_new = false;
    enum tm_status st = names_of(w, b->machine, &names, err);
    if (st == TM_OK)
        st = tm_ftrace_bundle_symbols(w, b, &names->sequence, err);
    if (st < 0)
        return st;
    /* the table is full: begin a new one */
    if (tm_intern_add(&names->names, name.data, name.len, &id, &is_new) == TM_END) {
        if ((st = tm_ftrace_bundles_write(w, err)) < 0 ||
            (st = tm_ftrace_bundle_symbols(w, b, &names->sequence, err)) < 0)
            return st;
        tm_intern_clear(&names->names);
        names->is_begun = false;
        st = tm_intern_add(&names->names, name.data, name.len, &id, &is_new);
    }
    if (st != TM_OK)
        return tm_error_nomem(err);
    *symbol = (uint64_t)id + 1;
    return is_new ? write_name(w, b->machine, *symbol, name, err) : TM_OK;
}

enum tm_status tm_work_line_name(struct tm_ftrace_writer *w, struct tm_ftrace_bundle *b, const struct tm_event *e,
                                 uint64_t *function, struct tm_error *err)
{
    struct tm_text name = tm_catalog_string(w->packets->catalog, e->name, e);
    *function = 0;
    return e->kind == TM_KIND_SLICE_BEGIN && name.data ? tm_kernel_symbol(w, b, name, function, err) : TM_OK;
}

bool tm_work_line_put(struct tm_buf *out, const struct tm_event *e, uint64_t function)
{
    const char *line = (const char *)e->raw, *work = tm_line_after(line, e->raw_bytes, "work struct ");
    bool begins = e->kind == TM_KIND_SLICE_BEGIN;
    size_t mark;
    return tm_pb_begin(out, begins ? TM_FTRACE_EVENT_WORKQUEUE_EXECUTE_START : TM_FTRACE_EVENT_WORKQUEUE_EXECUTE_END,
                       &mark) == TM_OK &&
           (work == NULL ||
            tm_pb_put_varint(out, WORKQUEUE_WORK, tm_line_number(work, line + e->raw_bytes, 16)) == TM_OK) &&
           (!begins || tm_pb_put_varint(out, WORKQUEUE_FUNCTION, function) == TM_OK) && tm_pb_end(out, mark) == TM_OK;
}

void tm_work_names_release(struct tm_ftrace_writer *w)
{
    for (uint32_t i = 0; i < w->work_count; i++)
        tm_intern_release(&w->work[i].names);
    free(w->work);
}
