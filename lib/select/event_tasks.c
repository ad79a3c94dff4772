#include "select/event_tasks.h"

#include "base/decimal.h"

#include <stdlib.h>

void tm_event_tasks_init(struct tm_event_tasks *t, const struct tm_select_spec *spec, const struct tm_catalog *catalog,
                         const struct tm_select_facts *facts)
{
    t->is_used = tm_select_spec_names_tasks(spec);
    t->spec = spec;
    t->names = facts ? &facts->tasks : NULL;
    tm_model_init(&t->model, NULL, catalog);
    t->model.out.options.tasks_only = true;
}

static enum tm_status take_row(struct tm_event_tasks *t, const struct tm_event *row, struct tm_event_owner *owner,
                               struct tm_error *err)
{
    const bool ends = row->kind == TM_KIND_PROCESS_EXIT, defines = row->flags & TM_EVENT_DEFINITION;
    enum tm_status st = ends ? tm_event_owner_find(&t->model.tasks, &t->model.layout, row, owner, err) : TM_OK;
    if (st == TM_OK)
        st = tm_model_take(&t->model, row, err);
    return st < 0 || ends || defines ? st : tm_event_owner_find(&t->model.tasks, &t->model.layout, row, owner, err);
}

enum tm_status tm_event_tasks_take(struct tm_event_tasks *t, const struct tm_event *rows, uint32_t count,
                                   struct tm_error *err)
{
    enum tm_status st = TM_OK;
    while (t->owner_cap < count)
        if ((st = tm_array_grow(&t->owners, &t->owner_cap, t->owner_cap, sizeof *t->owners, err)) < 0)
            return st;
    for (uint32_t i = 0; i < count && st == TM_OK; i++)
        st = take_row(t, &rows[i], &t->owners[i], err);
    return st;
}

static bool is_number(const struct tm_select_values *values, int64_t number)
{
    int64_t wanted;
    for (uint32_t i = 0; i < values->count; i++)
        if (tm_decimal_int(values->texts[i], strlen(values->texts[i]), &wanted) == TM_OK && wanted == number)
            return true;
    return values->count == 0;
}

static enum tm_status is_named(struct tm_event_tasks *t, enum tm_select_key key, uint32_t name, bool *fits,
                               struct tm_error *err)
{
    const struct tm_select_values *values = &t->spec->values[key];
    *fits = values->count == 0;
    if (*fits || name == 0)
        return TM_OK;
    return tm_criteria_fits_any(values, tm_processes_text(t->names, name), &t->text, fits, err);
}

/* Returns the name of a process, else that of its main thread; 0: none. */
static uint32_t process_name(const struct tm_processes *tasks, const struct tm_process *process)
{
    if (process->name)
        return process->name;
    for (int64_t i = process->threads; i != TM_NO_ID; i = tasks->threads[i].next_in_process)
        if (tasks->threads[i].is_main && tasks->threads[i].name)
            return tasks->threads[i].name;
    return 0;
}

/* *FITS: true if process UPID is wanted. UPID may be TM_NO_ID. */
static enum tm_status process_fits(struct tm_event_tasks *t, int64_t upid, bool *fits, struct tm_error *err)
{
    const struct tm_select_values *values = t->spec->values;
    *fits = values[TM_SELECT_PROCESS].count == 0 && values[TM_SELECT_PID].count == 0;
    if (*fits || upid < 0 || upid >= t->names->process_count)
        return TM_OK;
    const struct tm_process *process = &t->names->processes[upid];
    enum tm_status st = is_named(t, TM_SELECT_PROCESS, process_name(t->names, process), fits, err);
    *fits = *fits && is_number(&values[TM_SELECT_PID], process->pid);
    return st;
}

/* *FITS: true if thread UTID or its process is wanted. */
static enum tm_status thread_fits(struct tm_event_tasks *t, int64_t utid, bool *fits, struct tm_error *err)
{
    *fits = false;
    if (utid < 0 || utid >= t->names->thread_count)
        return TM_OK;
    const struct tm_thread_row *thread = &t->names->threads[utid];
    enum tm_status st = is_named(t, TM_SELECT_THREAD, thread->name, fits, err);
    *fits = *fits && is_number(&t->spec->values[TM_SELECT_TID], thread->tid);
    return st < 0 || !*fits ? st : process_fits(t, thread->upid, fits, err);
}

/* *FITS: true if thread or process ID is wanted. Each is compared once. */
static enum tm_status task_fits(struct tm_event_tasks *t, bool is_thread, int64_t id, bool *fits, struct tm_error *err)
{
    enum { UNKNOWN, NO, YES };
    struct tm_criteria_answers *answers = is_thread ? &t->threads : &t->processes;
    uint8_t *answer = NULL;
    *fits = false;
    if (id == TM_NO_ID)
        return TM_OK;
    enum tm_status st = tm_criteria_answer(answers, (uint32_t)id, &answer, err);
    if (st == TM_OK && *answer == UNKNOWN) {
        st = is_thread ? thread_fits(t, id, fits, err) : process_fits(t, id, fits, err);
        *answer = *fits ? YES : NO;
    }
    *fits = st == TM_OK && *answer == YES;
    return st;
}

enum tm_status tm_event_tasks_wants(struct tm_event_tasks *t, uint32_t i, bool *wanted, struct tm_error *err)
{
    const struct tm_event_owner *owner = &t->owners[i];
    const bool selects_threads = t->spec->values[TM_SELECT_THREAD].count || t->spec->values[TM_SELECT_TID].count;
    enum tm_status st = task_fits(t, true, owner->utid, wanted, err);
    if (st == TM_OK && !*wanted)
        st = task_fits(t, true, owner->other_utid, wanted, err);
    return st < 0 || *wanted || selects_threads ? st : task_fits(t, false, owner->upid, wanted, err);
}

enum tm_status tm_event_tasks_finish(struct tm_event_tasks *t, struct tm_select_facts *facts, struct tm_error *err)
{
    enum tm_status st = t->is_used ? tm_model_finish(&t->model, err) : TM_OK;
    tm_processes_release(&facts->tasks);
    facts->tasks = t->model.tasks.processes;
    tm_processes_init(&t->model.tasks.processes);
    return st;
}

enum tm_status tm_event_tasks_is_known(struct tm_event_tasks *t, enum tm_select_key key, uint32_t i,
                                       struct tm_error *err)
{
    const struct tm_processes *tasks = t->names;
    const struct tm_select_values one = {.texts = &t->spec->values[key].texts[i], .count = 1};
    const bool is_thread = key == TM_SELECT_THREAD || key == TM_SELECT_TID;
    const bool is_name = key == TM_SELECT_THREAD || key == TM_SELECT_PROCESS;
    const uint32_t count = is_thread ? tasks->thread_count : tasks->process_count;
    bool found = false;
    enum tm_status st = TM_OK;
    for (uint32_t k = 0; k < count && !found && st == TM_OK; k++) {
        uint32_t name = is_thread ? tasks->threads[k].name : process_name(tasks, &tasks->processes[k]);
        if (!is_name)
            found = is_number(&one, is_thread ? tasks->threads[k].tid : tasks->processes[k].pid);
        else if (name)
            st = tm_criteria_fits_any(&one, tm_processes_text(tasks, name), &t->text, &found, err);
    }
    return st < 0 ? st : found ? TM_OK : TM_END;
}

void tm_event_tasks_release(struct tm_event_tasks *t)
{
    tm_model_release(&t->model);
    free(t->owners);
    free(t->threads.known);
    free(t->processes.known);
    tm_buf_release(&t->text);
    *t = (struct tm_event_tasks){0};
}
