/* Shapes: the places of the arguments of an event, in order. Events of one kind have arguments of one shape. The keys
 * of a shape are one string of the stream (stream/arg_keys.h). */
#ifndef TM_FORMAT_JSON_ARG_SHAPES_H
#define TM_FORMAT_JSON_ARG_SHAPES_H

#include "format/json_arg_places.h"
#include "stream/event_sink.h"

enum {
    TM_JSON_ARG_SHAPE_MAX = 42,    /* arguments of a shape, whose keys fit a string; further ones state their keys */
    TM_JSON_ARG_SHAPES = 512,      /* shapes that are remembered; a power of 2 */
    TM_JSON_ARG_STRINGS_MAX = 4096, /* strings of keys that a file uses; then all arguments state their keys */
    TM_JSON_ARG_STRING_BYTES_MAX = 1 << 20 /* bytes of these strings, as names need room in the table too */
};

/* The shape of an event while its arguments are added. */
struct tm_json_arg_shape {
    uint32_t count;
    uint32_t hash;
    uint16_t places[TM_JSON_ARG_SHAPE_MAX]; /* their numbers */
};

/* One for each file. Zero-initialise, then set PLACES and SINK, which are borrowed; or call tm_json_arg_shapes_init. */
struct tm_json_arg_shapes {
    const struct tm_json_arg_places *places; /* of the shapes */
    struct tm_event_sink *sink;              /* has the strings */
    uint32_t string_count; /* number of strings of keys that were used; those that the sink had before count too, so a
                            * file is read in the same way after other files */
    size_t string_bytes;   /* of these */
    /* private */
    uint8_t used[TM_SINK_STRINGS_MAX / 8]; /* the bits of these strings, by number */
    struct tm_buf keys;
    uint32_t strings[TM_JSON_ARG_SHAPES]; /* the keys of the known shapes, by their hashes; 0: no shape */
    struct tm_json_arg_shape known[TM_JSON_ARG_SHAPES];
};

/* Initialises SHAPES, whatever their memory contains. */
void tm_json_arg_shapes_init(struct tm_json_arg_shapes *shapes, const struct tm_json_arg_places *places,
                             struct tm_event_sink *sink);

/* Adds PLACE, a number, to SHAPE. There must be room. */
static inline void tm_json_arg_shape_add(struct tm_json_arg_shape *shape, uint32_t place)
{
    shape->places[shape->count++] = (uint16_t)place;
    shape->hash = (shape->hash ^ place) * UINT32_C(0x9e3779b1);
}

/* True if the file may use a further string of keys. */
bool tm_json_arg_shapes_has_room(const struct tm_json_arg_shapes *shapes);

/* Sets *STRING to the string of the keys of SHAPE; 0 for a shape without arguments. If the sink has no room for it, it
 * is appended to DETAIL, as tm_event_sink_string does. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_arg_shapes_find(struct tm_json_arg_shapes *shapes, const struct tm_json_arg_shape *shape,
                                       struct tm_buf *detail, uint32_t *string, struct tm_error *err);

/* Forgets all shapes, because their places are forgotten. */
void tm_json_arg_shapes_forget(struct tm_json_arg_shapes *shapes);

void tm_json_arg_shapes_release(struct tm_json_arg_shapes *shapes);

#endif
