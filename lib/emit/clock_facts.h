/* Facts about clocks that do not place events, from the frames ClockHint, Snapshot and ClockRow: the base of the times
 * of a file, if it states one, the wall-clock time at which the machine of a recording started, and what clocks of two
 * machines read at one instant. */
#ifndef TM_EMIT_CLOCK_FACTS_H
#define TM_EMIT_CLOCK_FACTS_H

#include "base/buf.h"
#include "base/map.h"
#include "model/catalog.h"

/* "Clock CLOCK read VALUE_NS when the file's own timeline read 0". SOURCE is the field that states it, such as
 * baseTimeNanoseconds. */
struct tm_stated_base {
    uint32_t file, clock;
    int64_t value_ns;
    char source[64]; /* escaped, cut */
};

/* One machine as one file shows it, in nanoseconds since 1970. */
struct tm_wall_start {
    uint32_t file, machine;
    int64_t started_ns;           /* REALTIME when BOOTTIME was 0, by the first snapshot that has both */
    int64_t first_ns, last_ns;    /* REALTIME of its first and its last snapshot */
};

/* Clock CLOCK of two machines at one instant, as a file recorded it. */
struct tm_machine_relation {
    uint32_t clock;
    uint32_t machine[2]; /* rows */
    int64_t value_ns[2];
};

/* Zero-initialise. */
struct tm_clock_facts {
    struct tm_stated_base *bases; /* at most one for each file, in the order of the stream */
    uint32_t base_count;
    struct tm_wall_start *starts; /* one for each file and machine */
    uint32_t start_count;
    struct tm_machine_relation *relations; /* the first one of each clock and machine */
    uint32_t relation_count;
    /* private */
    uint32_t base_cap, start_cap, relation_cap;
    struct tm_map relation_of;    /* machine << 32 | clock to a relation */
    struct tm_clock_facts_row {
        uint32_t snapshot, clock, machine;
        int64_t value;
        bool is_recorded;
    } last_row; /* the ClockRow before, if the stream has several machines */
    struct tm_map base_of, start_of;
    struct tm_map first_base_of;  /* clock to the base of the first file that states one */
    struct tm_map first_start_of; /* machine to the facts of the file whose turn came first */
};

/* Reads FRAME if its type concerns clocks; others are ignored with TM_OK. CATALOG has the files of the stream so far.
 * TM_E_INPUT or TM_E_SYSTEM. */
enum tm_status tm_clock_facts_add(struct tm_clock_facts *facts, const struct tm_catalog *catalog,
                                  const struct tm_frame *frame, struct tm_error *err);

/* The base that FILE states, or NULL. */
const struct tm_stated_base *tm_clock_facts_base(const struct tm_clock_facts *facts, uint32_t file);

/* The base of the same clock stated by the first file that states one; this can be BASE itself. */
const struct tm_stated_base *tm_clock_facts_first_base(const struct tm_clock_facts *facts,
                                                       const struct tm_stated_base *base);

/* The facts that FILE has of MACHINE, or NULL. */
const struct tm_wall_start *tm_clock_facts_start(const struct tm_clock_facts *facts, uint32_t file, uint32_t machine);

/* The facts of the same machine from the first other file whose turn came before START's, or NULL. */
const struct tm_wall_start *tm_clock_facts_earlier(const struct tm_clock_facts *facts, const struct tm_catalog *catalog,
                                                   const struct tm_wall_start *start);

/* The first recorded relation of CLOCK of MACHINE to that clock of another machine, or NULL. */
const struct tm_machine_relation *tm_clock_facts_relation(const struct tm_clock_facts *facts, uint32_t machine,
                                                          uint32_t clock);

void tm_clock_facts_release(struct tm_clock_facts *facts);

#endif
