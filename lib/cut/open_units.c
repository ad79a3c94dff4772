#include "cut/open_units.h"

#include <stdlib.h>

#define NO_GROUP UINT32_MAX

static bool is_before(const void *a, const void *b)
{
    return *(const int64_t *)a < *(const int64_t *)b;
}

static const struct tm_heap_order BY_TIME = {sizeof(int64_t), is_before};

struct tm_unit_track *tm_open_units_known(const struct tm_open_units *open, const struct tm_key *key)
{
    int64_t i = tm_table_find(&open->by_key, key);
    return i == TM_TABLE_NONE ? NULL : &open->tracks[i];
}

struct tm_unit_track *tm_open_units_track(struct tm_open_units *open, const struct tm_key *key)
{
    struct tm_error err = {0};
    struct tm_unit_track *known = tm_open_units_known(open, key);
    if (known)
        return known;
    if (tm_array_grow(&open->tracks, &open->cap, open->count, sizeof *open->tracks, &err) < 0 ||
        tm_table_set(&open->by_key, key, open->count, &err) < 0)
        return NULL;
    struct tm_unit_track *track = &open->tracks[open->count++];
    *track = (struct tm_unit_track){0};
    return track;
}

/* Adds a reference to UNIT to LIST of T. */
static enum tm_status list_add(struct tm_open_units *open, struct tm_unit_track *t, struct tm_unit_list *list,
                               struct tm_pending_unit *unit)
{
    struct tm_unit_node *node = open->free_nodes;
    if (node)
        open->free_nodes = node->next;
    else if ((node = malloc(sizeof *node)) == NULL)
        return TM_E_SYSTEM;
    *node = (struct tm_unit_node){.unit = unit, .number = t->next_number++};
    *(list->last ? &list->last->next : &list->first) = node;
    list->last = node;
    unit->refs++;
    t->count++;
    return TM_OK;
}

/* Removes the first unit of LIST. */
static void list_remove(struct tm_open_units *open, struct tm_unit_track *t, struct tm_unit_list *list)
{
    struct tm_unit_node *node = list->first;
    list->first = node->next;
    list->last = list->first ? list->last : NULL;
    tm_pending_units_drop(open->units, node->unit);
    node->next = open->free_nodes;
    open->free_nodes = node;
    t->count--;
}

static void list_clear(struct tm_open_units *open, struct tm_unit_track *t, struct tm_unit_list *list)
{
    while (list->first)
        list_remove(open, t, list);
}

/* Moves the units of FROM to the end of LIST. */
static void list_join(struct tm_unit_list *list, struct tm_unit_list *from)
{
    if (from->first == NULL)
        return;
    *(list->last ? &list->last->next : &list->first) = from->first;
    list->last = from->last;
    *from = (struct tm_unit_list){0};
}

/* Drops the groups that ended before NOW_NS. They are the last ones. */
static void remove_ended(struct tm_open_units *open, struct tm_unit_track *t, int64_t now_ns)
{
    while (t->group_count > 0) {
        struct tm_unit_group *g = &t->groups[t->group_count - 1];
        if (g->open_count > 0 || g->last_end_ns >= now_ns)
            return;
        list_clear(open, t, &g->units);
        t->group_count--;
    }
}

/* Returns the earliest end after NOW_NS of a slice of G, or INT64_MAX. */
static int64_t next_end(struct tm_unit_group *g, int64_t now_ns)
{
    int64_t end_ns;
    while (g->ends.count > 0 && *(const int64_t *)g->ends.items <= now_ns)
        tm_heap_pop(&g->ends, &BY_TIME, &end_ns);
    return g->ends.count > 0 ? *(const int64_t *)g->ends.items : INT64_MAX;
}

/* Moves what is in group I of T to group INTO. */
static enum tm_status join(struct tm_unit_track *t, uint32_t i, uint32_t into)
{
    struct tm_unit_group *g = &t->groups[into], *from = &t->groups[i];
    struct tm_error err = {0};
    enum tm_status st = TM_OK;
    for (uint32_t k = t->first_begin; from->open_count > 0 && k < t->begin_count; k++)
        if (t->begins[k].group == i)
            t->begins[k].group = into;
    if (g->ends.count < from->ends.count) {
        const struct tm_heap ends = g->ends;
        g->ends = from->ends;
        from->ends = ends;
    }
    for (uint32_t k = 0; k < from->ends.count && st == TM_OK; k++)
        st = tm_heap_push(&g->ends, &BY_TIME, (const int64_t *)from->ends.items + k, &err);
    list_join(&g->units, &from->units);
    g->first_end_ns = from->first_end_ns < g->first_end_ns ? from->first_end_ns : g->first_end_ns;
    g->last_end_ns = from->last_end_ns > g->last_end_ns ? from->last_end_ns : g->last_end_ns;
    g->open_count += from->open_count;
    return st;
}

/* Makes one group of group FIRST and those after it. Adds one if there is none. */
static enum tm_status join_from(struct tm_unit_track *t, uint32_t first)
{
    struct tm_error err = {0};
    enum tm_status st = TM_OK;
    if (first == t->group_count) {
        if ((st = tm_array_grow(&t->groups, &t->group_cap, first, sizeof *t->groups, &err)) < 0)
            return st;
        if (first == t->group_made)
            t->groups[t->group_made++] = (struct tm_unit_group){0};
        struct tm_heap ends = t->groups[first].ends; /* empty, with memory */
        ends.count = 0;
        t->groups[first] =
            (struct tm_unit_group){.ends = ends, .first_end_ns = INT64_MAX, .last_end_ns = INT64_MIN};
        t->group_count++;
    }
    for (uint32_t i = first + 1; i < t->group_count && st == TM_OK; i++)
        st = join(t, i, first);
    t->group_count = first + 1;
    t->oldest_group = first < t->oldest_group ? first : t->oldest_group;
    t->tangled_group = first < t->tangled_group ? first : t->tangled_group;
    return st;
}

/* Notes that a slice of G ends at END_NS. */
static void note_end(struct tm_unit_group *g, int64_t end_ns)
{
    g->first_end_ns = end_ns < g->first_end_ns ? end_ns : g->first_end_ns;
    g->last_end_ns = end_ns > g->last_end_ns ? end_ns : g->last_end_ns;
}

/* The first unit of B waits for its end no longer. */
static void close_begin(struct tm_unit_track *t, const struct tm_open_begin *b)
{
    b->units.first->unit->open_count--;
    if (b->group != NO_GROUP)
        t->groups[b->group].open_count--;
}

/* Drops the oldest unit of T. */
static void remove_oldest(struct tm_open_units *open, struct tm_unit_track *t)
{
    while (t->oldest_group < t->group_count && t->groups[t->oldest_group].units.first == NULL)
        t->oldest_group++;
    struct tm_unit_group *g = t->oldest_group < t->group_count ? &t->groups[t->oldest_group] : NULL;
    struct tm_open_begin *b = t->first_begin < t->begin_count ? &t->begins[t->first_begin] : NULL;
    if (g && (b == NULL || g->units.first->number < b->units.first->number)) {
        list_remove(open, t, &g->units);
    } else if (b) {
        close_begin(t, b);
        list_clear(open, t, &b->units);
        t->first_begin++;
    }
}

static enum tm_status begin_complete(struct tm_open_units *open, struct tm_unit_track *t,
                                     struct tm_pending_unit *unit, int64_t end_ns)
{
    struct tm_error err = {0};
    struct tm_unit_group *g = &t->groups[t->group_count - 1];
    if (t->begin_count > t->first_begin && t->begins[t->begin_count - 1].latest_ns < end_ns)
        t->begins[t->begin_count - 1].latest_ns = end_ns;
    note_end(g, end_ns);
    enum tm_status st = tm_heap_push(&g->ends, &BY_TIME, &end_ns, &err);
    return st < 0 ? st : list_add(open, t, &g->units, unit);
}

static enum tm_status begin_open(struct tm_open_units *open, struct tm_unit_track *t, struct tm_pending_unit *unit,
                                 const struct tm_open_begin *begin)
{
    struct tm_error err = {0};
    if (t->first_begin > t->begin_count / 2) {
        memmove(t->begins, t->begins + t->first_begin, (t->begin_count - t->first_begin) * sizeof *t->begins);
        t->begin_count -= t->first_begin;
        t->first_begin = 0;
    }
    enum tm_status st = tm_array_grow(&t->begins, &t->begin_cap, t->begin_count, sizeof *t->begins, &err);
    if (st < 0)
        return st;
    struct tm_open_begin *b = &t->begins[t->begin_count];
    *b = *begin;
    if ((st = list_add(open, t, &b->units, unit)) < 0)
        return st;
    t->begin_count++;
    unit->open_count++;
    if (b->group != NO_GROUP)
        t->groups[b->group].open_count++;
    return TM_OK;
}

/* Returns the begin with ID, or NULL: it is over or was dropped. */
static struct tm_open_begin *begin_of(const struct tm_unit_track *t, int64_t id)
{
    for (uint32_t i = t->begin_count; i-- > t->first_begin && t->begins[i].id >= id;)
        if (t->begins[i].id == id)
            return &t->begins[i];
    return NULL;
}

/* Returns the begin that an end with LABEL means, or NULL. */
static struct tm_open_begin *find_begin(const struct tm_unit_track *t, const tm_slice_label label[2])
{
    const struct tm_open_slice *slice = tm_slice_stack_ended(&t->stack, label);
    return slice ? begin_of(t, slice->id) : NULL;
}

struct tm_pending_unit *tm_open_units_find(const struct tm_unit_track *t, const tm_slice_label label[2])
{
    const struct tm_open_begin *begin = find_begin(t, label);
    return begin ? begin->units.first->unit : NULL;
}

enum tm_status tm_open_units_attach(struct tm_open_units *open, struct tm_unit_track *t, struct tm_pending_unit *unit,
                                    const tm_slice_label label[2])
{
    return list_add(open, t, &find_begin(t, label)->units, unit);
}

/* Removes the begins from B on. Those after B end with it. Returns the latest end of complete slices inside B. */
static int64_t remove_begins(struct tm_open_units *open, struct tm_unit_track *t, struct tm_open_begin *b)
{
    const uint32_t at = (uint32_t)(b - t->begins);
    int64_t latest_ns = b->latest_ns;
    for (uint32_t i = t->begin_count; i-- > at + 1;) {
        latest_ns = t->begins[i].latest_ns > latest_ns ? t->begins[i].latest_ns : latest_ns;
        close_begin(t, &t->begins[i]);
        list_clear(open, t, &t->begins[i].units);
    }
    t->begin_count = at;
    if (at > t->first_begin && t->begins[at - 1].latest_ns < latest_ns)
        t->begins[at - 1].latest_ns = latest_ns;
    return latest_ns;
}

/* Ends the slice of FOUND at NOW_NS. TM_OK: it stays in group t->ended_group; TM_END: it is forgotten. */
static enum tm_status end_begin(struct tm_open_units *open, struct tm_unit_track *t, struct tm_open_begin *found,
                                int64_t now_ns)
{
    struct tm_open_begin begin = *found;
    enum tm_status st;
    const bool outlasted = remove_begins(open, t, found) > now_ns;
    close_begin(t, &begin);
    remove_ended(open, t, now_ns < INT64_MAX ? now_ns + 1 : now_ns);
    uint32_t group = begin.group;
    if (outlasted && group == NO_GROUP) /* the groups of slices inside it have no open ones */
        for (group = t->group_count; group > 0 && t->groups[group - 1].open_count == 0;)
            group--;
    if (group < t->group_count && (outlasted || begin.first_end_ns < now_ns)) {
        if (outlasted && (st = join_from(t, group)) < 0)
            return st;
        t->oldest_group = group < t->oldest_group ? group : t->oldest_group;
        list_join(&t->groups[group].units, &begin.units);
        note_end(&t->groups[group], now_ns);
        t->ended_group = group;
        return TM_OK;
    }
    list_clear(open, t, &begin.units);
    return TM_END;
}

/* A track whose stack changes. */
struct change {
    struct tm_open_units *open;
    struct tm_unit_track *track;
};

/* Ends the open ones of SLICES with the slice around them. */
static enum tm_status cut_short(void *self, const struct tm_open_slice *slices, uint32_t count, int64_t end_ns,
                                struct tm_error *err)
{
    struct change *c = self;
    for (uint32_t i = 0; i < count; i++) {
        struct tm_open_begin *begin = slices[i].dur < 0 ? begin_of(c->track, slices[i].id) : NULL;
        if (begin && end_begin(c->open, c->track, begin, end_ns) < 0)
            return tm_error_nomem(err);
    }
    return TM_OK;
}

static bool is_on_stack(const struct tm_unit_track *t, int64_t id)
{
    for (uint32_t i = t->stack.depth; i-- > 0 && t->stack.slices[i].id >= id;)
        if (t->stack.slices[i].id == id)
            return true;
    return false;
}

/* Forgets what is no longer on the stack of T. */
static void stack_changed(struct tm_open_units *open, struct tm_unit_track *t)
{
    if (t->last && !is_on_stack(t, t->last_id)) {
        tm_pending_units_drop(open->units, t->last);
        t->last = NULL;
    }
    t->is_tangled = t->is_tangled && t->tangled_group < t->group_count && is_on_stack(t, t->tangled_id);
}

/* Removes from the stack of T what ends before SPAN. TM_END: SPAN crosses a slice on the stack. */
static enum tm_status settle(struct tm_open_units *open, struct tm_unit_track *t, const struct tm_open_span *span)
{
    struct tm_error err = {0};
    struct change change = {open, t};
    const struct tm_slice_cut cut = {&change, cut_short};
    const int64_t dur = span->end_ns == INT64_MAX ? -1 : span->end_ns - span->begin_ns;
    enum tm_status st = tm_slice_stack_settle(&t->stack, span->begin_ns, dur, &cut, &err);
    stack_changed(open, t);
    return st;
}

enum tm_status tm_open_units_pass(struct tm_open_units *open, struct tm_unit_track *t, int64_t now_ns)
{
    enum tm_status st = settle(open, t, &(struct tm_open_span){.begin_ns = now_ns, .end_ns = INT64_MAX});
    return st < 0 ? st : TM_OK;
}

/* Pushes SPAN, the slice of UNIT, on the stack of T. TM_END: it is nested too deep to be a slice. */
static enum tm_status push(struct tm_open_units *open, struct tm_unit_track *t, struct tm_pending_unit *unit,
                           const struct tm_open_span *span)
{
    struct tm_error err = {0};
    const struct tm_open_slice slice = {.ts = span->begin_ns,
                                        .dur = span->end_ns == INT64_MAX ? -1 : span->end_ns - span->begin_ns,
                                        .label = {span->label[0], span->label[1]},
                                        .id = t->next_id};
    enum tm_status st = tm_slice_stack_push(&t->stack, &slice, &err);
    if (st != TM_OK || !span->is_target)
        return st;
    unit->refs++;
    tm_pending_units_drop(open->units, t->last);
    t->last = unit;
    t->last_id = slice.id;
    return TM_OK;
}

enum tm_status tm_open_units_begin(struct tm_open_units *open, struct tm_unit_track *t, struct tm_pending_unit *unit,
                                   const struct tm_open_span *span)
{
    const int64_t now_ns = span->begin_ns, end_ns = span->end_ns;
    const bool is_open = end_ns == INT64_MAX, was_tangled = t->is_tangled;
    enum tm_status st = span->is_no_slice ? TM_OK : settle(open, t, span);
    if (st == TM_OK && !span->is_no_slice && (st = push(open, t, unit, span)) == TM_END && is_open)
        return TM_OK;
    if (st < 0)
        return st;
    remove_ended(open, t, now_ns < INT64_MAX ? now_ns + 1 : now_ns);
    if (t->count >= TM_OPEN_UNITS_MAX) {
        remove_oldest(open, t);
        open->left_out++;
    }
    uint32_t group = t->group_count;
    while (group > 0 && next_end(&t->groups[group - 1], now_ns) < end_ns)
        group--;
    const bool joins = was_tangled && t->tangled_group < t->group_count;
    if (joins && t->tangled_group < group)
        group = t->tangled_group;
    const bool is_alone = is_open && group == t->group_count;
    if (!is_alone && (st = join_from(t, group)) < 0)
        return st;
    const int64_t first_end_ns = is_alone ? INT64_MAX : joins ? INT64_MIN : t->groups[group].first_end_ns;
    const struct tm_open_begin begin = {.id = t->next_id++,
                                        .group = is_alone ? NO_GROUP : group,
                                        .first_end_ns = first_end_ns,
                                        .latest_ns = INT64_MIN};
    return is_open ? begin_open(open, t, unit, &begin) : begin_complete(open, t, unit, end_ns);
}

/* The slice with ID ended and is still on the stack, below one that lasts longer. */
static void tangle(struct tm_unit_track *t, int64_t id)
{
    if (t->is_tangled)
        return;
    t->is_tangled = true;
    t->tangled_id = id;
    t->tangled_group = t->ended_group;
}

enum tm_status tm_open_units_end(struct tm_open_units *open, struct tm_unit_track *t, int64_t now_ns,
                                 const tm_slice_label label[2])
{
    struct tm_error err = {0};
    struct change change = {open, t};
    const struct tm_slice_cut cut = {&change, cut_short};
    const struct tm_stated_end stated = {now_ns, {label[0], label[1]}};
    const bool was_tangled = t->is_tangled;
    struct tm_open_slice ended;
    enum tm_status st = tm_slice_stack_close(&t->stack, &stated, &cut, &ended, &err);
    struct tm_open_begin *begin = st == TM_OK ? begin_of(t, ended.id) : NULL;
    if (st < 0)
        return st;
    st = begin ? end_begin(open, t, begin, now_ns) : TM_END;
    if (st == TM_OK && is_on_stack(t, ended.id))
        tangle(t, ended.id);
    stack_changed(open, t);
    if (st != TM_END || !was_tangled || t->tangled_group >= t->group_count)
        return st;
    t->ended_group = t->tangled_group;
    return TM_OK;
}

enum tm_status tm_open_units_keep_end(struct tm_open_units *open, struct tm_unit_track *t,
                                      struct tm_pending_unit *unit)
{
    return list_add(open, t, &t->groups[t->ended_group].units, unit);
}

void tm_open_units_drop_ended(struct tm_open_units *open, int64_t now_ns)
{
    for (uint32_t i = 0; i < open->count; i++)
        remove_ended(open, &open->tracks[i], now_ns);
}

/* Frees the nodes of LIST, but not the units. */
static void list_free(const struct tm_unit_list *list)
{
    struct tm_unit_node *next;
    for (struct tm_unit_node *node = list->first; node; node = next) {
        next = node->next;
        free(node);
    }
}

void tm_open_units_release(struct tm_open_units *open)
{
    for (uint32_t i = 0; i < open->count; i++) {
        struct tm_unit_track *t = &open->tracks[i];
        for (uint32_t k = 0; k < t->begin_count; k++)
            list_free(&t->begins[k].units);
        for (uint32_t k = 0; k < t->group_made; k++) {
            list_free(&t->groups[k].units);
            tm_heap_release(&t->groups[k].ends);
        }
        free(t->begins);
        free(t->groups);
        tm_slice_stack_release(&t->stack);
    }
    free(open->tracks);
    list_free(&(struct tm_unit_list){.first = open->free_nodes});
    tm_table_release(&open->by_key);
    *open = (struct tm_open_units){0};
}
