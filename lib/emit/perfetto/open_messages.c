#include "emit/perfetto/open_messages.h"

#include <stdlib.h>

struct tm_open_message {
    struct tm_compact_rows rows;
    struct tm_event next; /* the earliest of its remaining events */
    struct tm_open_message *later;
    bool is_shown; /* returned by the last tm_open_messages_next */
    size_t payload_bytes;
    uint8_t payload[];
};

static void free_message(struct tm_open_messages *messages, struct tm_open_message *m)
{
    messages->bytes -= sizeof *m + m->payload_bytes;
    tm_compact_rows_release(&m->rows);
    free(m);
}

enum tm_status tm_open_messages_add(struct tm_open_messages *messages, const struct tm_event *event,
                                    struct tm_error *err)
{
    size_t bytes = (size_t)event->raw_bytes + event->detail_bytes;
    struct tm_event e = *event;
    struct tm_open_message **end = &messages->first, *m = malloc(sizeof *m + bytes);
    if (m == NULL)
        return tm_error_nomem(err);
    memset(m, 0, sizeof *m);
    m->payload_bytes = bytes;
    messages->bytes += sizeof *m + bytes;
    tm_event_move_payload(&e, m->payload);
    m->rows.borrows_names = true;
    enum tm_status st = tm_compact_rows_open(&m->rows, &e, err);
    if (st == TM_OK)
        st = tm_compact_rows_next(&m->rows, &m->next, err);
    if (st < 0) {
        free_message(messages, m);
        return st;
    }
    while (*end)
        end = &(*end)->later;
    *end = m;
    return TM_OK;
}

static uint32_t order_of(const struct tm_catalog *catalog, const struct tm_event *e)
{
    return e->file < catalog->file_count ? catalog->files[e->file].processing_order : UINT32_MAX;
}

bool tm_open_messages_is_before(const struct tm_catalog *catalog, const struct tm_event *a, const struct tm_event *b)
{
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns;
    if (a->file != b->file)
        return order_of(catalog, a) < order_of(catalog, b);
    return a->position < b->position;
}

const struct tm_event *tm_open_messages_next(struct tm_open_messages *messages, const struct tm_catalog *catalog,
                                             const struct tm_event *until)
{
    struct tm_open_message *earliest = NULL;
    for (struct tm_open_message *m = messages->first; m; m = m->later) {
        m->is_shown = false;
        if (earliest == NULL || tm_open_messages_is_before(catalog, &m->next, &earliest->next))
            earliest = m;
    }
    if (earliest == NULL || (until && !tm_open_messages_is_before(catalog, &earliest->next, until)))
        return NULL;
    earliest->is_shown = true;
    return &earliest->next;
}

enum tm_status tm_open_messages_pop(struct tm_open_messages *messages, struct tm_error *err)
{
    struct tm_open_message **at = &messages->first;
    while (*at && !(*at)->is_shown)
        at = &(*at)->later;
    struct tm_open_message *m = *at;
    if (m == NULL)
        return TM_OK;
    enum tm_status st = tm_compact_rows_next(&m->rows, &m->next, err);
    if (st != TM_END)
        return st;
    *at = m->later;
    free_message(messages, m);
    return TM_OK;
}

void tm_open_messages_release(struct tm_open_messages *messages)
{
    while (messages->first) {
        struct tm_open_message *m = messages->first;
        messages->first = m->later;
        free_message(messages, m);
    }
}
