#include "model/tid_lists.h"

enum tm_status tm_tid_list_add(struct tm_processes *p, int64_t utid, struct tm_error *err)
{
    struct tm_thread_row *t = &p->threads[utid];
    struct tm_task_number *number;
    enum tm_status st = tm_task_numbers_get(&p->numbers, t->machine, t->tid, &number, err);
    if (st < 0)
        return st;
    t->older = number->newest;
    t->newer = TM_NO_ID;
    t->listed = true;
    if (t->older != TM_NO_ID)
        p->threads[t->older].newer = (int32_t)utid;
    number->newest = (int32_t)utid;
    return TM_OK;
}

void tm_tid_list_remove(struct tm_processes *p, int64_t utid)
{
    struct tm_thread_row *t = &p->threads[utid];
    if (!t->listed)
        return;
    t->listed = false;
    if (t->older != TM_NO_ID)
        p->threads[t->older].newer = t->newer;
    if (t->newer != TM_NO_ID)
        p->threads[t->newer].older = t->older;
    else
        tm_task_numbers_find(&p->numbers, t->machine, t->tid)->newest = t->older;
}

void tm_tid_list_clear(struct tm_processes *p, struct tm_task_number *number)
{
    for (int64_t utid = number->newest; utid != TM_NO_ID; utid = p->threads[utid].older)
        p->threads[utid].listed = false;
    number->newest = TM_NO_ID;
}
