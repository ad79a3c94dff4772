/* How the arguments of an event were written as annotations. Events of one name mostly have arguments with the same
 * keys; what depends only on the keys is then repeated. */
#ifndef TM_EMIT_PERFETTO_ANNOTATION_PLAN_H
#define TM_EMIT_PERFETTO_ANNOTATION_PLAN_H

#include "base/buf.h"
#include "base/text.h"

#include <stdbool.h>

/* A dictionary or array of annotations that has begun. */
struct tm_annotation_group {
    size_t mark;   /* of its message, for tm_pb_end */
    uint64_t next; /* of an array: the number of the element after the last one */
    uint32_t end;  /* the keys of its members are equal up to this dot or bracket, which they all have */
    uint32_t from; /* where the names or numbers of its members begin */
    uint32_t names; /* number of names in the keys up to there */
    bool is_array;
};

enum { TM_ANNOTATION_STEPS_MAX = 64, TM_ANNOTATION_BEGINS_MAX = 2, TM_ANNOTATION_STEP_BYTES_MAX = 512 };

/* One argument after those of the steps before. */
struct tm_annotation_step {
    uint32_t key_at, key_bytes;     /* its key in the plan's bytes */
    uint32_t field_at, field_bytes; /* what precedes its value: the groups that begin, its own field and name */
    uint32_t mark;                  /* of its own field, from the start of these bytes */
    uint32_t keyless;               /* number of arguments so far that do not state their keys; 0: this one does */
    bool has_ids;                   /* names are ids in what precedes its value */
    uint32_t ends, begins;          /* number of groups that end before it, and that begin with it */
    uint64_t next;                  /* of the array that it is in, without those that begin */
    struct tm_annotation_group groups[TM_ANNOTATION_BEGINS_MAX]; /* marks are from the start of the field's bytes */
};

/* Zero-initialise. */
struct tm_annotation_plan {
    uint32_t count;
    uint32_t keys; /* the string of the keys that the arguments do not state; 0: it is not known */
    /* private */
    struct tm_annotation_step *steps;
    uint32_t cap;
    struct tm_buf bytes;
};

/* Returns step I of PLAN if it is that of an argument with KEY; otherwise NULL. */
struct tm_annotation_step *tm_annotation_plan_step(const struct tm_annotation_plan *plan, uint32_t i,
                                                   struct tm_text key);

/* Returns step I of PLAN if it is that of argument number KEYLESS of those that do not state their keys; otherwise
 * NULL. The plan's keys must be those of the event. */
static inline const struct tm_annotation_step *tm_annotation_plan_keyless(const struct tm_annotation_plan *plan,
                                                                          uint32_t i, uint32_t keyless)
{
    return i < plan->count && plan->steps[i].keyless == keyless ? &plan->steps[i] : NULL;
}

/* Returns the key of STEP's argument, key_bytes bytes, valid until the plan changes. */
static inline const uint8_t *tm_annotation_plan_key(const struct tm_annotation_plan *plan,
                                                    const struct tm_annotation_step *step)
{
    return plan->bytes.data + step->key_at;
}

/* Returns what precedes the value of the argument of STEP. */
static inline const uint8_t *tm_annotation_plan_field(const struct tm_annotation_plan *plan,
                                                      const struct tm_annotation_step *step)
{
    return plan->bytes.data + step->field_at;
}

/* Makes PLAN that of no string of keys. Its steps stay, and are found by the keys of their arguments. */
void tm_annotation_plan_forget_keys(struct tm_annotation_plan *plan);

/* Makes STEP step I, of an argument with KEY that FIELD precedes. The steps from I on are removed. False: there are too
 * many, its bytes are too many, or no memory; then there is no step I. */
bool tm_annotation_plan_set(struct tm_annotation_plan *plan, uint32_t i, struct tm_annotation_step step,
                            struct tm_text key, struct tm_text field);

void tm_annotation_plan_release(struct tm_annotation_plan *plan);

#endif
