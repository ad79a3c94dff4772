#include "format/perfetto/sched.h"

#include "base/table.h"
#include "perfetto/ftrace_event_fields.h"

enum tm_status tm_proto_cpu_find(struct tm_proto_kernels *kernels, uint32_t machine, uint32_t cpu,
                                 struct tm_proto_cpu **entry, struct tm_error *err)
{
    struct tm_proto_map_entry *slot = tm_proto_map_find(&kernels->sched.cpu_index, machine, cpu);
    if (slot == NULL) {
        enum tm_status st = tm_proto_map_add(&kernels->sched.cpu_index, machine, cpu, TM_PROTO_CPUS_MAX, &slot);
        if (st == TM_END)
            return tm_error_set(err, TM_E_INPUT, "more than %d cpus", TM_PROTO_CPUS_MAX);
        if (st < 0)
            return tm_error_nomem(err);
        slot->v1 = kernels->sched.cpu_index.count - 1;
        if (tm_array_grow(&kernels->sched.cpus, &kernels->sched.cpu_cap, kernels->sched.cpu_index.count - 1,
                          sizeof *kernels->sched.cpus, err) < 0)
            return TM_E_SYSTEM;
        kernels->sched.cpus[slot->v1] = (struct tm_proto_cpu){0};
    }
    *entry = &kernels->sched.cpus[slot->v1];
    return TM_OK;
}

void tm_proto_cpu_name(struct tm_proto_cpu *cpu, uint32_t string, const uint8_t *comm, size_t len)
{
    cpu->string = string & TM_STRING_INLINE ? 0 : string;
    if (cpu->string) /* the string number suffices */
        return;
    cpu->comm_len = (uint32_t)(len < sizeof cpu->comm ? len : sizeof cpu->comm);
    if (cpu->comm_len)
        memcpy(cpu->comm, comm, cpu->comm_len);
}

static int32_t i32(uint64_t value)
{
    return (int32_t)(uint32_t)value;
}

enum tm_status tm_proto_sched_switch(struct tm_proto_kernels *kernels, struct tm_proto_rows *rows,
                                     const struct tm_pb_field *f, struct tm_event *row, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(f->data, f->len);
    struct tm_pb_field field, prev_comm = {0}, next_comm = {0};
    uint64_t state = 0, prev_pid = 0, next_pid = 0, prev_prio = 0, next_prio = 0;
    struct tm_proto_cpu *cpu;
    while (tm_pb_next(&pb, &field) == TM_OK) {
        switch (field.id) {
        case TM_SWITCH_PREV_COMM: prev_comm = field; break;
        case TM_SWITCH_PREV_PID: prev_pid = field.value; break;
        case TM_SWITCH_PREV_PRIO: prev_prio = field.value; break;
        case TM_SWITCH_PREV_STATE: state = field.value; break;
        case TM_SWITCH_NEXT_COMM: next_comm = field; break;
        case TM_SWITCH_NEXT_PID: next_pid = field.value; break;
        case TM_SWITCH_NEXT_PRIO: next_prio = field.value; break;
        default:
            break;
        }
    }
    enum tm_status st = tm_proto_cpu_find(kernels, row->machine, row->cpu, &cpu, err);
    if (st >= 0)
        st = tm_proto_string(rows, next_comm.data, next_comm.len, &row->name, err);
    if (st >= 0)
        st = tm_proto_string(rows, prev_comm.data, prev_comm.len, &row->category, err);
    row->kind = TM_KIND_SCHED_SWITCH;
    row->flags |= TM_EVENT_HAS_PID | TM_EVENT_HAS_TID | TM_EVENT_HAS_VALUE;
    row->tid = i32(prev_pid);
    row->pid = i32(next_pid);
    row->value = tm_event_switch_value(state, i32(next_prio), i32(prev_prio));
    if (i32(next_prio) != (int16_t)i32(next_prio)) { /* a weight from a merged Fuchsia trace */
        row->track = (uint32_t)i32(next_prio);
        row->flags |= TM_EVENT_HAS_TRACK;
    }
    if (st < 0)
        return st;
    tm_proto_cpu_run(cpu, i32(next_pid), i32(next_prio));
    tm_proto_cpu_name(cpu, row->name, next_comm.data, next_comm.len);
    return TM_OK;
}

enum tm_status tm_proto_sched_waking(struct tm_proto_rows *rows, const struct tm_pb_field *f, struct tm_event *row,
                                     struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(f->data, f->len);
    struct tm_pb_field field, comm = {0};
    uint64_t pid = 0, prio = 0, target = 0;
    while (tm_pb_next(&pb, &field) == TM_OK) {
        if (field.id == TM_WAKING_COMM)
            comm = field;
        else if (field.id == TM_WAKING_PID)
            pid = field.value;
        else if (field.id == TM_WAKING_PRIO)
            prio = field.value;
        else if (field.id == TM_WAKING_TARGET_CPU)
            target = field.value;
    }
    row->kind = TM_KIND_SCHED_WAKING;
    row->flags |= TM_EVENT_HAS_PID | TM_EVENT_HAS_TID | TM_EVENT_HAS_VALUE;
    row->pid = row->tid;
    row->tid = i32(pid);
    row->value = tm_event_waking_value(i32(prio), i32(target));
    return tm_proto_string(rows, comm.data, comm.len, &row->name, err);
}
