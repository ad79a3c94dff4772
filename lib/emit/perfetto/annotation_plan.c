#include "emit/perfetto/annotation_plan.h"

#include "base/bytes.h"
#include "base/table.h"

#include <stdlib.h>

struct tm_annotation_step *tm_annotation_plan_step(const struct tm_annotation_plan *plan, uint32_t i,
                                                   struct tm_text key)
{
    if (i >= plan->count || plan->steps[i].key_bytes != key.len)
        return NULL;
    struct tm_annotation_step *step = &plan->steps[i];
    return tm_count_equal(plan->bytes.data + step->key_at, key.data, key.len) == key.len ? step : NULL;
}

void tm_annotation_plan_forget_keys(struct tm_annotation_plan *plan)
{
    plan->keys = 0;
    for (uint32_t i = 0; i < plan->count; i++)
        plan->steps[i].keyless = 0;
}

bool tm_annotation_plan_set(struct tm_annotation_plan *plan, uint32_t i, struct tm_annotation_step step,
                            struct tm_text key, struct tm_text field)
{
    if (i < plan->count) {
        plan->bytes.len = plan->steps[i].key_at;
        plan->count = i;
    }
    if (i >= TM_ANNOTATION_STEPS_MAX || key.len + field.len > TM_ANNOTATION_STEP_BYTES_MAX ||
        tm_array_grow(&plan->steps, &plan->cap, i, sizeof *plan->steps, NULL) < 0)
        return false;
    step.key_at = (uint32_t)plan->bytes.len;
    step.key_bytes = (uint32_t)key.len;
    step.field_at = step.key_at + step.key_bytes;
    step.field_bytes = (uint32_t)field.len;
    if (tm_buf_add(&plan->bytes, key.data, key.len) != TM_OK ||
        tm_buf_add(&plan->bytes, field.data, field.len) != TM_OK)
        return false;
    plan->steps[plan->count++] = step;
    return true;
}

void tm_annotation_plan_release(struct tm_annotation_plan *plan)
{
    free(plan->steps);
    tm_buf_release(&plan->bytes);
    *plan = (struct tm_annotation_plan){.count = 0};
}
