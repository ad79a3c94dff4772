/* Unit test of emit/perfetto/sequence_threads: which descriptor a generation needs last; a number of a generation in a
 * stream does not choose how much memory is taken. */
#include "emit/perfetto/sequence_threads.h"
#include "tap.h"

enum { GENERATIONS = 4, FAR = 1 << 30 };

static struct tm_event event(uint32_t generation)
{
    return (struct tm_event){.kind = TM_KIND_THREAD, .sequence = 7, .generation = generation, .pid = 1, .tid = 2};
}

/* The descriptor of thread TID in GENERATION, at POSITION; its sequence's state was cleared BACK generations before. */
static struct tm_event descriptor(uint32_t generation, int64_t tid, uint64_t position, uint32_t back)
{
    struct tm_event e = event(generation);
    e.tid = tid;
    e.position = position;
    e.value = back;
    e.flags = back ? TM_EVENT_HAS_VALUE : 0;
    return e;
}

static int64_t missing_tid(struct tm_sequence_threads *threads, uint32_t generation)
{
    const struct tm_event at = event(generation), *e = tm_sequence_threads_missing(threads, &at);
    return e ? e->tid : 0;
}

static void test_last_descriptor(void)
{
    struct tm_sequence_threads threads = {.generation_count = GENERATIONS};
    const struct tm_event first = descriptor(1, 2, 10, 0), last = descriptor(2, 3, 20, 1);
    const struct tm_event again = descriptor(3, 2, 30, 0);
    tm_sequence_threads_expect(&threads, &first);
    tm_sequence_threads_expect(&threads, &again);
    tm_sequence_threads_expect(&threads, &last);
    tm_sequence_threads_note(&threads, &first);
    ok_named(missing_tid(&threads, 1) == 3, "the last descriptor before a clearing follows the first");
    ok_named(missing_tid(&threads, 1) == 0, "once");
    ok_named(missing_tid(&threads, 2) == 0, "and comes by itself in its own generation");
    ok_named(missing_tid(&threads, 3) == 0, "so does one after the clearing, which has the thread of the first again");
    tm_sequence_threads_note(&threads, &first);
    ok_named(missing_tid(&threads, 1) == 3, "the last one follows again where another thread was written after it");
    tm_sequence_threads_release(&threads);
}

/* A stream can state any number. */
static void test_impossible_generation(void)
{
    struct tm_sequence_threads threads = {.generation_count = GENERATIONS};
    const struct tm_event far = descriptor(2, 3, 20, 5), at = event(2);
    ok_named(tm_sequence_threads_note(&threads, &far) == TM_OK, "a descriptor that reaches back too far is noted");
    ok_named(missing_tid(&threads, 1) == 0, "not for earlier generations");
    ok_named(missing_tid(&threads, 3) == 3, "for later ones");
    ok_named(tm_sequence_threads_missing(&threads, &at) == NULL, "its own generation has it");
    tm_sequence_threads_release(&threads);
}

int main(void)
{
    struct tm_sequence_threads threads = {.generation_count = GENERATIONS};
    struct tm_event first = event(1), next = event(GENERATIONS - 1), unknown = event(GENERATIONS), far = event(FAR);
    ok_named(tm_sequence_threads_note(&threads, &first) == TM_OK, "a descriptor is noted");
    ok_named(tm_sequence_threads_missing(&threads, &first) == NULL, "it is there already");
    ok_named(tm_sequence_threads_missing(&threads, &next) != NULL, "it is missing in a later generation");
    ok_named(tm_sequence_threads_missing(&threads, &next) == NULL, "it is there afterwards");
    ok_named(tm_sequence_threads_missing(&threads, &unknown) == NULL, "nothing is missing where no sequence is");
    ok_named(tm_sequence_threads_missing(&threads, &far) == NULL, "nor farther on");
    ok_named(tm_sequence_threads_note(&threads, &far) == TM_OK && threads.count == 1, "a descriptor there has no row");
    ok_named(threads.written_cap < FAR, "nor memory for the generations before it");
    tm_sequence_threads_release(&threads);
    test_last_descriptor();
    test_impossible_generation();
    return tap_done();
}
