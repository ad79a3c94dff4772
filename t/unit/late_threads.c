/* Unit test of emit/late_threads: threads beyond the limit are counted, and those that have room change nothing. */
#include "emit/late_threads.h"
#include "stream/batch_builder.h"
#include "tap.h"

enum { ROWS = 1 << 15, FILE_ID = 3, PID = 5 };

/* Notes a batch of ROWS descriptors of threads, on stretches from FIRST on. */
static bool note(struct tm_late_threads *threads, uint32_t first, struct tm_unsupported_counts *unsupported)
{
    struct tm_batch_builder builder = {0};
    struct tm_batch batch;
    struct tm_error err = {0};
    struct tm_event e = {.kind = TM_KIND_THREAD, .file = FILE_ID, .pid = PID};
    bool is_good = true;
    e.flags = TM_EVENT_DEFINITION | TM_EVENT_HAS_VALUE | TM_EVENT_HAS_PID | TM_EVENT_HAS_TID |
              tm_event_raw_flags(TM_RAW_PACKET);
    for (uint32_t i = 0; i < ROWS; i++) {
        e.generation = first + i;
        e.tid = e.position = first + i;
        is_good &= tm_batch_builder_add(&builder, &e) == TM_OK;
    }
    tm_batch_builder_view(&builder, &batch);
    is_good &= tm_late_threads_note(threads, &batch, unsupported, &err) == TM_OK;
    tm_batch_builder_release(&builder);
    return is_good;
}

static int64_t tid_of(const struct tm_late_threads *threads, uint32_t generation)
{
    struct tm_event e = {.kind = TM_KIND_INSTANT, .flags = TM_EVENT_LATE_THREAD, .generation = generation};
    tm_late_threads_place(threads, &e);
    return e.flags & TM_EVENT_HAS_TID ? e.tid : -1;
}

int main(void)
{
    struct tm_late_threads threads = {0};
    struct tm_unsupported_counts unsupported = {0};
    bool is_good = true;
    for (uint32_t first = 0; first < TM_LATE_THREADS_MAX; first += ROWS)
        is_good &= note(&threads, first, &unsupported);
    ok_named(is_good && unsupported.others[TM_UNSUPPORTED_FACTS] == 0, "there is room for all threads up to the limit");
    ok_named(note(&threads, TM_LATE_THREADS_MAX - 2, &unsupported), "two known ones and others beyond the limit");
    ok_named(unsupported.others[TM_UNSUPPORTED_FACTS] == ROWS - 2, "the others are counted");
    ok_named(unsupported.file_count == FILE_ID + 1 &&
                 unsupported.files[FILE_ID].others[TM_UNSUPPORTED_FACTS] == ROWS - 2,
             "for their file");
    is_int(tid_of(&threads, TM_LATE_THREADS_MAX - 1), TM_LATE_THREADS_MAX - 1);
    is_int(tid_of(&threads, TM_LATE_THREADS_MAX), -1);
    ok_named(note(&threads, TM_LATE_THREADS_MAX, NULL), "nobody has to count");
    tm_late_threads_release(&threads);
    tm_unsupported_counts_release(&unsupported);
    return tap_done();
}
