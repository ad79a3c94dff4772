#include "sort/union/machine_union.h"

#include "base/table.h"

#include <stdlib.h>

enum { MACHINES_MAX = 1 << 16 };
#define FIRST_NAMED_RAW_ID (INT64_C(1) << 32)

static bool has_name(const struct tm_union_machine *row, const ProtobufCBinaryData *name)
{
    return row->has_name && name && row->name_bytes == name->len &&
           (name->len == 0 || memcmp(row->name, name->data, name->len) == 0);
}

/* Returns the row of the machine, or count. */
static uint32_t find(const struct tm_machine_union *m, int64_t raw_id, const ProtobufCBinaryData *name)
{
    for (uint32_t i = 0; i < m->count; i++)
        if (raw_id < FIRST_NAMED_RAW_ID && m->rows[i].raw_id == raw_id)
            return i;
    for (uint32_t i = 0; i < m->count; i++)
        if ((raw_id >= FIRST_NAMED_RAW_ID || m->rows[i].raw_id >= FIRST_NAMED_RAW_ID) && has_name(&m->rows[i], name))
            return i;
    return m->count;
}

static enum tm_status add_row(struct tm_machine_union *m, int64_t raw_id, struct tm_error *err)
{
    if (m->count >= MACHINES_MAX)
        return tm_error_set(err, TM_E_INPUT, "more than %d machines", MACHINES_MAX);
    if (tm_array_grow(&m->rows, &m->cap, m->count, sizeof *m->rows, err) < 0)
        return TM_E_SYSTEM;
    if (raw_id >= FIRST_NAMED_RAW_ID)
        raw_id = FIRST_NAMED_RAW_ID + m->named_count++;
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
    machine->has_name = true;
    return TM_OK;
}

void tm_machine_union_release(struct tm_machine_union *m)
{
    for (uint32_t i = 0; i < m->count; i++)
        free(m->rows[i].name);
    free(m->rows);
    *m = (struct tm_machine_union){0};
}
