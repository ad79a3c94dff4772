#include "select/facts.h"

#include <stdlib.h>

enum { DURATION_BYTES = 4 << 20 /* of the durations in memory */ };

enum tm_status tm_select_facts_new(struct tm_select_facts **facts, const char *temporary_dir, struct tm_error *err)
{
    struct tm_select_facts *a = *facts = calloc(1, sizeof *a);
    if (a == NULL)
        return tm_error_nomem(err);
    tm_processes_init(&a->tasks);
    tm_paged_file_init(&a->durations, temporary_dir, DURATION_BYTES);
    return TM_OK;
}

void tm_select_facts_free(struct tm_select_facts *a)
{
    if (a == NULL)
        return;
    tm_processes_release(&a->tasks);
    tm_paged_file_release(&a->durations);
    free(a);
}
