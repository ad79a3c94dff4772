#include "format/perfetto/generic_kernel.h"

#include "stream/detail_fields.h"
#include "stream/task_description.h"

#include <string.h>

enum { STATE_CPU = 1, STATE_COMM, STATE_TID, STATE_STATE, STATE_PRIO, STATE_FIELDS };
enum { RENAME_TID = 1, RENAME_COMM = 2 };
enum { TREE_PROCESSES = 1, TREE_THREADS = 2 };
enum { PROCESS_PID = 1, PROCESS_PPID = 2, PROCESS_CMDLINE = 3 };
enum { THREAD_TID = 1, THREAD_PID = 2, THREAD_COMM = 3, THREAD_IS_MAIN = 4, THREAD_IS_IDLE = 5 };

struct generic {
    struct tm_proto_rows *rows;
    const struct tm_event *packet; /* the row of the packet */
    struct tm_pb_field of[STATE_FIELDS]; /* the last occurrence of each field; id 0: none */
    struct tm_error *err;
};

static void read_fields(struct generic *g, const struct tm_pb_field *message)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    memset(g->of, 0, sizeof g->of);
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id < STATE_FIELDS)
            g->of[f.id] = f;
}

static enum tm_status name_row(struct generic *g, uint32_t field, struct tm_event *row)
{
    const struct tm_pb_field *f = &g->of[field];
    return f->type == TM_PB_LEN && f->data ? tm_proto_string(g->rows, f->data, f->len, &row->name, g->err) : TM_OK;
}

static enum tm_status add_state(struct generic *g)
{
    struct tm_event row = tm_proto_derived(g->packet, TM_KIND_TASK_STATE);
    row.flags |= TM_EVENT_HAS_TID | TM_EVENT_HAS_CPU | tm_event_scope_flags(TM_SCOPE_THREAD);
    row.tid = (int64_t)g->of[STATE_TID].value;
    row.pid = 0;
    row.cpu = (uint32_t)g->of[STATE_CPU].value;
    row.value = (uint64_t)(uint32_t)g->of[STATE_PRIO].value << 32 | (uint32_t)g->of[STATE_STATE].value;
    enum tm_status st = name_row(g, STATE_COMM, &row);
    return st < 0 ? st : tm_proto_add(g->rows, &row, g->err);
}

static enum tm_status add_rename(struct generic *g)
{
    struct tm_event row = tm_proto_derived(g->packet, TM_KIND_TASK_RENAME);
    row.flags |= TM_EVENT_HAS_TID;
    row.tid = (int64_t)g->of[RENAME_TID].value;
    row.pid = 0;
    enum tm_status st = name_row(g, RENAME_COMM, &row);
    return st < 0 ? st : tm_proto_add(g->rows, &row, g->err);
}

/* Adds a process without its main thread. PARENT and WORDS are its ppid and its command line; id 0: not known. */
static enum tm_status add_process(struct generic *g, int64_t pid, const struct tm_pb_field *parent,
                                  const struct tm_pb_field *words)
{
    struct tm_event row = tm_proto_derived(g->packet, TM_KIND_PROCESS);
    struct tm_buf *detail = &g->rows->detail;
    const uint8_t *blank = words->len ? memchr(words->data, ' ', words->len) : NULL;
    size_t mark;
    row.flags |= TM_EVENT_HAS_PID;
    row.pid = pid;
    row.tid = 0;
    enum tm_status st = tm_pb_begin(detail, TM_DETAIL_PROCESS, &mark);
    if (st == TM_OK)
        st = tm_task_description_numbers(detail, &row);
    if (st == TM_OK && parent->id)
        st = tm_pb_put_varint(detail, TM_PROCESS_DESCRIPTION_PARENT_PID, tm_zigzag((int64_t)parent->value));
    if (st == TM_OK && words->id)
        st = tm_pb_put_bytes(detail, TM_PROCESS_DESCRIPTION_NAME, words->data,
                             blank ? (size_t)(blank - words->data) : words->len);
    if (st == TM_OK && words->id)
        st = tm_pb_put_bytes(detail, TM_PROCESS_DESCRIPTION_CMDLINE, words->data, words->len);
    if (st == TM_OK)
        st = tm_pb_put_varint(detail, TM_PROCESS_DESCRIPTION_IS_ALONE, 1);
    if (st < 0 || tm_pb_end(detail, mark) < 0)
        return tm_error_nomem(g->err);
    return tm_proto_add(g->rows, &row, g->err);
}

static enum tm_status add_thread(struct generic *g)
{
    static const struct tm_pb_field none = {0};
    const struct tm_pb_field *comm = &g->of[THREAD_COMM];
    struct tm_event row = tm_proto_derived(g->packet, TM_KIND_THREAD);
    struct tm_buf *detail = &g->rows->detail;
    size_t mark;
    row.flags |= TM_EVENT_HAS_PID | TM_EVENT_HAS_TID;
    row.pid = (int64_t)g->of[THREAD_PID].value;
    row.tid = (int64_t)g->of[THREAD_TID].value;
    enum tm_status st = add_process(g, row.pid, &none, &none);
    if (st < 0)
        return st;
    st = tm_pb_begin(detail, TM_DETAIL_THREAD, &mark);
    if (st == TM_OK)
        st = tm_task_description_numbers(detail, &row);
    if (st == TM_OK && comm->type == TM_PB_LEN && comm->id)
        st = tm_pb_put_bytes(detail, TM_THREAD_DESCRIPTION_NAME, comm->data, comm->len);
    if (st == TM_OK && g->of[THREAD_IS_MAIN].value)
        st = tm_pb_put_varint(detail, TM_THREAD_DESCRIPTION_IS_MAIN, 1);
    if (st == TM_OK)
        st = tm_pb_put_varint(detail, TM_THREAD_DESCRIPTION_IS_IDLE, g->of[THREAD_IS_IDLE].value != 0);
    if (st < 0 || tm_pb_end(detail, mark) < 0)
        return tm_error_nomem(g->err);
    return tm_proto_add(g->rows, &row, g->err);
}

/* Adds the processes or the threads of a tree, as PART says. A process without a command line is left out. */
static enum tm_status add_tree(struct generic *g, const struct tm_pb_field *body, uint32_t part)
{
    struct tm_pb pb = tm_pb_of(body->data, body->len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id != part || f.type != TM_PB_LEN)
            continue;
        read_fields(g, &f);
        if (part == TREE_THREADS)
            st = add_thread(g);
        else if (g->of[PROCESS_CMDLINE].id && g->of[PROCESS_CMDLINE].type == TM_PB_LEN)
            st = add_process(g, (int64_t)g->of[PROCESS_PID].value, &g->of[PROCESS_PPID], &g->of[PROCESS_CMDLINE]);
    }
    return st;
}

enum tm_status tm_proto_generic_kernel_read(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                            struct tm_error *err)
{
    struct tm_event row = tm_proto_packet_event(packet);
    struct generic g = {.rows = rows, .packet = &row, .err = err};
    enum tm_status st = tm_proto_add(rows, &row, err);
    if (st < 0 || !packet->has_time)
        return st;
    if (packet->body.id == TM_PACKET_GENERIC_PROCESS_TREE) {
        st = add_tree(&g, &packet->body, TREE_PROCESSES);
        return st < 0 ? st : add_tree(&g, &packet->body, TREE_THREADS);
    }
    read_fields(&g, &packet->body);
    return packet->body.id == TM_PACKET_GENERIC_TASK_STATE ? add_state(&g) : add_rename(&g);
}
