#include "model/sched.h"

#include "base/pb.h"
#include "stream/detail_fields.h"

#include <stdlib.h>

struct tm_running {
    int64_t id, ts, tid; /* id is TM_NO_ID if no slice is open */
    int64_t utid;        /* of the task that the last switch left running; TM_NO_ID: none is known */
};

/* Returns where a cpu is among the recent ones. */
static uint32_t slot_of(uint32_t machine, uint32_t cpu)
{
    enum { CPUS = 37 }; /* makes the first cpus of many machines differ */
    return (machine * CPUS + cpu) & (TM_SCHED_RECENT - 1);
}

enum tm_status tm_sched_cpu(struct tm_sched *sched, uint32_t machine, uint32_t cpu, struct tm_error *err)
{
    const struct tm_key key = {machine, cpu, 0};
    const int64_t known = tm_ucpu(machine, cpu) + 1;
    int64_t *recent = &sched->recent_cpus[slot_of(machine, cpu)];
    if (cpu >= TM_CPUS_A_MACHINE || *recent == known)
        return TM_OK;
    *recent = known;
    if (tm_table_find(&sched->cpu_table, &key) != TM_TABLE_NONE)
        return TM_OK;
    enum tm_status st = tm_array_grow(&sched->cpus, &sched->cpu_cap, sched->cpu_count, sizeof *sched->cpus, err);
    if (st < 0)
        return st;
    sched->cpus[sched->cpu_count] = (struct tm_cpu_row){.machine = machine, .cpu = cpu, .arg_set = TM_NO_ID};
    return tm_table_set(&sched->cpu_table, &key, sched->cpu_count++, err);
}

/* Sets *NUMBER to that of the text F, which PLACE states, plus 1; 0: there are too many texts. */
static enum tm_status text_number(struct tm_sched *sched, struct tm_place place, const struct tm_pb_field *f,
                                  uint32_t *number, struct tm_error *err)
{
    if (sched->texts.count_max == 0)
        tm_intern_init(&sched->texts, TM_CPU_TEXTS_MAX, TM_CPU_TEXT_BYTES_MAX);
    enum tm_status st = tm_intern_add(&sched->texts, f->data ? f->data : (const uint8_t *)"", f->len, number, NULL);
    *number = st == TM_OK ? *number + 1 : 0;
    if (st == TM_END)
        return tm_model_stats_add(sched->stats, place, TM_MODEL_LEFT_OUT, 1, err);
    return st < 0 ? tm_error_nomem(err) : TM_OK;
}

static enum tm_status describe_by(struct tm_sched *sched, struct tm_place place, struct tm_cpu_row *row,
                                  const struct tm_pb_field *f, struct tm_error *err)
{
    switch (f->id) {
    case TM_CPU_DESCRIPTION_PROCESSOR:
        return text_number(sched, place, f, &row->processor, err);
    case TM_CPU_DESCRIPTION_CLUSTER:
        row->cluster = (uint32_t)f->value;
        return TM_OK;
    case TM_CPU_DESCRIPTION_CAPACITY:
        row->has_capacity = true;
        row->capacity = (uint32_t)f->value;
        return TM_OK;
    default:
        return TM_OK;
    }
}

enum tm_status tm_sched_describe(struct tm_sched *sched, struct tm_place place, const struct tm_pb_field *description,
                                 struct tm_cpu_row **row, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(description->data, description->len), look = pb;
    struct tm_pb_field f;
    struct tm_key key = {place.machine, 0, 0};
    *row = NULL;
    while (tm_pb_next(&look, &f) == TM_OK)
        if (f.id == TM_CPU_DESCRIPTION_CPU)
            key.b = (uint32_t)f.value;
    enum tm_status st = tm_sched_cpu(sched, place.machine, (uint32_t)key.b, err);
    int64_t i = tm_table_find(&sched->cpu_table, &key);
    if (st < 0 || i == TM_TABLE_NONE || sched->cpus[i].is_described)
        return st;
    *row = &sched->cpus[i];
    (*row)->is_described = true;
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK)
        st = describe_by(sched, place, *row, &f, err);
    return st;
}

struct tm_text tm_sched_text(const struct tm_sched *sched, uint32_t number)
{
    struct tm_text text = {0};
    if (number)
        text.data = tm_intern_get(&sched->texts, number - 1, &text.len);
    return text;
}

static enum tm_status running_get(struct tm_sched *sched, const struct tm_sched_switch *s, struct tm_running **running,
                                  struct tm_error *err)
{
    struct tm_running_place *recent = &sched->recent[slot_of(s->machine, s->cpu) ^ (s->file & (TM_SCHED_RECENT - 1))];
    if (recent->number && recent->file == s->file && recent->machine == s->machine && recent->cpu == s->cpu) {
        *running = &sched->states[recent->number - 1];
        return TM_OK;
    }
    struct tm_key key = {s->file, s->machine, s->cpu};
    int64_t i = tm_table_find(&sched->running, &key);
    enum tm_status st;
    if (i == TM_TABLE_NONE) {
        i = sched->state_count;
        if ((st = tm_array_grow(&sched->states, &sched->state_cap, sched->state_count, sizeof *sched->states, err)) <
                0 ||
            (st = tm_table_set(&sched->running, &key, i, err)) < 0)
            return st;
        sched->states[sched->state_count++] = (struct tm_running){.id = TM_NO_ID, .utid = TM_NO_ID};
    }
    *recent = (struct tm_running_place){s->file, s->machine, s->cpu, (uint32_t)i + 1};
    *running = &sched->states[i];
    return TM_OK;
}

enum tm_status tm_sched_running(struct tm_sched *sched, const struct tm_sched_switch *s, int64_t *utid,
                                struct tm_error *err)
{
    struct tm_running *running;
    enum tm_status st = running_get(sched, s, &running, err);
    *utid = st < 0 ? TM_NO_ID : running->utid;
    return st;
}

enum tm_status tm_sched_switch(struct tm_sched *sched, const struct tm_sched_switch *s, bool *matches,
                               struct tm_error *err)
{
    struct tm_running *running;
    enum tm_status st = tm_sched_cpu(sched, s->machine, s->cpu, err);
    if (st < 0 || (st = running_get(sched, s, &running, err)) < 0)
        return st;
    *matches = running->id == TM_NO_ID || !s->has_prev || running->tid == s->prev_tid;
    if (running->id != TM_NO_ID && *matches &&
        (st = sched->rows->sched_end(sched->rows->self, running->id, s->ts - running->ts, s->end_state, err)) < 0)
        return st;
    running->id = running->utid = TM_NO_ID;
    if (!s->has_next)
        return TM_OK;
    *running = (struct tm_running){sched->next_id++, s->ts, s->next_tid, s->next_utid};
    struct tm_sched_row row = {.id = running->id,
                               .ts = s->ts,
                               .dur = -1,
                               .ucpu = tm_ucpu(s->machine, s->cpu),
                               .utid = s->next_utid,
                               .has_priority = true,
                               .priority = s->next_prio};
    return sched->rows->sched(sched->rows->self, &row, err);
}

enum tm_status tm_sched_add(struct tm_sched *sched, struct tm_sched_row *row, struct tm_error *err)
{
    uint32_t machine = (uint32_t)(row->ucpu / TM_CPUS_A_MACHINE), cpu = (uint32_t)(row->ucpu % TM_CPUS_A_MACHINE);
    enum tm_status st = tm_sched_cpu(sched, machine, cpu, err);
    row->id = sched->next_id++;
    return st < 0 ? st : sched->rows->sched(sched->rows->self, row, err);
}

void tm_sched_release(struct tm_sched *sched)
{
    free(sched->cpus);
    tm_intern_release(&sched->texts);
    free(sched->states);
    tm_table_release(&sched->cpu_table);
    tm_table_release(&sched->running);
    *sched = (struct tm_sched){0};
}
