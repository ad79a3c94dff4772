#include "os/handoff.h"

static void lock(struct tm_handoff *h)
{
    (void)pthread_mutex_lock(&h->lock);
}

static void unlock(struct tm_handoff *h)
{
    (void)pthread_mutex_unlock(&h->lock);
}

/* Under the lock, which is free meanwhile: waits for a change of any other thread. */
static void wait(struct tm_handoff *h)
{
    (void)pthread_cond_wait(&h->changed, &h->lock);
}

/* Under the lock. */
static void wake_all(struct tm_handoff *h)
{
    (void)pthread_cond_broadcast(&h->changed);
}

/* Under the lock: true if piece NUMBER, or one before it, failed. */
static bool is_lost(const struct tm_handoff *h, unsigned number)
{
    return h->err.status < 0 && number - h->failed < TM_HANDOFF_DEPTH_MAX;
}

/* Under the lock: notes that piece NUMBER failed, unless an earlier failure is known. */
static void note_failure(struct tm_handoff *h, unsigned number, const struct tm_error *err)
{
    if (is_lost(h, number))
        return;
    h->err = *err;
    h->failed = number;
}

/* Under the lock, which is free during the work: does piece NUMBER. */
static void work_on(struct tm_handoff *h, unsigned number, unsigned thread)
{
    const struct tm_handoff_piece piece = {number % h->does.depth, thread};
    struct tm_error err = {0};
    if (!is_lost(h, number)) {
        unlock(h);
        enum tm_status st = h->does.work(h->does.self, piece, &err);
        lock(h);
        if (st < 0)
            note_failure(h, number, &err);
    }
    h->has_ended[piece.place] = true;
}

/* Under the lock, which is free meanwhile: passes on the next piece. */
static void pass_on(struct tm_handoff *h)
{
    const unsigned place = h->passed % h->does.depth;
    struct tm_error err = {0};
    if (h->does.pass_on && !is_lost(h, h->passed)) {
        unlock(h);
        enum tm_status st = h->does.pass_on(h->does.self, place, &err);
        lock(h);
        if (st < 0)
            note_failure(h, h->passed, &err);
    }
    h->has_ended[place] = false;
    unsigned left = h->sent - ++h->passed;
    if (left == 0 || left == h->does.depth / 2) /* what the caller waits for */
        wake_all(h);
}

/* The function of a thread: takes one piece after another. It passes pieces on that other threads have ended meanwhile,
 * so none of them waits for its turn. */
static void *run(void *arg)
{
    const struct tm_handoff_thread *t = arg;
    struct tm_handoff *h = t->of;
    lock(h);
    for (;;) {
        while (h->taken == h->sent && !h->stop)
            wait(h);
        if (h->taken == h->sent)
            break;
        work_on(h, h->taken++, t->number);
        if (h->is_passing)
            continue;
        h->is_passing = true;
        while (h->passed != h->taken && h->has_ended[h->passed % h->does.depth])
            pass_on(h);
        h->is_passing = false;
    }
    unlock(h);
    return NULL;
}

bool tm_handoff_start(struct tm_handoff *h, const struct tm_handoff_work *work)
{
    *h = (struct tm_handoff){.does = *work};
    if (pthread_mutex_init(&h->lock, NULL) != 0)
        return false;
    if (pthread_cond_init(&h->changed, NULL) == 0) {
        for (unsigned i = 0; i < work->threads; i++) {
            struct tm_handoff_thread *t = &h->threads[i];
            t->of = h;
            t->number = i;
            if (!tm_thread_start(&t->thread, run, t))
                break;
            h->thread_count++;
        }
        if (h->thread_count > 0)
            return true;
        (void)pthread_cond_destroy(&h->changed);
    }
    (void)pthread_mutex_destroy(&h->lock);
    return false;
}

/* Waits, if more than ALLOWED pieces are not done, until at most MAX are. If one failed, waits for all, because one
 * before it may fail too. */
static enum tm_status wait_for(struct tm_handoff *h, unsigned allowed, unsigned max, struct tm_error *err)
{
    lock(h);
    if (h->sent - h->passed > allowed)
        while (h->sent - h->passed > max)
            wait(h);
    while (h->err.status < 0 && h->sent != h->passed)
        wait(h);
    enum tm_status st = h->err.status < 0 ? h->err.status : TM_OK;
    if (st < 0)
        *err = h->err;
    unlock(h);
    return st;
}

enum tm_status tm_handoff_room(struct tm_handoff *h, struct tm_error *err)
{
    return wait_for(h, h->does.depth - 1, h->does.depth / 2, err);
}

enum tm_status tm_handoff_wait(struct tm_handoff *h, struct tm_error *err)
{
    return wait_for(h, 0, 0, err);
}

unsigned tm_handoff_left(struct tm_handoff *h)
{
    lock(h);
    unsigned left = h->sent - h->passed;
    unlock(h);
    return left;
}

void tm_handoff_send(struct tm_handoff *h)
{
    lock(h);
    h->sent++;
    wake_all(h);
    unlock(h);
}

void tm_handoff_stop(struct tm_handoff *h)
{
    lock(h);
    h->stop = true;
    wake_all(h);
    unlock(h);
    for (unsigned i = 0; i < h->thread_count; i++)
        tm_thread_end(&h->threads[i].thread);
    (void)pthread_cond_destroy(&h->changed);
    (void)pthread_mutex_destroy(&h->lock);
}
