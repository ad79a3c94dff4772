/* Unit test of os/handoff: with any number of threads pieces are passed on in order, and of several failures the first
 * piece's is reported. */
#include "os/handoff.h"

#include "tap.h"

#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

enum { PIECES = 20000, DEPTH = 7 };

/* A run of pieces. */
struct run {
    struct tm_handoff handoff;
    unsigned pieces[DEPTH]; /* the number of the piece at each place */
    unsigned made[DEPTH];   /* what the work made of it */
    unsigned passed;        /* as many pieces were passed on, all in order */
    bool is_disordered;
    unsigned failing;   /* from this piece on, the work fails at each */
    unsigned unpassed;  /* this piece cannot be passed on */
    unsigned threads;
    atomic_uint begun; /* as many pieces were begun */
    bool is_side_by_side;
};

/* Uses time that depends on the piece, so that pieces end in another order than they begin. */
static unsigned make(unsigned number)
{
    unsigned x = number;
    for (unsigned i = 0; i < number % 13 * 100; i++)
        x = x * 1664525u + 1013904223u;
    return x;
}

/* Waits, for ten seconds at most, until another thread has begun a piece too. */
static bool waits_for_another(struct run *r)
{
    const struct timespec step = {.tv_nsec = 1000000};
    for (int i = 0; i < 10000 && atomic_load(&r->begun) < 2; i++)
        (void)nanosleep(&step, NULL);
    return atomic_load(&r->begun) >= 2;
}

static enum tm_status work(void *self, struct tm_handoff_piece piece, struct tm_error *err)
{
    struct run *r = self;
    const unsigned number = r->pieces[piece.place];
    atomic_fetch_add(&r->begun, 1);
    if (number == 0 && r->threads > 1)
        r->is_side_by_side = waits_for_another(r);
    r->made[piece.place] = make(number);
    return number < r->failing ? TM_OK : tm_error_set(err, TM_E_INPUT, "piece %u", number);
}

static enum tm_status pass_on(void *self, unsigned place, struct tm_error *err)
{
    struct run *r = self;
    const unsigned number = r->pieces[place];
    if (number == r->unpassed)
        return tm_error_set(err, TM_E_SYSTEM, "piece %u cannot be passed on", number);
    r->is_disordered |= number != r->passed || r->made[place] != make(number);
    r->passed++;
    return TM_OK;
}

/* Hands PIECES over to the threads of R; ends at the first error. */
static enum tm_status run(struct run *r, struct tm_error *err)
{
    const struct tm_handoff_work does = {work, pass_on, r, DEPTH, r->threads};
    enum tm_status st = TM_OK;
    if (!tm_handoff_start(&r->handoff, &does))
        return tm_error_set(err, TM_E_SYSTEM, "no thread");
    for (unsigned i = 0; i < PIECES && (st = tm_handoff_room(&r->handoff, err)) == TM_OK; i++) {
        r->pieces[tm_handoff_next(&r->handoff)] = i;
        tm_handoff_send(&r->handoff);
    }
    if (st == TM_OK)
        st = tm_handoff_wait(&r->handoff, err);
    tm_handoff_stop(&r->handoff);
    return st;
}

static void test(unsigned threads)
{
    struct run all = {.failing = PIECES, .unpassed = PIECES, .threads = threads};
    struct run fails = {.failing = 1000, .unpassed = PIECES, .threads = threads};
    struct run unpassed = {.failing = 1001, .unpassed = 1000, .threads = threads};
    struct tm_error err = {0}, of_work = {0}, of_passing = {0};
    printf("# %u threads\n", threads);
    ok_named(run(&all, &err) == TM_OK && all.passed == PIECES && !all.is_disordered, "all pieces in order");
    ok_named(threads == 1 || all.is_side_by_side, "threads work side by side");
    ok_named(run(&fails, &of_work) == TM_E_INPUT && fails.passed == 1000 && !fails.is_disordered,
             "pieces before one that fails are passed on, later ones are not");
    is_str(of_work.text, "piece 1000");
    ok_named(run(&unpassed, &of_passing) == TM_E_SYSTEM && unpassed.passed == 1000,
             "nothing is passed on after a failure to do so");
    is_str(of_passing.text, "piece 1000 cannot be passed on");
}

int main(void)
{
    for (unsigned threads = 1; threads <= TM_HANDOFF_THREADS_MAX; threads += threads > 2 ? 2 : 1)
        test(threads);
    return tap_done();
}
