#include "clocks/machine_table.h"

#include "base/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool tm_machine_table_find(const struct tm_machine_table *table, int64_t raw_id, uint32_t *row)
{
    return tm_map_find(&table->row_of, (uint64_t)raw_id, row);
}

enum tm_status tm_machine_table_add(struct tm_machine_table *table, int64_t raw_id, uint32_t *row,
                                    struct tm_error *err)
{
    if (table->count >= TM_MACHINES_MAX)
        return tm_error_set(err, TM_E_INPUT, "more than %d machines", TM_MACHINES_MAX);
    if (tm_array_grow(&table->rows, &table->cap, table->count, sizeof *table->rows, err) < 0)
        return TM_E_SYSTEM;
    if (tm_map_set(&table->row_of, (uint64_t)raw_id, table->count) != TM_OK)
        return tm_error_nomem(err);
    table->rows[table->count] = (struct tm_machine){.raw_id = raw_id};
    *row = table->count++;
    return TM_OK;
}

enum tm_status tm_machine_table_adopt(struct tm_machine_table *table, uint32_t row, int64_t raw_id,
                                      struct tm_error *err)
{
    if (tm_map_set(&table->row_of, (uint64_t)raw_id, row) != TM_OK)
        return tm_error_nomem(err);
    table->rows[row].raw_id = raw_id;
    return TM_OK;
}

enum tm_status tm_machine_table_name(struct tm_machine_table *table, uint32_t row, const void *name, size_t len,
                                     struct tm_error *err)
{
    struct tm_machine *machine = &table->rows[row];
    size_t n = len < TM_MACHINE_NAME_MAX ? len : TM_MACHINE_NAME_MAX;
    char *copy = malloc(n + 1);
    if (copy == NULL)
        return tm_error_nomem(err);
    memcpy(copy, name, n);
    copy[n] = '\0';
    free(machine->name);
    machine->name = copy;
    machine->name_bytes = n;
    return TM_OK;
}

void tm_machine_table_text(const struct tm_machine_table *table, uint32_t row, char *out, size_t size)
{
    if (row >= table->count || (table->rows[row].name == NULL && table->rows[row].raw_id == 0))
        snprintf(out, size, "host");
    else if (table->rows[row].name)
        tm_text_escape(table->rows[row].name, table->rows[row].name_bytes, out, size);
    else
        snprintf(out, size, "machine %" PRId64, table->rows[row].raw_id);
}

void tm_machine_table_release(struct tm_machine_table *table)
{
    for (uint32_t i = 0; i < table->count; i++)
        free(table->rows[i].name);
    free(table->rows);
    tm_map_release(&table->row_of);
    *table = (struct tm_machine_table){0};
}
