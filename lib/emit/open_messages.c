#include "emit/open_messages.h"

/* A message with events that were not removed. */
struct message {
    struct tm_compact_rows rows;
    struct tm_event next; /* the earliest of these events */
    uint32_t file_order;
    size_t payload_bytes;
    uint8_t payload[];
};

bool tm_event_comes_before(const struct tm_event *a, uint32_t a_order, const struct tm_event *b, uint32_t b_order)
{
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns;
    if (a->file != b->file)
        return a_order < b_order;
    return a->position < b->position;
}

static bool is_message_before(const void *a, const void *b)
{
    const struct message *x = *(struct message *const *)a, *y = *(struct message *const *)b;
    return tm_event_comes_before(&x->next, x->file_order, &y->next, y->file_order);
}

static const struct tm_heap_order BY_NEXT = {sizeof(struct message *), is_message_before};

static void free_message(struct tm_open_messages *messages, struct message *m)
{
    messages->bytes -= sizeof *m + m->payload_bytes;
    tm_compact_rows_release(&m->rows);
    free(m);
}

enum tm_status tm_open_messages_add(struct tm_open_messages *messages, const struct tm_event *event,
                                    uint32_t file_order, struct tm_error *err)
{
    const size_t bytes = (size_t)event->raw_bytes + event->detail_bytes;
    struct tm_event e = *event;
    struct message *m = malloc(sizeof *m + bytes);
    if (m == NULL)
        return tm_error_nomem(err);
    *m = (struct message){
        .rows = {.borrows_names = messages->borrows_names}, .file_order = file_order, .payload_bytes = bytes};
    messages->bytes += sizeof *m + bytes;
    tm_event_move_payload(&e, m->payload);
    enum tm_status st = tm_compact_rows_open(&m->rows, &e, err);
    if (st == TM_OK)
        st = tm_compact_rows_next(&m->rows, &m->next, err);
    if (st == TM_OK)
        st = tm_heap_push(&messages->heap, &BY_NEXT, &m, err);
    if (st != TM_OK)
        free_message(messages, m);
    return st < 0 ? st : TM_OK;
}

static struct message *first_message(const struct tm_open_messages *messages)
{
    return *(struct message **)messages->heap.items;
}

const struct tm_event *tm_open_messages_first(const struct tm_open_messages *messages)
{
    return tm_open_messages_is_empty(messages) ? NULL : &first_message(messages)->next;
}

bool tm_open_messages_are_due(const struct tm_open_messages *messages, const struct tm_event *event,
                              uint32_t file_order)
{
    if (tm_open_messages_is_empty(messages))
        return false;
    const struct message *first = first_message(messages);
    return tm_event_comes_before(&first->next, first->file_order, event, file_order);
}

enum tm_status tm_open_messages_pop(struct tm_open_messages *messages, struct tm_error *err)
{
    struct message *first = first_message(messages);
    enum tm_status st = tm_compact_rows_next(&first->rows, &first->next, err);
    if (st == TM_OK)
        tm_heap_replace(&messages->heap, &BY_NEXT, &first);
    if (st != TM_END)
        return st;
    tm_heap_pop(&messages->heap, &BY_NEXT, &first);
    free_message(messages, first);
    return TM_OK;
}

void tm_open_messages_release(struct tm_open_messages *messages)
{
    struct message **open = messages->heap.items;
    for (uint32_t i = 0; i < messages->heap.count; i++)
        free_message(messages, open[i]);
    tm_heap_release(&messages->heap);
}
