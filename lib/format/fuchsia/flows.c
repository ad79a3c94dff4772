#include "format/fuchsia/flows.h"

#include "base/hash.h"

#include <stdlib.h>

/* A flow that a process began. */
struct tm_fxt_flow {
    struct tm_fxt_flow_id id;
    uint64_t flow;
    bool is_open;
};

/* What is known of an id. */
struct tm_fxt_flow_owner {
    uint64_t id;
    int64_t pid;    /* the process that began it first since a flow with it ended */
    uint32_t begun; /* flows that began with it so far */
    bool is_open;   /* PID is known */
    bool shared;    /* another process began a flow with this id too */
};

/* Returns the number of flow COUNT with an id. The first one, or one whose begin is unknown, has the number that other
 * files have for the id. */
static uint64_t number_of(uint64_t id, uint64_t count)
{
    uint64_t key[2] = {count, id};
    return count ? tm_hash64_numbers(key, 2, 0) : tm_hash_u64(id);
}

static struct tm_fxt_flow *own_place(const struct tm_fxt_flows *f, struct tm_fxt_flow_id id)
{
    uint64_t key[2] = {(uint64_t)id.pid, id.id};
    return &f->own[tm_hash64_numbers(key, 2, 0) % TM_FXT_FLOWS];
}

/* Returns the open flow that the process of ID began with it, or NULL. */
static struct tm_fxt_flow *find_open(const struct tm_fxt_flows *f, struct tm_fxt_flow_id id)
{
    struct tm_fxt_flow *own = own_place(f, id);
    return own->is_open && own->id.pid == id.pid && own->id.id == id.id ? own : NULL;
}

static uint64_t begin(const struct tm_fxt_flows *f, struct tm_fxt_flow_owner *owner, struct tm_fxt_flow_id id)
{
    struct tm_fxt_flow *own = own_place(f, id);
    if (find_open(f, id))
        return own->flow;
    if (owner->id != id.id)
        *owner = (struct tm_fxt_flow_owner){.id = id.id};
    *own = (struct tm_fxt_flow){id, number_of(id.id, owner->begun++), true};
    if (!owner->is_open)
        owner->pid = id.pid;
    owner->shared = owner->is_open && (owner->shared || owner->pid != id.pid);
    owner->is_open = true;
    return own->flow;
}

enum tm_status tm_fxt_flows_find(struct tm_fxt_flows *f, enum tm_fxt_flow_event event, struct tm_fxt_flow_id id,
                                 uint64_t *flow, struct tm_error *err)
{
    if (f->own == NULL)
        f->own = calloc(TM_FXT_FLOWS, sizeof *f->own);
    if (f->owners == NULL)
        f->owners = calloc(TM_FXT_FLOWS, sizeof *f->owners);
    if (f->own == NULL || f->owners == NULL)
        return tm_error_nomem(err);
    struct tm_fxt_flow_owner *owner = &f->owners[tm_hash_u64(id.id) % TM_FXT_FLOWS];
    if (event == TM_FXT_FLOW_BEGIN) {
        *flow = begin(f, owner, id);
        return TM_OK;
    }
    bool is_known = owner->id == id.id && owner->begun;
    struct tm_fxt_flow *open = find_open(f, id);
    if (open == NULL && is_known && owner->is_open && !owner->shared)
        open = find_open(f, (struct tm_fxt_flow_id){owner->pid, id.id});
    *flow = open ? open->flow : number_of(id.id, is_known ? UINT64_MAX : 0);
    if (open && event == TM_FXT_FLOW_END) {
        open->is_open = false;
        owner->is_open = false;
    }
    return TM_OK;
}

void tm_fxt_flows_release(struct tm_fxt_flows *flows)
{
    free(flows->own);
    free(flows->owners);
    *flows = (struct tm_fxt_flows){0};
}
