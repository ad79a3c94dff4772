#include "cut/kept_units.h"

#include <stdlib.h>

struct tm_kept_unit *tm_kept_units_add(struct tm_kept_units *units, const struct tm_event *rows, uint32_t count)
{
    size_t bytes = count * sizeof *rows;
    for (uint32_t i = 0; i < count; i++)
        bytes += (size_t)rows[i].raw_bytes + rows[i].detail_bytes;
    struct tm_kept_unit *unit = malloc(sizeof *unit + bytes);
    if (unit == NULL)
        return NULL;
    *unit = (struct tm_kept_unit){.previous = units->last, .count = count, .rows = (struct tm_event *)(unit + 1)};
    uint8_t *payload = (uint8_t *)(unit->rows + count);
    for (uint32_t i = 0; i < count; i++) {
        unit->rows[i] = rows[i];
        tm_event_move_payload(&unit->rows[i], payload);
        payload += (size_t)rows[i].raw_bytes + rows[i].detail_bytes;
    }
    *(units->last ? &units->last->next : &units->first) = unit;
    units->last = unit;
    return unit;
}

void tm_kept_units_drop(struct tm_kept_units *units, struct tm_kept_unit *unit)
{
    if (unit == NULL || (unit->refs && --unit->refs))
        return;
    *(unit->previous ? &unit->previous->next : &units->first) = unit->next;
    *(unit->next ? &unit->next->previous : &units->last) = unit->previous;
    free(unit);
}

void tm_kept_units_release(struct tm_kept_units *units)
{
    while (units->first) {
        struct tm_kept_unit *unit = units->first;
        units->first = unit->next;
        free(unit);
    }
    *units = (struct tm_kept_units){0};
}
