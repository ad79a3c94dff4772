/* The tables of a Fuchsia trace: its providers, and each one's strings, threads and ticks. An entry may
 * be replaced at any time; what follows refers to the new one. */
#ifndef TM_FORMAT_FUCHSIA_TABLES_H
#define TM_FORMAT_FUCHSIA_TABLES_H

#include "base/map.h"
#include "format/fuchsia/words.h"

/* Of all providers together; past them a file is refused. */
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

/* What follows is of provider ID, which starts with empty tables. TM_OK, or an error "more than …". */
enum tm_status tm_fxt_tables_provider(struct tm_fxt_tables *tables, uint32_t id, struct tm_error *err);

/* What follows is of provider ID again; of none where there was no such. */
void tm_fxt_tables_section(struct tm_fxt_tables *tables, uint32_t id);

static inline bool tm_fxt_tables_has_provider(const struct tm_fxt_tables *tables)
{
    return tables->has_current;
}

/* Ticks per second of the current provider. All that follows needs that there is one. */
uint64_t *tm_fxt_tables_ticks(struct tm_fxt_tables *tables);

enum tm_status tm_fxt_tables_set_string(struct tm_fxt_tables *tables, uint32_t index, struct tm_span text,
                                        struct tm_error *err);
/* False: there is no string INDEX. */
bool tm_fxt_tables_string(const struct tm_fxt_tables *tables, uint32_t index, struct tm_span *text);

enum tm_status tm_fxt_tables_set_thread(struct tm_fxt_tables *tables, uint32_t index,
                                        const struct tm_fxt_thread *thread, struct tm_error *err);
bool tm_fxt_tables_thread(const struct tm_fxt_tables *tables, uint32_t index, struct tm_fxt_thread *thread);

void tm_fxt_tables_release(struct tm_fxt_tables *tables);

#endif
