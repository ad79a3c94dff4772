/* The records of a perf.data file in the order of the file, also those that are compressed. Source:
 * tools/perf/Documentation/perf.data-file-format.txt and include/uapi/linux/perf_event.h of Linux; for the types of
 * simpleperf, record.h of simpleperf. */
#ifndef TM_FORMAT_PERF_DATA_RECORDS_H
#define TM_FORMAT_PERF_DATA_RECORDS_H

#include "base/buf.h"
#include "container/damage.h"
#include "container/extent.h"
#include "format/perf_data/cursor.h"
#include "format/perf_data/header.h"
#include "os/expansion.h"

/* Types of records: those of the kernel, then those of perf itself. */
enum tm_perf_record_type {
    TM_PERF_RECORD_MMAP = 1,
    TM_PERF_RECORD_LOST = 2,
    TM_PERF_RECORD_COMM = 3,
    TM_PERF_RECORD_EXIT = 4,
    TM_PERF_RECORD_FORK = 7,
    TM_PERF_RECORD_SAMPLE = 9,
    TM_PERF_RECORD_MMAP2 = 10,
    TM_PERF_RECORD_AUX = 11,
    TM_PERF_RECORD_LOST_SAMPLES = 13,
    TM_PERF_RECORD_SWITCH = 14,
    TM_PERF_RECORD_SWITCH_CPU_WIDE = 15,
    TM_PERF_RECORD_KSYMBOL = 17,
    TM_PERF_RECORD_ATTR = 64, /* records of perf itself have types from here on */
    TM_PERF_RECORD_TRACING_DATA = 66,
    TM_PERF_RECORD_BUILD_ID = 67,
    TM_PERF_RECORD_FINISHED_ROUND = 68,
    TM_PERF_RECORD_ID_INDEX = 69,
    TM_PERF_RECORD_AUXTRACE_INFO = 70,
    TM_PERF_RECORD_AUXTRACE = 71,
    TM_PERF_RECORD_THREAD_MAP = 73,
    TM_PERF_RECORD_CPU_MAP = 74,
    TM_PERF_RECORD_EVENT_UPDATE = 78,
    TM_PERF_RECORD_TIME_CONV = 79,
    TM_PERF_RECORD_FEATURE = 80,
    TM_PERF_RECORD_COMPRESSED = 81,
    TM_PERF_RECORD_FINISHED_INIT = 82,
    TM_PERF_RECORD_COMPRESSED2 = 83,
    TM_PERF_RECORD_TYPES = 96, /* above all types of perf */
    TM_PERF_RECORD_SIMPLEPERF = 32768, /* records of simpleperf itself have types from here on */
    TM_PERF_RECORD_SIMPLEPERF_SPLIT = 32772, /* a part of a large record */
    TM_PERF_RECORD_SIMPLEPERF_SPLIT_END = 32773,
    TM_PERF_RECORD_SIMPLEPERF_CALLCHAIN = 32775,
    TM_PERF_RECORD_SIMPLEPERF_UNWINDING = 32776,
    TM_PERF_RECORD_SIMPLEPERF_TRACING_DATA = 32777,
    TM_PERF_RECORD_SIMPLEPERF_TYPES = 32832 /* above all types of simpleperf */
};

enum { TM_PERF_RECORD_BYTES_MAX = 64 << 20 }; /* of a record of simpleperf; one of perf has 16 bits for its size */

struct tm_perf_record {
    uint32_t type;
    uint16_t misc;
    struct tm_perf_cursor body; /* the bytes after the header; valid until the next call */
    uint64_t byte;              /* its place in the file; if compressed, the place of the compressed record around it */
    uint64_t size;              /* its size in the file, including the bytes that follow it; 0: compressed */
    uint64_t trailing;            /* bytes that follow it (AUXTRACE, TRACING_DATA) */
};

/* Zero-initialise, set expansion, on_damage and is_big, then open. */
struct tm_perf_records {
    struct tm_damage damage; /* damage that was skipped */
    enum tm_on_damage on_damage;
    bool is_big;                    /* the byte order of the file */
    struct tm_expansion *expansion; /* counts what is decompressed; borrowed; NULL: do not count */
    /* private */
    struct tm_input in;
    bool is_open;
    bool is_past_limit;      /* decompression has reached its limit, an error that is never skipped */
    uint64_t start;     /* offset of the input in the file */
    uint64_t pending;   /* bytes of the last record that must be skipped */
    void *stream;       /* of zstd; NULL: no compressed record so far */
    const uint8_t *packed;
    size_t packed_len, packed_at; /* of the current compressed record */
    uint64_t packed_byte;
    bool is_full;         /* the decompressor may have more output */
    struct tm_buf decompressed;
    size_t decompressed_at;
};

/* Opens the records in SECTION of WHOLE, which must outlive RECORDS. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_perf_records_open(struct tm_perf_records *records, const struct tm_extent *whole,
                                    struct tm_perf_section section, struct tm_error *err);

/* Reads the next record. TM_OK; TM_END; TM_E_INPUT: damage, if the run halts at it, otherwise damage is skipped and
 * counted in damage; TM_E_SYSTEM. */
enum tm_status tm_perf_records_next(struct tm_perf_records *records, struct tm_perf_record *record,
                                    struct tm_error *err);

void tm_perf_records_release(struct tm_perf_records *records);

#endif
