/* Unit tests of pending units: each row of a unit keeps its own raw bytes and detail, and a unit ends with its last
 * reference. */
#include "cut/pending_units.h"

#include "tap.h"

#include <stdio.h>

enum { ROWS = 3 };

static bool is_row(const struct tm_event *row, uint32_t i)
{
    char raw[16], detail[16];
    const int raw_bytes = snprintf(raw, sizeof raw, "raw %u", i);
    const int detail_bytes = snprintf(detail, sizeof detail, "d%u", i);
    return row->tid == i && row->raw_bytes == (uint32_t)raw_bytes && row->detail_bytes == (uint32_t)detail_bytes &&
           memcmp(row->raw, raw, row->raw_bytes) == 0 && memcmp(row->detail, detail, row->detail_bytes) == 0;
}

/* Adds a unit of COUNT rows whose payloads are overwritten then. */
static struct tm_pending_unit *add(struct tm_pending_units *units, uint32_t count)
{
    char raw[ROWS][16], detail[ROWS][16];
    struct tm_event rows[ROWS] = {{0}};
    for (uint32_t i = 0; i < count; i++) {
        rows[i].tid = i;
        rows[i].raw_bytes = (uint32_t)snprintf(raw[i], sizeof raw[i], "raw %u", i);
        rows[i].detail_bytes = (uint32_t)snprintf(detail[i], sizeof detail[i], "d%u", i);
        rows[i].raw = (const uint8_t *)raw[i];
        rows[i].detail = (const uint8_t *)detail[i];
    }
    struct tm_pending_unit *unit = tm_pending_units_add(units, rows, count);
    memset(raw, 0, sizeof raw);
    memset(detail, 0, sizeof detail);
    return unit;
}

int main(void)
{
    struct tm_pending_units units = {0};
    struct tm_pending_unit *list[ROWS];
    for (uint32_t count = 1; count <= ROWS; count++) {
        struct tm_pending_unit *unit = list[count - 1] = add(&units, count);
        bool same = unit->count == count;
        for (uint32_t i = 0; i < count; i++)
            same = same && is_row(&unit->rows[i], i);
        ok(same);
    }
    ok(units.first == list[0] && units.last == list[2]);
    list[1]->refs = 2;
    tm_pending_units_drop(&units, list[1]);
    ok(list[0]->next == list[1] && list[2]->previous == list[1]);
    tm_pending_units_drop(&units, list[1]);
    ok(list[0]->next == list[2] && list[2]->previous == list[0]);
    tm_pending_units_drop(&units, list[2]);
    ok(units.last == list[0] && list[0]->next == NULL && is_row(&list[0]->rows[0], 0));
    tm_pending_units_drop(&units, NULL);
    tm_pending_units_release(&units);
    ok(units.first == NULL && units.last == NULL);
    return tap_done();
}
