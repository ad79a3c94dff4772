/* Functions of files, by address. simpleperf states those that its samples contain. Zero-initialise; add files and
 * functions, then settle, then find. */
#ifndef TM_FORMAT_PERF_DATA_SYMBOLS_H
#define TM_FORMAT_PERF_DATA_SYMBOLS_H

#include "base/map.h"
#include "format/perf_data/mappings.h"

enum { TM_PERF_SYMBOLS_MAX = 1 << 22 }; /* functions of one file of perf.data */

struct tm_perf_symbol_file {
    uint32_t name;    /* the text that mappings of the file have as name */
    uint64_t bias;    /* what an offset in the file lacks to the addresses of its functions */
    bool is_absolute; /* the functions have addresses of the process or of the kernel, not of the file */
};

struct tm_perf_symbol {
    uint64_t start, len; /* addresses */
    uint32_t name;       /* text */
    uint32_t file;       /* private */
};

struct tm_perf_symbols {
    /* private */
    struct tm_perf_symbol_file *files;
    struct tm_perf_symbol *list;
    uint32_t file_count, file_cap, count, cap;
    struct tm_map file_of_name;
};

/* Adds FILE. Functions that are added next belong to it. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_perf_symbols_file(struct tm_perf_symbols *symbols, const struct tm_perf_symbol_file *file,
                                    struct tm_error *err);

/* Adds a function of the last file. TM_OK; TM_E_INPUT: a limit; TM_E_SYSTEM. */
enum tm_status tm_perf_symbols_add(struct tm_perf_symbols *symbols, const struct tm_perf_symbol *symbol,
                                   struct tm_error *err);

/* Sorts the functions by address, after the last one was added. */
void tm_perf_symbols_settle(struct tm_perf_symbols *symbols);

/* The text that names the function at ADDRESS, which MAPPING covers; TM_PERF_NO_TEXT if none is known. */
uint32_t tm_perf_symbols_find(const struct tm_perf_symbols *symbols, const struct tm_perf_mapping *mapping,
                              uint64_t address);

void tm_perf_symbols_release(struct tm_perf_symbols *symbols);

#endif
