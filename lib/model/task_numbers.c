#include "model/task_numbers.h"

#include "base/table.h"
#include "model/rows.h"

#include <stdlib.h>

static uint64_t hash_of(const struct tm_task_numbers *numbers, uint32_t machine, int64_t number)
{
    uint64_t hash = tm_index_hash_u64(&numbers->index, (uint64_t)number);
    return tm_index_hash_more(&numbers->index, hash, machine);
}

/* Returns where a number is among the recent ones. */
static uint32_t *recent_place(const struct tm_task_numbers *numbers, uint32_t machine, int64_t number)
{
    enum { NUMBERS = 83 }; /* makes the numbers of several machines differ */
    return &numbers->recent[((uint64_t)number + (uint64_t)machine * NUMBERS) & (TM_TASK_NUMBERS_RECENT - 1)];
}

/* Does the work of tm_task_numbers_find for a number that is not among the recent ones. */
static struct tm_task_number *search(const struct tm_task_numbers *numbers, uint32_t machine, int64_t number)
{
    struct tm_probe probe = tm_probe(&numbers->index, hash_of(numbers, machine, number));
    for (uint32_t i; (i = tm_probe_next(&numbers->index, &probe)) != TM_INDEX_NONE;) {
        struct tm_task_number *row = &numbers->rows[i];
        if (row->number == number && row->machine == machine)
            return row;
    }
    return NULL;
}

struct tm_task_number *tm_task_numbers_find(const struct tm_task_numbers *numbers, uint32_t machine, int64_t number)
{
    if (numbers->recent == NULL)
        return NULL;
    uint32_t *recent = recent_place(numbers, machine, number);
    struct tm_task_number *row = *recent ? &numbers->rows[*recent - 1] : NULL;
    if (row && row->number == number && row->machine == machine)
        return row;
    if ((row = search(numbers, machine, number)) != NULL)
        *recent = (uint32_t)(row - numbers->rows) + 1;
    return row;
}

enum tm_status tm_task_numbers_get(struct tm_task_numbers *numbers, uint32_t machine, int64_t number,
                                   struct tm_task_number **row, struct tm_error *err)
{
    if ((*row = tm_task_numbers_find(numbers, machine, number)) != NULL)
        return TM_OK;
    tm_index_seed(&numbers->index);
    if (numbers->recent == NULL &&
        (numbers->recent = calloc(TM_TASK_NUMBERS_RECENT, sizeof *numbers->recent)) == NULL)
        return tm_error_nomem(err);
    enum tm_status st = tm_array_grow(&numbers->rows, &numbers->cap, numbers->count, sizeof *numbers->rows, err);
    if (st < 0)
        return st;
    if (tm_index_add(&numbers->index, hash_of(numbers, machine, number), numbers->count) < 0)
        return tm_error_nomem(err);
    *row = &numbers->rows[numbers->count++];
    **row = (struct tm_task_number){number, machine, TM_NO_ID, TM_NO_ID, TM_NO_ID, 0};
    return TM_OK;
}

void tm_task_numbers_release(struct tm_task_numbers *numbers)
{
    free(numbers->rows);
    free(numbers->recent);
    tm_index_release(&numbers->index);
    *numbers = (struct tm_task_numbers){0};
}
