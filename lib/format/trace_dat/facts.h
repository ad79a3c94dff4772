/* Facts from the options of a trace.dat file of trace-cmd: the clock of its times, and which traces belong together.
 * Versions 6 and 7. Source: trace-cmd.dat.v6(5), trace-cmd.dat.v7(5). */
#ifndef TM_FORMAT_TRACE_DAT_FACTS_H
#define TM_FORMAT_TRACE_DAT_FACTS_H

#include "base/status.h"
#include "container/extent.h"

enum { TM_TRACE_DAT_MAGIC_LEN = 10, TM_TRACE_DAT_WORD_MAX = 32 };

/* "\x17\x08\x44tracing" */
extern const uint8_t tm_trace_dat_magic[TM_TRACE_DAT_MAGIC_LEN];

struct tm_trace_dat_facts {
    char clock[TM_TRACE_DAT_WORD_MAX]; /* the kernel's word, such as "local" or "mono"; empty: not stated */
    int64_t date_ns;       /* if has_date: libtracecmd adds it to each time, which gives wall-clock time */
    int64_t offset_ns;     /* libtracecmd adds it to each time as well */
    bool has_date;
    bool is_scaled;        /* times in ticks of the CPU's counter are converted to nanoseconds (TSC2NSEC) */
    bool is_shifted;       /* times of a guest are converted to the clock of its host (TIME_SHIFT) */
    bool has_guests;       /* traces of guests exist whose times were converted to this one's clock (GUEST) */
    bool is_endless;       /* libtracecmd would not end: lists of options, or events, overlap or are too many */
    uint64_t trace_id;     /* 0: none */
    uint64_t host_trace_id; /* if is_shifted: the trace whose clock the times are on */
};

/* Reads FACTS from the file WHOLE. TM_OK; TM_E_INPUT: damaged, FACTS has what was read before the damage;
 * TM_E_SYSTEM. If FACTS->is_endless, the library must not read the file. */
enum tm_status tm_trace_dat_facts_read(struct tm_trace_dat_facts *facts, const struct tm_extent *whole,
                                       struct tm_error *err);

#endif
