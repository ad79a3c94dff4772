/* The tables of a Fuchsia trace: the providers, and for each its strings, threads and ticks. An entry may be replaced
 * at any time. Later records then refer to the new entry. */
#ifndef TM_FORMAT_FUCHSIA_TABLES_H
#define TM_FORMAT_FUCHSIA_TABLES_H

#include "base/map.h"
#include "format/fuchsia/words.h"

/* Limits for all providers together. A file that exceeds them is refused. */
enum { TM_FXT_PROVIDERS_MAX = 1 << 14, TM_FXT_STRINGS_MAX = 1 << 20, TM_FXT_STRING_BYTES_MAX = 64 << 20 };

struct tm_fxt_thread {
    int64_t pid, tid; /* koids */
};

/* Zero-initialise. */
struct tm_fxt_tables {
    /* private */
    struct tm_map providers; /* id to number */
    uint64_t *ticks;         /* per second, by provider number */
    uint32_t provider_count, provider_cap;
    uint32_t current;
    bool has_current;
    struct tm_map strings; /* number << 16 | index */
    struct tm_fxt_string *texts;
    uint32_t text_cap;
    size_t text_bytes;
    struct tm_map threads; /* number << 8 | index */
    struct tm_fxt_thread *thread_rows;
    uint32_t thread_cap;
};

/* Makes ID the current provider, with empty tables. TM_OK; TM_E_INPUT "more than …"; or TM_E_SYSTEM. */
enum tm_status tm_fxt_tables_provider(struct tm_fxt_tables *tables, uint32_t id, struct tm_error *err);

/* Makes ID the current provider again. If ID was never announced, there is no current provider. */
void tm_fxt_tables_section(struct tm_fxt_tables *tables, uint32_t id);

static inline bool tm_fxt_tables_has_provider(const struct tm_fxt_tables *tables)
{
    return tables->has_current;
}

/* Ticks per second of the current provider. This and the functions below need a current provider. */
uint64_t *tm_fxt_tables_ticks(struct tm_fxt_tables *tables);

/* Makes TEXT string INDEX of the provider. Copies it. TM_OK; TM_E_INPUT "more than …"; or TM_E_SYSTEM. */
enum tm_status tm_fxt_tables_set_string(struct tm_fxt_tables *tables, uint32_t index, struct tm_text text,
                                        struct tm_error *err);
/* Sets *TEXT to string INDEX, valid until the string is set again. False if there is none. */
bool tm_fxt_tables_string(const struct tm_fxt_tables *tables, uint32_t index, struct tm_text *text);

/* Makes THREAD thread INDEX of the provider. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_fxt_tables_set_thread(struct tm_fxt_tables *tables, uint32_t index,
                                        const struct tm_fxt_thread *thread, struct tm_error *err);
/* Sets *THREAD to thread INDEX. False if there is none. */
bool tm_fxt_tables_thread(const struct tm_fxt_tables *tables, uint32_t index, struct tm_fxt_thread *thread);

void tm_fxt_tables_release(struct tm_fxt_tables *tables);

#endif
