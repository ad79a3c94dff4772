#include "emit/perfetto/annotations.h"

#include "base/text.h"
#include "emit/perfetto/annotation_names.h"
#include "perfetto/packet_fields.h"
#include "stream/arg_keys.h"
#include "stream/detail_fields.h"

/* Fields of NestedValue. */
enum { NESTED_TYPE = 1, NESTED_DICTIONARY = 1 };

enum { FILLERS_MAX = 1 << 14 }; /* limit for the arguments of one event */

/* An argument of an event. */
struct annotation {
    const uint8_t *key, *bytes; /* of the key, and of a value that has bytes */
    uint64_t value;
    uint32_t len, bytes_len;
    uint32_t type; /* enum tm_arg; 0: it has no value */
    struct tm_text ids; /* of the names in the key, four bytes for each; empty: none has one */
};

/* Returns the key of ARG, in which names and indices are found. */
static struct tm_text key_of(const struct annotation *arg)
{
    return tm_text_at(arg->key, arg->len);
}

/* Sets the key of ARG. The prefix of keys of Chrome JSON is left out. */
static void set_key(struct annotation *arg, struct tm_text key)
{
    key = tm_annotation_key_bare(key);
    arg->key = key.data;
    arg->len = (uint32_t)key.len;
}

/* Sets *ARG to the Arg of LEN bytes at DATA. False: it does not state its key. */
static bool read_argument(const uint8_t *data, size_t len, struct annotation *arg)
{
    bool has_key = false;
    struct tm_pb pb = tm_pb_of(data, len);
    struct tm_pb_field f;
    *arg = (struct annotation){.key = data};
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id != TM_ARG_KEY || f.type != TM_PB_LEN) {
            arg->type = f.id;
            arg->value = f.value;
            arg->bytes = f.data;
            arg->bytes_len = (uint32_t)f.len;
            continue;
        }
        has_key = true;
        set_key(arg, tm_text_at(f.data, f.len));
    }
    return has_key;
}

/* Writes the value of ARG at P, which has room, and returns the byte after it. */
static uint8_t *put_value(uint8_t *p, const struct annotation *arg)
{
    switch (arg->type) {
    case TM_ARG_INT: return tm_pb_varint_at(p, TM_ANNOTATION_INT, (uint64_t)tm_unzigzag(arg->value));
    case TM_ARG_UINT: return tm_pb_varint_at(p, TM_ANNOTATION_UINT, arg->value);
    case TM_ARG_STRING: return tm_pb_bytes_at(p, TM_ANNOTATION_STRING, arg->bytes, arg->bytes_len);
    case TM_ARG_BOOL: return tm_pb_varint_at(p, TM_ANNOTATION_BOOL, arg->value);
    case TM_ARG_POINTER: return tm_pb_varint_at(p, TM_ANNOTATION_POINTER, arg->value);
    case TM_ARG_JSON: return tm_pb_bytes_at(p, TM_ANNOTATION_JSON, arg->bytes, arg->bytes_len);
    case TM_ARG_DOUBLE:
        p = tm_pb_tag_put(p, TM_ANNOTATION_DOUBLE, TM_PB_I64);
        tm_put_le64(p, arg->value);
        return p + 8;
    default: return p;
    }
}

/* The name of an argument or a group: a text, or its id. */
struct name {
    struct tm_text text; /* data NULL: it has no name */
    uint32_t id;         /* 0: none */
};

/* Begins field ID of an argument, with NAME. Sets *MARK for tm_pb_end. */
static enum tm_status begin_argument(struct tm_annotations *a, uint32_t id, const struct name *name, size_t *mark)
{
    enum tm_status st = tm_pb_begin(&a->out, id, mark);
    if (st == TM_OK && name->id)
        return tm_pb_put_varint(&a->out, TM_ANNOTATION_NAME_IID, name->id);
    if (st == TM_OK && name->text.data)
        return tm_pb_put_bytes(&a->out, TM_ANNOTATION_NAME, name->text.data, name->text.len);
    return st;
}

/* Returns the id of name I of ARG's key; 0: it has none. */
static uint32_t id_of(const struct annotation *arg, uint32_t i)
{
    const size_t at = (size_t)i * TM_ANNOTATION_ID_BYTES;
    return at < arg->ids.len ? tm_get_le32(arg->ids.data + at) : 0;
}

/* Ends the argument at MARK with the value of ARG. */
static enum tm_status end_argument(struct tm_annotations *a, const struct annotation *arg, size_t mark)
{
    struct tm_buf *out = &a->out;
    if (tm_buf_reserve(out, 2 * TM_PB_FIELD_MAX + arg->bytes_len) != TM_OK)
        return TM_E_SYSTEM;
    out->len = (size_t)(put_value(out->data + out->len, arg) - out->data);
    return tm_pb_end(out, mark);
}

/* Ends the groups of the last argument that ARG is not in. */
static enum tm_status end_groups(struct tm_annotations *a, const struct annotation *arg)
{
    enum tm_status st = TM_OK;
    size_t equal = 0;
    if (a->depth)
        equal = tm_count_equal(a->key, arg->key, a->key_len < arg->len ? a->key_len : arg->len);
    for (; a->depth > 0 && st == TM_OK; a->depth--) {
        const struct tm_annotation_group *g = &a->groups[a->depth - 1];
        if (g->end < equal && (arg->key[g->end] != '[' || tm_annotation_index_end(key_of(arg), g->end)))
            break;
        st = tm_pb_end(&a->out, g->mark);
    }
    return st;
}

/* Returns the index that starts at FROM in ARG's key and ends before END; UINT64_MAX if it is too large. */
static uint64_t index_of(const struct annotation *arg, uint32_t from, uint32_t end)
{
    uint64_t index = 0;
    for (uint32_t i = from + 1; i + 1 < end; i++) {
        if (index > UINT32_MAX)
            return UINT64_MAX;
        index = index * 10 + (uint64_t)(arg->key[i] - '0');
    }
    return index;
}

/* Puts COUNT elements that have no argument. */
static enum tm_status put_fillers(struct tm_annotations *a, uint64_t count)
{
    size_t element, nested;
    if (count > FILLERS_MAX - a->fillers)
        return TM_OK;
    a->fillers += (uint32_t)count;
    for (; count > 0; count--)
        if (tm_pb_begin(&a->out, TM_ANNOTATION_ARRAY, &element) != TM_OK ||
            tm_pb_begin(&a->out, TM_ANNOTATION_NESTED, &nested) != TM_OK ||
            tm_pb_put_varint(&a->out, NESTED_TYPE, NESTED_DICTIONARY) != TM_OK ||
            tm_pb_end(&a->out, nested) != TM_OK || tm_pb_end(&a->out, element) != TM_OK)
            return TM_E_SYSTEM;
    return TM_OK;
}

/* Begins GROUP, of which end and names are set, in field ID with NAME. It is what ARG's key has before the end. */
static enum tm_status begin_group(struct tm_annotations *a, uint32_t id, const struct name *name,
                                  const struct annotation *arg, struct tm_annotation_group group)
{
    struct tm_annotation_group *g = &a->groups[a->depth];
    group.is_array = tm_annotation_is_array(key_of(arg), group.end, a->depth, &group.from);
    *g = group;
    a->depth++;
    return begin_argument(a, id, name, &g->mark);
}

/* Begins the element of array GROUP that ARG is in or is: notes its number, and puts those before it that are missing.
 * *END: the end of the number in the key. */
static enum tm_status begin_element(struct tm_annotations *a, struct tm_annotation_group *group,
                                    const struct annotation *arg, uint32_t *end)
{
    *end = tm_annotation_index_end(key_of(arg), group->from);
    uint64_t index = index_of(arg, group->from, *end), before = group->next;
    group->next = index + 1;
    return index > before ? put_fillers(a, index - before) : TM_OK;
}

/* Sets *NAME to the name of ARG's key that begins at FROM, number I of its names. Returns the end of the name. */
static uint32_t find_name(const struct tm_annotations *a, const struct annotation *arg, uint32_t from, uint32_t i,
                          struct name *name)
{
    uint32_t end = tm_annotation_name_end(key_of(arg), from, a->depth);
    *name = (struct name){tm_text_at(arg->key + from, end - from), id_of(arg, i)};
    return end;
}

/* Begins the groups that ARG is in, and its own field. Sets *MARK for end_argument. */
static enum tm_status begin_groups(struct tm_annotations *a, const struct annotation *arg, size_t *mark)
{
    enum tm_status st = TM_OK;
    while (st == TM_OK) {
        struct tm_annotation_group *group = a->depth ? &a->groups[a->depth - 1] : NULL, next = {.mark = 0};
        uint32_t field = group ? TM_ANNOTATION_DICT : a->id;
        struct name name = {.id = 0};
        next.names = group ? group->names : 0;
        if (group && group->is_array) {
            st = begin_element(a, group, arg, &next.end);
            field = TM_ANNOTATION_ARRAY;
        } else {
            next.end = find_name(a, arg, group ? group->from : 0, next.names++, &name);
        }
        if (next.end == arg->len)
            return st < 0 ? st : begin_argument(a, field, &name, mark);
        if (st == TM_OK)
            st = begin_group(a, field, &name, arg, next);
    }
    return st;
}

/* Notes in the plan how ARG was begun. STEP has the number of groups that ended and began; what was written starts at
 * FROM, and the argument's field is at MARK. */
static void note_step(struct tm_annotations *a, const struct annotation *arg, struct tm_annotation_step step,
                      size_t from, size_t mark)
{
    const uint32_t depth = a->depth - step.begins; /* before those that began */
    step.mark = (uint32_t)(mark - from);
    step.keyless = a->is_keyless ? a->keyless : 0;
    step.has_ids = arg->ids.len > 0;
    step.next = depth ? a->groups[depth - 1].next : 0;
    for (uint32_t i = 0; i < step.begins; i++) {
        step.groups[i] = a->groups[depth + i];
        step.groups[i].mark -= from;
    }
    if (!tm_annotation_plan_set(a->plan, a->step, step, tm_text_at(arg->key, arg->len),
                                tm_text_at(a->out.data + from, a->out.len - from)))
        a->plan = NULL;
}

/* Begins ARG as its key says. Sets *MARK for end_argument. */
static enum tm_status begin_new(struct tm_annotations *a, const struct annotation *arg, size_t *mark)
{
    const uint32_t depth = a->depth, fillers = a->fillers;
    enum tm_status st = end_groups(a, arg);
    const size_t from = a->out.len;
    struct tm_annotation_step step = {.ends = depth - a->depth};
    const uint32_t common = a->depth;
    if (st == TM_OK)
        st = begin_groups(a, arg, mark);
    if (st < 0 || a->plan == NULL)
        return st;
    step.begins = a->depth - common;
    if (step.begins > TM_ANNOTATION_BEGINS_MAX || a->fillers != fillers)
        a->plan = NULL; /* not noted, so neither are those after it */
    else
        note_step(a, arg, step, from, *mark);
    return TM_OK;
}

/* Begins an argument like the one of STEP. Sets *MARK for end_argument. */
static enum tm_status repeat(struct tm_annotations *a, const struct tm_annotation_step *step, size_t *mark)
{
    struct tm_buf *out = &a->out;
    for (uint32_t i = 0; i < step->ends; i++)
        if (tm_pb_end(out, a->groups[--a->depth].mark) != TM_OK)
            return TM_E_SYSTEM;
    if (a->depth)
        a->groups[a->depth - 1].next = step->next;
    for (uint32_t i = 0; i < step->begins; i++) {
        a->groups[a->depth] = step->groups[i];
        a->groups[a->depth++].mark += out->len;
    }
    *mark = out->len + step->mark;
    return tm_buf_add(out, tm_annotation_plan_field(a->plan, step), step->field_bytes);
}

void tm_annotations_begin(struct tm_annotations *a, uint32_t id, uint32_t like, struct tm_annotation_keys keys)
{
    a->id = id;
    a->step = a->keyless = a->keys_taken = 0;
    a->keys = keys;
    if (keys.number & TM_STRING_INLINE)
        a->keys.number = 0; /* the number says nothing of the text */
    a->plan = &a->plans[(a->keys.number ? a->keys.number : like) % TM_ANNOTATION_PLANS];
    a->has_plan_for_keys = a->keys.number && a->plan->keys == a->keys.number;
    if (!a->has_plan_for_keys) /* until all arguments follow the plan or are noted in it */
        tm_annotation_plan_forget_keys(a->plan);
}

/* Takes the ids of the names of the next key. */
static struct tm_text take_ids(struct tm_text *ids)
{
    if (ids->len == 0)
        return *ids;
    const struct tm_text taken = tm_text_at(ids->data + 1, (size_t)ids->data[0] * TM_ANNOTATION_ID_BYTES);
    *ids = tm_text_at(taken.data + taken.len, ids->len - 1 - taken.len);
    return taken;
}

/* Sets the key of ARG, which does not state it. Keys of arguments that followed a plan were not taken. */
static void take_key(struct tm_annotations *a, struct annotation *arg)
{
    struct tm_text key;
    do {
        key = tm_arg_keys_next(&a->keys.text);
        arg->ids = take_ids(&a->keys.ids);
    } while (++a->keys_taken < a->keyless);
    set_key(arg, key);
}

/* Returns the step of the plan for ARG, or NULL. HAS_KEY: the argument states its key; otherwise it gets it here. */
static const struct tm_annotation_step *find_step(struct tm_annotations *a, struct annotation *arg, bool has_key)
{
    if (!has_key && a->plan && a->has_plan_for_keys) {
        const struct tm_annotation_step *known = tm_annotation_plan_keyless(a->plan, a->step, a->keyless);
        if (known) {
            arg->key = tm_annotation_plan_key(a->plan, known);
            arg->len = known->key_bytes;
            return known;
        }
    }
    if (!has_key)
        take_key(a, arg);
    struct tm_annotation_step *step =
        a->plan ? tm_annotation_plan_step(a->plan, a->step, tm_text_at(arg->key, arg->len)) : NULL;
    if (step == NULL || step->has_ids != (arg->ids.len > 0))
        return NULL;
    step->keyless = has_key ? 0 : a->keyless;
    return step;
}

enum tm_status tm_annotations_add(struct tm_annotations *a, const uint8_t *data, size_t len)
{
    struct annotation arg;
    size_t mark;
    a->is_keyless = !read_argument(data, len, &arg);
    a->keyless += a->is_keyless;
    if (arg.type == 0)
        return TM_OK;
    const struct tm_annotation_step *step = find_step(a, &arg, !a->is_keyless);
    enum tm_status st = step ? repeat(a, step, &mark) : begin_new(a, &arg, &mark);
    a->step++;
    a->key = arg.key;
    a->key_len = arg.len;
    return st < 0 ? st : end_argument(a, &arg, mark);
}

enum tm_status tm_annotations_end(struct tm_annotations *a, struct tm_text *text)
{
    enum tm_status st = TM_OK;
    for (; a->depth > 0 && st == TM_OK; a->depth--)
        st = tm_pb_end(&a->out, a->groups[a->depth - 1].mark);
    if (a->plan)
        a->plan->keys = a->keys.number;
    *text = tm_text_at(a->out.data, a->out.len);
    tm_buf_clear(&a->out);
    a->fillers = 0;
    return st;
}

void tm_annotations_release(struct tm_annotations *a)
{
    for (uint32_t i = 0; i < TM_ANNOTATION_PLANS; i++)
        tm_annotation_plan_release(&a->plans[i]);
    tm_buf_release(&a->out);
    *a = (struct tm_annotations){.depth = 0};
}
