/* A worker thread, with a lock and a condition that it shares with the thread that started it. */
#ifndef TM_OS_THREAD_H
#define TM_OS_THREAD_H

#include <pthread.h>
#include <stdbool.h>

struct tm_thread {
    bool stop; /* the thread must end; read under the lock */
    /* private */
    pthread_t id;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

/* Starts a thread that runs WORK(ARG) with all signals blocked but SIGPIPE, which the kernel sends to the thread that
 * writes. False: the thread cannot be started; then tm_thread_end must not be called. */
bool tm_thread_start(struct tm_thread *thread, void *(*work)(void *arg), void *arg);

/* Sets stop and waits until the thread's function has returned. */
void tm_thread_end(struct tm_thread *thread);

static inline void tm_thread_lock(struct tm_thread *thread)
{
    (void)pthread_mutex_lock(&thread->lock);
}

static inline void tm_thread_unlock(struct tm_thread *thread)
{
    (void)pthread_mutex_unlock(&thread->lock);
}

/* Under the lock: waits for tm_thread_changed of the other thread. May return without a change. */
static inline void tm_thread_wait(struct tm_thread *thread)
{
    (void)pthread_cond_wait(&thread->changed, &thread->lock);
}

/* Under the lock: wakes the other thread. */
static inline void tm_thread_changed(struct tm_thread *thread)
{
    (void)pthread_cond_signal(&thread->changed);
}

#endif
