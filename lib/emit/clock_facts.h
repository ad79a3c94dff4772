/* What files say of their clocks beside what places them: the base that the times of a file count from, where it
 * states one, and when the machine of a recording was started, by its wall clock. From the frames ClockHint and
 * Snapshot. */
#ifndef TM_EMIT_CLOCK_FACTS_H
#define TM_EMIT_CLOCK_FACTS_H

#include "base/buf.h"
#include "base/map.h"
#include "model/catalog.h"

/* "Clock CLOCK read VALUE_NS when the file's own timeline read 0", as SOURCE (a field, such as baseTimeNanoseconds)
 * has it. */
struct tm_stated_base {
    uint32_t file, clock;
    int64_t value_ns;
    char source[64]; /* escaped, cut */
};

/* One machine as one file knows it, in nanoseconds since 1970. */
struct tm_wall_start {
    uint32_t file, machine;
    int64_t started_ns;           /* REALTIME when BOOTTIME was 0, by the first snapshot that has both */
    int64_t first_ns, last_ns;    /* REALTIME of the first and the last of them */
};

/* Zero-initialise. */
struct tm_clock_facts {
    struct tm_stated_base *bases; /* at most one a file, in the order of the stream */
    uint32_t base_count;
    struct tm_wall_start *starts; /* one for each file and machine */
    uint32_t start_count;
    /* private */
    uint32_t base_cap, start_cap;
    struct tm_map base_of, start_of;
};

/* Takes in FRAME, whose type says that it concerns clocks; others are TM_OK. TM_E_INPUT or TM_E_SYSTEM. */
enum tm_status tm_clock_facts_add(struct tm_clock_facts *facts, const struct tm_frame *frame, struct tm_error *err);

/* What FILE states, or NULL. */
const struct tm_stated_base *tm_clock_facts_base(const struct tm_clock_facts *facts, uint32_t file);

/* The base that is stated of the same clock by the first of the files, BASE's own included. */
const struct tm_stated_base *tm_clock_facts_first_base(const struct tm_clock_facts *facts,
                                                       const struct tm_stated_base *base);

/* What FILE knows of MACHINE, or NULL. */
const struct tm_wall_start *tm_clock_facts_start(const struct tm_clock_facts *facts, uint32_t file, uint32_t machine);

/* What the first other file whose turn came before START's knows of its machine, or NULL. */
const struct tm_wall_start *tm_clock_facts_earlier(const struct tm_clock_facts *facts, const struct tm_catalog *catalog,
                                                   const struct tm_wall_start *start);

void tm_clock_facts_release(struct tm_clock_facts *facts);

#endif
