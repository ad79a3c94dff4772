#include "os/thread.h"

#include <signal.h>

static bool create(struct tm_thread *thread, void *(*work)(void *arg), void *arg)
{
    sigset_t others, before;
    (void)sigfillset(&others);
    (void)sigdelset(&others, SIGPIPE);
    if (pthread_sigmask(SIG_BLOCK, &others, &before) != 0)
        return false;
    bool created = pthread_create(&thread->id, NULL, work, arg) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return created;
}

bool tm_thread_start(struct tm_thread *thread, void *(*work)(void *arg), void *arg)
{
    thread->stop = false;
    if (pthread_mutex_init(&thread->lock, NULL) != 0)
        return false;
    if (pthread_cond_init(&thread->changed, NULL) == 0) {
        if (create(thread, work, arg))
            return true;
        (void)pthread_cond_destroy(&thread->changed);
    }
    (void)pthread_mutex_destroy(&thread->lock);
    return false;
}

void tm_thread_end(struct tm_thread *thread)
{
    tm_thread_lock(thread);
    thread->stop = true;
    tm_thread_changed(thread);
    tm_thread_unlock(thread);
    (void)pthread_join(thread->id, NULL);
    (void)pthread_cond_destroy(&thread->changed);
    (void)pthread_mutex_destroy(&thread->lock);
}
