#include "emit/perfetto/default_descriptors.h"

enum tm_status tm_default_descriptors_note(struct tm_packet_writer *w, const struct tm_event *e, uint64_t uuid,
                                           struct tm_error *err)
{
    const enum tm_status st = tm_default_owners_describe(&w->defaults, tm_hash_u64(uuid ^ e->machine));
    return st < 0 ? tm_error_nomem(err) : st;
}

/* Begins a packet with the descriptor of track UUID on E's machine, which has the name of default tracks. */
static enum tm_status begin_named(struct tm_packet_writer *w, const struct tm_event *e, uint64_t uuid, size_t *mark,
                                  struct tm_error *err)
{
    static const char name[] = TM_DEFAULT_TRACK_NAME;
    const enum tm_status st = tm_packet_begin_descriptor(w, e, uuid, mark, err);
    if (st < 0)
        return st;
    return tm_pb_put_bytes(&w->out, TM_DESCRIPTOR_NAME, name, sizeof name - 1) != TM_OK ? tm_error_nomem(err) : TM_OK;
}

enum tm_status tm_default_descriptors_put_own(struct tm_packet_writer *w, const struct tm_event *e,
                                              struct tm_error *err)
{
    const uint64_t uuid = tm_packet_own_default(w, e->file);
    size_t mark;
    enum tm_status st = tm_default_descriptors_note(w, e, uuid, err);
    if (st != TM_OK)
        return st < 0 ? st : TM_OK;
    st = begin_named(w, e, uuid, &mark, err);
    if (st == TM_OK && tm_packet_put_merge_key(&w->out, uuid) != TM_OK)
        return tm_error_nomem(err);
    return st < 0 ? st : tm_packet_end_descriptor(w, mark, err);
}

/* Copies what E says of the order of processes and threads. *HAS_SOME: anything. */
static enum tm_status copy_orderings(struct tm_packet_writer *w, const struct tm_event *e, bool *has_some)
{
    struct tm_pb packet = tm_pb_of(e->raw, e->raw_bytes);
    struct tm_pb_field f, g;
    enum tm_status st = TM_OK;
    while (tm_pb_next(&packet, &f) == TM_OK) {
        struct tm_pb pb = tm_pb_of(f.data, f.type == TM_PB_LEN ? f.len : 0);
        while (st == TM_OK && f.id == TM_PACKET_TRACK_DESCRIPTOR && tm_pb_next(&pb, &g) == TM_OK)
            if (g.id == TM_DESCRIPTOR_PROCESS_ORDERING || g.id == TM_DESCRIPTOR_THREAD_ORDERING) {
                *has_some = true;
                st = tm_buf_add(&w->out, g.start, (size_t)(g.end - g.start));
            }
    }
    return st;
}

enum tm_status tm_default_descriptors_put_orderings(struct tm_packet_writer *w, const struct tm_event *e,
                                                    struct tm_error *err)
{
    const size_t before = w->out.len;
    bool has_some = false;
    size_t mark;
    enum tm_status st = begin_named(w, e, 0, &mark, err);
    if (st < 0)
        return st;
    if (copy_orderings(w, e, &has_some) != TM_OK)
        return tm_error_nomem(err);
    if (has_some)
        return tm_packet_end_descriptor(w, mark, err);
    w->out.len = before;
    return TM_OK;
}
