/* Unit test of emit/perfetto/sequence_threads: a number of a generation in a stream does not choose how much memory is
 * taken. */
#include "emit/perfetto/sequence_threads.h"
#include "tap.h"

enum { GENERATIONS = 4, FAR = 1 << 30 };

static struct tm_event event(uint32_t generation)
{
    return (struct tm_event){.kind = TM_KIND_THREAD, .sequence = 7, .generation = generation, .pid = 1, .tid = 2};
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
    return tap_done();
}
