#include "os/thread.h"

#include "os/stack.h"

#include <signal.h>

/* Creates a thread with TM_STACK_BYTES of stack at least. The default may be the limit with which the program began. */
static bool create_with_stack(pthread_t *id, void *(*work)(void *arg), void *arg)
{
    pthread_attr_t attr;
    size_t bytes;
    if (pthread_attr_init(&attr) != 0)
        return false;
    if (pthread_attr_getstacksize(&attr, &bytes) == 0 && bytes < TM_STACK_BYTES)
        (void)pthread_attr_setstacksize(&attr, TM_STACK_BYTES);
    const bool created = pthread_create(id, &attr, work, arg) == 0;
    (void)pthread_attr_destroy(&attr);
    return created;
}

static bool create(struct tm_thread *thread, void *(*work)(void *arg), void *arg)
{
    sigset_t others, before;
    (void)sigfillset(&others);
    (void)sigdelset(&others, SIGPIPE);
    if (pthread_sigmask(SIG_BLOCK, &others, &before) != 0)
        return false;
    bool created = create_with_stack(&thread->id, work, arg);
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
