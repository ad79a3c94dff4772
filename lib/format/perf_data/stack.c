#include "format/perf_data/internal.h"

#include "base/pb.h"
#include "stream/detail_fields.h"

/* Numbers in a call chain that are marks: they state the mode of the addresses that follow. */
#define MARK_FIRST (UINT64_MAX - 4094)
#define MARK(n) (UINT64_MAX - (n) + 1)
#define MARK_HYPERVISOR MARK(32)
#define MARK_KERNEL MARK(128)
#define MARK_USER MARK(512)
#define MARK_USER_LATER MARK(640) /* the rest is in another record; a number that identifies it follows */
#define MARK_GUEST_KERNEL MARK(2176)
#define MARK_GUEST_USER MARK(2560)

static enum tm_perf_mode mode_of(uint64_t mark)
{
    switch (mark) {
    case MARK_HYPERVISOR:
        return TM_PERF_MODE_HYPERVISOR;
    case MARK_KERNEL:
        return TM_PERF_MODE_KERNEL;
    case MARK_USER:
        return TM_PERF_MODE_USER;
    case MARK_GUEST_KERNEL:
        return TM_PERF_MODE_GUEST_KERNEL;
    case MARK_GUEST_USER:
        return TM_PERF_MODE_GUEST_USER;
    default:
        return TM_PERF_MODE_UNKNOWN;
    }
}

static void add_frame(struct tm_perf *p, uint64_t ip, enum tm_perf_mode mode)
{
    p->frames[p->frame_count++] = (struct tm_perf_stack_frame){ip, mode};
}

/* Sets p->frames to the call chain of S, innermost first, or to its address if it has no call chain. */
static void find_frames(struct tm_perf *p, const struct tm_perf_sample *s, uint16_t misc)
{
    enum tm_perf_mode mode = misc & TM_PERF_MODE_MASK;
    struct tm_perf_cursor c = {s->chain, s->chain + (s->chain ? s->chain_len * 8 : 0), p->header.is_big, false};
    p->frame_count = 0;
    for (uint64_t i = 0; s->chain && i < s->chain_len && p->frame_count < TM_PERF_DATA_FRAMES_ROOM; i++) {
        uint64_t ip = tm_perf_u64(&c);
        if (ip == MARK_USER_LATER)
            break;
        if (ip >= MARK_FIRST)
            mode = mode_of(ip);
        else
            add_frame(p, ip, mode);
    }
    if (p->frame_count == 0 && s->has_ip)
        add_frame(p, s->ip, misc & TM_PERF_MODE_MASK);
}

static bool put_text(struct tm_perf *p, uint32_t field, uint32_t text)
{
    size_t len;
    if (text == TM_PERF_NO_TEXT)
        return true;
    const uint8_t *s = tm_intern_get(&p->mappings.texts, text, &len);
    return tm_pb_put_bytes(&p->detail, field, s, len) == TM_OK;
}

static const struct tm_perf_mapping *find_mapping(const struct tm_perf *p, const struct tm_perf_stack_frame *f,
                                                  const struct tm_perf_sample *s, uint64_t ip)
{
    bool is_kernel = f->mode == TM_PERF_MODE_KERNEL;
    if (!is_kernel && (f->mode != TM_PERF_MODE_USER || s->pid < 0))
        return NULL;
    return tm_perf_mappings_find(&p->mappings, is_kernel ? TM_PERF_KERNEL_PID : s->pid, s->time, ip);
}

/* Adds frame F of S. IS_RETURN: its address is that to which a call returns; 1 less is inside the call. */
static bool put_frame(struct tm_perf *p, const struct tm_perf_stack_frame *f, const struct tm_perf_sample *s,
                      bool is_return)
{
    uint64_t ip = f->ip - (is_return && f->ip > 0 ? 1 : 0);
    const struct tm_perf_mapping *m = find_mapping(p, f, s, ip);
    size_t mark;
    if (!m && ip != f->ip) {
        m = find_mapping(p, f, s, f->ip); /* a fault may interrupt at the first byte of its mapping */
        ip = m ? f->ip : ip;
    }
    if (tm_pb_begin(&p->detail, TM_DETAIL_FRAMES, &mark) != TM_OK)
        return false;
    if (m && m->is_symbol && !put_text(p, TM_STACK_FRAME_FUNCTION, m->name))
        return false;
    if (m && !m->is_symbol &&
        (!put_text(p, TM_STACK_FRAME_FUNCTION, tm_perf_symbols_find(&p->symbols, m, ip)) ||
         !put_text(p, TM_STACK_FRAME_MAPPING, m->name) ||
         !put_text(p, TM_STACK_FRAME_BUILD_ID, tm_perf_mappings_build_id_of(&p->mappings, m)) ||
         tm_pb_put_varint(&p->detail, TM_STACK_FRAME_MAPPING_START, m->start) != TM_OK ||
         tm_pb_put_varint(&p->detail, TM_STACK_FRAME_MAPPING_END, m->end + (m->end < UINT64_MAX)) != TM_OK))
        return false;
    return tm_pb_put_varint(&p->detail, TM_STACK_FRAME_REL_PC, m ? ip - m->start + m->offset : ip) == TM_OK &&
           tm_pb_end(&p->detail, mark) == TM_OK;
}

enum tm_status tm_perf_put_stack(struct tm_perf *p, const struct tm_perf_sample *s, uint16_t misc, struct tm_error *err)
{
    find_frames(p, s, misc);
    const size_t bytes_max = tm_detail_budget_left(&p->context.sink->budget, TM_PERF_STACK_BYTES_MAX);
    uint32_t left = p->frame_count;
    for (; left > 0 && p->detail.len < bytes_max; left--)
        if (!put_frame(p, &p->frames[left - 1], s, left > 1 && !p->has_call_addresses))
            return tm_error_nomem(err);
    p->stacks_cut += left > 0;
    return TM_OK;
}
