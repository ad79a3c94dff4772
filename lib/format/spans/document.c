/* Reads a document of any of the three formats: lists, pending text, damage. */
#include "format/spans/internal.h"

enum tm_status tm_spans_expect(struct tm_spans *x, enum tm_json_type type)
{
    enum tm_json_type found;
    enum tm_status st = tm_json_cursor_type(x->cursor, &found, x->err);
    if (st < 0 || found == type)
        return st;
    st = tm_json_cursor_skip(x->cursor, x->err);
    return st < 0 ? st : TM_END;
}

enum tm_status tm_spans_next_object(struct tm_spans *x, struct tm_json_value *object, uint64_t *byte)
{
    enum tm_status st;
    while ((st = tm_json_cursor_element(x->cursor, x->err)) == TM_OK) {
        *byte = x->cursor->in->offset;
        st = tm_json_cursor_value(x->cursor, object, x->err);
        if (st < 0 || object->type == TM_JSON_OBJECT)
            return st;
        tm_spans_count(&x->damaged, 1, *byte);
    }
    return st;
}

static enum tm_status pass_elements(struct tm_spans *x)
{
    struct tm_json_value element;
    enum tm_status st = tm_json_cursor_enter(x->cursor, x->err);
    while (st == TM_OK && (st = tm_json_cursor_element(x->cursor, x->err)) == TM_OK)
        st = tm_json_cursor_value(x->cursor, &element, x->err);
    return st == TM_END ? TM_OK : st;
}

enum tm_status tm_spans_make_pending(struct tm_spans *x, bool by_element)
{
    struct tm_json_cursor *c = x->cursor;
    enum tm_json_type type;
    enum tm_status st = tm_json_cursor_type(c, &type, x->err); /* moves to the start of the value */
    if (st < 0)
        return st;
    if (type != TM_JSON_ARRAY || c != &x->main) /* this text was pending, and the facts that it needs are missing */
        return tm_json_cursor_skip(c, x->err);
    if (x->pending.end == 0)
        x->pending_byte = c->in->offset;
    c->copy = &x->pending;
    c->copied = x->pending.end;
    st = by_element ? pass_elements(x) : tm_json_cursor_skip(c, x->err);
    c->copy = NULL;
    return st;
}

bool tm_spans_salvages(const struct tm_spans *x)
{
    return x->context.options && x->context.options->on_damage != TM_DAMAGE_HALT;
}

void tm_spans_count_damage(struct tm_spans *x)
{
    tm_spans_count(&x->damaged, 1, x->cursor->in->offset);
    *x->err = (struct tm_error){0};
}

enum tm_status tm_spans_read_pending(struct tm_spans *x, enum tm_status (*read)(struct tm_spans *x))
{
    struct tm_paged_input pending;
    struct tm_json_cursor *outer = x->cursor;
    struct tm_json_cursor cursor = {.in = &pending.in};
    enum tm_status st = TM_OK;
    if (x->pending.end == 0)
        return TM_OK;
    tm_paged_input_init(&pending, &x->pending, 0, x->pending.end, x->pending_byte);
    x->cursor = &cursor;
    while (!x->is_damaged && st == TM_OK && (st = tm_input_fill(&pending.in, 1, x->err)) == TM_OK)
        st = read(x);
    bool is_searched = x->is_damaged;
    if (st == TM_E_INPUT && tm_spans_salvages(x)) {
        tm_spans_count_damage(x);
        is_searched = true;
        st = TM_OK;
    }
    if (st >= 0 && is_searched)
        st = tm_spans_salvage(x);
    tm_paged_input_release(&pending);
    x->cursor = outer;
    tm_paged_file_clear(&x->pending);
    return st < 0 ? st : TM_OK;
}
