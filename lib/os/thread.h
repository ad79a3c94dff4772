/* A thread that works for the one that started it, with a lock and a condition between the two. */
#ifndef TM_OS_THREAD_H
#define TM_OS_THREAD_H

#include <pthread.h>
#include <stdbool.h>

struct tm_thread {
    bool stop; /* it shall end; read with the lock */
    /* private */
    pthread_t id;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

/* Starts a thread that runs WORK(ARG), out of reach of signals. False: there can be none, and nothing is to be ended.
 */
bool tm_thread_start(struct tm_thread *thread, void *(*work)(void *arg), void *arg);

/* Sets stop and waits until WORK has returned. */
void tm_thread_end(struct tm_thread *thread);

static inline void tm_thread_lock(struct tm_thread *thread)
{
    (void)pthread_mutex_lock(&thread->lock);
}

static inline void tm_thread_unlock(struct tm_thread *thread)
{
    (void)pthread_mutex_unlock(&thread->lock);
}

/* With the lock: waits until the other one of the two says that something has changed; it may also wake for nothing. */
static inline void tm_thread_wait(struct tm_thread *thread)
{
    (void)pthread_cond_wait(&thread->changed, &thread->lock);
}

/* With the lock: says so. */
static inline void tm_thread_changed(struct tm_thread *thread)
{
    (void)pthread_cond_signal(&thread->changed);
}

#endif
