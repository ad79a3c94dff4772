#include "sort/union/machine_union.h"

#include "base/table.h"
#include "clocks/machine_table.h"
#include "manifest/config.h"

#include <stdlib.h>

static bool has_name(const struct tm_union_machine *row, const ProtobufCBinaryData *name)
{
    return row->has_name && row->name_bytes == name->len &&
           (name->len == 0 || memcmp(row->name, name->data, name->len) == 0);
}

/* Returns the row that INDEX has for NAME, or count. */
static uint32_t find_in(const struct tm_machine_union *m, const struct tm_index *index, const ProtobufCBinaryData *name)
{
    struct tm_probe probe = tm_probe(index, tm_index_hash_bytes(index, name->data, name->len));
    for (uint32_t row; (row = tm_probe_next(index, &probe)) != TM_INDEX_NONE;)
        if (has_name(&m->rows[row], name))
            return row;
    return m->count;
}

/* Makes ROW, which has got NAME, the row that INDEX has for it, unless that has an earlier one. */
static enum tm_status put_in(struct tm_machine_union *m, struct tm_index *index, uint32_t row,
                             const ProtobufCBinaryData *name)
{
    tm_index_seed(index);
    const uint64_t hash = tm_index_hash_bytes(index, name->data, name->len);
    const uint32_t before = find_in(m, index, name);
    if (before == m->count)
        return tm_index_add(index, hash, row);
    if (row < before)
        tm_index_change(index, hash, before, row);
    return TM_OK;
}

uint32_t tm_machine_union_find_name(const struct tm_machine_union *m, const ProtobufCBinaryData *name)
{
    return find_in(m, &m->by_name, name);
}

/* Returns the row of the machine, or count. */
static uint32_t find(const struct tm_machine_union *m, int64_t raw_id, const ProtobufCBinaryData *name)
{
    const bool is_named = raw_id >= TM_MACHINE_RAW_ID_FIRST;
    uint32_t row;
    if (!is_named && tm_map_find(&m->by_raw_id, (uint64_t)raw_id, &row))
        return row;
    return name == NULL ? m->count : find_in(m, is_named ? &m->by_name : &m->by_name_alone, name);
}

static enum tm_status add_row(struct tm_machine_union *m, int64_t raw_id, struct tm_error *err)
{
    if (m->count >= TM_MACHINES_MAX)
        return tm_error_set(err, TM_E_INPUT, "more than %d machines", TM_MACHINES_MAX);
    if (tm_array_grow(&m->rows, &m->cap, m->count, sizeof *m->rows, err) < 0)
        return TM_E_SYSTEM;
    if (raw_id >= TM_MACHINE_RAW_ID_FIRST)
        raw_id = TM_MACHINE_RAW_ID_FIRST + m->named_count++;
    else if (tm_map_set(&m->by_raw_id, (uint64_t)raw_id, m->count) < 0)
        return tm_error_nomem(err);
    m->rows[m->count++] = (struct tm_union_machine){.raw_id = raw_id};
    return TM_OK;
}

enum tm_status tm_machine_union_add(struct tm_machine_union *m, int64_t raw_id, const ProtobufCBinaryData *name,
                                    uint32_t *row, struct tm_error *err)
{
    *row = find(m, raw_id, name);
    if (*row == m->count) {
        enum tm_status st = add_row(m, raw_id, err);
        if (st < 0)
            return st;
    }
    struct tm_union_machine *machine = &m->rows[*row];
    if (name == NULL || machine->has_name)
        return TM_OK;
    machine->name = malloc(name->len + 1);
    if (machine->name == NULL)
        return tm_error_nomem(err);
    if (name->len)
        memcpy(machine->name, name->data, name->len);
    machine->name_bytes = name->len;
    if (put_in(m, &m->by_name, *row, name) < 0 ||
        (machine->raw_id >= TM_MACHINE_RAW_ID_FIRST && put_in(m, &m->by_name_alone, *row, name) < 0))
        return tm_error_nomem(err);
    machine->has_name = true;
    return TM_OK;
}

void tm_machine_union_release(struct tm_machine_union *m)
{
    for (uint32_t i = 0; i < m->count; i++)
        free(m->rows[i].name);
    free(m->rows);
    tm_map_release(&m->by_raw_id);
    tm_index_release(&m->by_name);
    tm_index_release(&m->by_name_alone);
    *m = (struct tm_machine_union){0};
}
