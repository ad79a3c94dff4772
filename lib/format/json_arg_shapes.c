#include "format/json_arg_shapes.h"

#include <stddef.h>

_Static_assert(TM_JSON_ARG_SHAPE_MAX * (TM_JSON_ARG_PLACE_KEY_MAX + 1) <= TM_SINK_STRING_MAX, "keys fit a string");

void tm_json_arg_shapes_init(struct tm_json_arg_shapes *shapes, const struct tm_json_arg_places *places,
                             struct tm_event_sink *sink)
{
    memset(shapes, 0, offsetof(struct tm_json_arg_shapes, known)); /* find sets these before their strings */
    shapes->places = places;
    shapes->sink = sink;
}

static bool is_same(const struct tm_json_arg_shape *a, const struct tm_json_arg_shape *b)
{
    return a->hash == b->hash && a->count == b->count &&
           memcmp(a->places, b->places, a->count * sizeof *a->places) == 0;
}

/* Writes the keys of SHAPE, each with a NUL after it. */
static enum tm_status put_keys(struct tm_buf *keys, const struct tm_json_arg_places *places,
                               const struct tm_json_arg_shape *shape)
{
    tm_buf_clear(keys);
    for (uint32_t i = 0; i < shape->count; i++) {
        const struct tm_json_arg_place *place = &places->places[shape->places[i]];
        if (tm_buf_add(keys, place->key, place->key_len) != TM_OK || tm_buf_add(keys, "", 1) != TM_OK)
            return TM_E_SYSTEM;
    }
    return TM_OK;
}

/* Counts STRING, a number of BYTES, unless it was counted before. */
static void count_string(struct tm_json_arg_shapes *shapes, uint32_t string, size_t bytes)
{
    uint8_t *bits = &shapes->used[(string - 1) / 8];
    const uint8_t bit = (uint8_t)(1u << (string - 1) % 8);
    if (*bits & bit)
        return;
    *bits |= bit;
    shapes->string_count++;
    shapes->string_bytes += bytes;
}

bool tm_json_arg_shapes_has_room(const struct tm_json_arg_shapes *shapes)
{
    return shapes->string_count < TM_JSON_ARG_STRINGS_MAX && shapes->string_bytes < TM_JSON_ARG_STRING_BYTES_MAX;
}

enum tm_status tm_json_arg_shapes_find(struct tm_json_arg_shapes *shapes, const struct tm_json_arg_shape *shape,
                                       struct tm_buf *detail, uint32_t *string, struct tm_error *err)
{
    *string = 0;
    if (shape->count == 0)
        return TM_OK;
    size_t at = shape->hash / (UINT32_MAX / TM_JSON_ARG_SHAPES + 1);
    if (shapes->strings[at] && is_same(&shapes->known[at], shape)) {
        *string = shapes->strings[at];
        return TM_OK;
    }
    if (put_keys(&shapes->keys, shapes->places, shape) != TM_OK)
        return tm_error_nomem(err);
    enum tm_status st =
        tm_event_sink_string(shapes->sink, tm_text_at(shapes->keys.data, shapes->keys.len), detail, string, err);
    if (st < 0)
        return st;
    if (*string & TM_STRING_INLINE) { /* the table is full */
        shapes->string_count = TM_JSON_ARG_STRINGS_MAX;
        return TM_OK;
    }
    count_string(shapes, *string, shapes->keys.len);
    shapes->known[at] = *shape;
    shapes->strings[at] = *string;
    return TM_OK;
}

void tm_json_arg_shapes_forget(struct tm_json_arg_shapes *shapes)
{
    memset(shapes->strings, 0, sizeof shapes->strings);
}

void tm_json_arg_shapes_release(struct tm_json_arg_shapes *shapes)
{
    tm_buf_release(&shapes->keys);
}
