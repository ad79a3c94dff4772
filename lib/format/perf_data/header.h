/* The header of a perf.data file: its byte order, the place of its records, the counted events, and their clock.
 * Source: tools/perf/Documentation/perf.data-file-format.txt of Linux. */
#ifndef TM_FORMAT_PERF_DATA_HEADER_H
#define TM_FORMAT_PERF_DATA_HEADER_H

#include "format/perf_data/attrs.h"
#include "container/extent.h"

enum { TM_PERF_MAGIC_LEN = 8, TM_PERF_FEATURES = 256 };

/* Sections that follow the records of a file, or are records of a pipe. */
enum tm_perf_feature {
    TM_PERF_FEATURE_TRACING_DATA = 1,
    TM_PERF_FEATURE_BUILD_ID = 2,
    TM_PERF_FEATURE_OS_RELEASE = 4,
    TM_PERF_FEATURE_CMDLINE = 11,
    TM_PERF_FEATURE_EVENT_DESC = 12,
    TM_PERF_FEATURE_CLOCK_DATA = 29,
    TM_PERF_FEATURE_SIMPLEPERF_FILE = 128,
    TM_PERF_FEATURE_SIMPLEPERF_META_INFO = 129,
    TM_PERF_FEATURE_SIMPLEPERF_FILE2 = 132
};

struct tm_perf_section {
    uint64_t at, len;
};

struct tm_perf_header {
    bool is_big;
    bool is_pipe; /* written to a pipe: everything is a record */
    bool is_cut;  /* the file is truncated, or its header states no length of the records; features may be missing */
    struct tm_perf_section records;
    struct tm_perf_section features[TM_PERF_FEATURES]; /* length 0: absent */
    /* private */
    struct tm_perf_section attrs;
    uint64_t attr_size;
};

/* True if HEAD (LEN bytes) begins a perf.data file. */
bool tm_perf_header_sniff(const uint8_t *head, size_t len);

/* Reads the header of WHOLE. TM_OK; TM_E_INPUT "byte N: cause"; TM_E_SYSTEM. */
enum tm_status tm_perf_header_read(struct tm_perf_header *header, const struct tm_extent *whole, struct tm_error *err);

/* Adds the events and ids that the header of a file has. The header of a pipe has none. TM_OK; TM_E_INPUT: a limit, or
 * damage; TM_E_SYSTEM. */
enum tm_status tm_perf_header_attrs(const struct tm_perf_header *header, const struct tm_extent *whole,
                                    struct tm_perf_attrs *attrs, struct tm_error *err);

/* Reads SECTION of WHOLE into OUT. TM_OK; TM_E_INPUT: a limit, or a section outside the file; TM_E_SYSTEM. */
enum { TM_PERF_SECTION_MAX = 64 << 20 };
enum tm_status tm_perf_section_read(struct tm_perf_section section, const struct tm_extent *whole, struct tm_buf *out,
                                    struct tm_error *err);

#endif
