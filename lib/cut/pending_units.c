#include "cut/pending_units.h"

#include <stdlib.h>

struct tm_pending_unit *tm_pending_units_add(struct tm_pending_units *units, const struct tm_event *rows,
                                             uint32_t count)
{
    size_t bytes = count * sizeof *rows;
    for (uint32_t i = 0; i < count; i++)
        bytes += (size_t)rows[i].raw_bytes + rows[i].detail_bytes;
    struct tm_pending_unit *unit = malloc(sizeof *unit + bytes);
    if (unit == NULL)
        return NULL;
    *unit = (struct tm_pending_unit){.previous = units->last, .count = count, .rows = (struct tm_event *)(unit + 1)};
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

void tm_pending_units_drop(struct tm_pending_units *units, struct tm_pending_unit *unit)
{
    if (unit == NULL || (unit->refs && --unit->refs))
        return;
    *(unit->previous ? &unit->previous->next : &units->first) = unit->next;
    *(unit->next ? &unit->next->previous : &units->last) = unit->previous;
    free(unit);
}

void tm_pending_units_release(struct tm_pending_units *units)
{
    while (units->first) {
        struct tm_pending_unit *unit = units->first;
        units->first = unit->next;
        free(unit);
    }
    *units = (struct tm_pending_units){0};
}
