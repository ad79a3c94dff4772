#include "model/tid_lists.h"

enum tm_status tm_tid_list_add(struct tm_processes *p, int64_t utid, struct tm_error *err)
{
    struct tm_thread_row *t = &p->threads[utid];
    struct tm_key key = tm_number_key(t->machine, t->tid);
    int64_t newest = tm_table_find(&p->tids, &key);
    t->older = newest;
    t->newer = TM_NO_ID;
    t->listed = true;
    if (newest != TM_NO_ID)
        p->threads[newest].newer = utid;
    return tm_table_set(&p->tids, &key, utid, err);
}

enum tm_status tm_tid_list_remove(struct tm_processes *p, int64_t utid, struct tm_error *err)
{
    struct tm_thread_row *t = &p->threads[utid];
    if (!t->listed)
        return TM_OK;
    t->listed = false;
    if (t->older != TM_NO_ID)
        p->threads[t->older].newer = t->newer;
    if (t->newer != TM_NO_ID) {
        p->threads[t->newer].older = t->older;
        return TM_OK;
    }
    struct tm_key key = tm_number_key(t->machine, t->tid);
    if (t->older == TM_NO_ID) {
        tm_table_remove(&p->tids, &key);
        return TM_OK;
    }
    return tm_table_set(&p->tids, &key, t->older, err);
}

void tm_tid_list_clear(struct tm_processes *p, uint32_t machine, int64_t tid)
{
    struct tm_key key = tm_number_key(machine, tid);
    for (int64_t utid = tm_table_find(&p->tids, &key); utid != TM_NO_ID;) {
        int64_t older = p->threads[utid].older;
        p->threads[utid].listed = false;
        utid = older;
    }
    tm_table_remove(&p->tids, &key);
}
