/* What a method trace states besides its records: the methods, the threads, the process and the clock. */
#ifndef TM_FORMAT_ART_METHOD_FACTS_H
#define TM_FORMAT_ART_METHOD_FACTS_H

#include "base/buf.h"
#include "base/map.h"
#include "base/text.h"

struct tm_art_method {
    uint32_t at;       /* where its name is in the texts; the path of its source file follows */
    uint32_t name_len; /* in bytes */
    uint32_t path_len; /* in bytes; 0: no path is stated */
    uint32_t line;     /* in the source file */
    uint32_t string;   /* the number of the name in the sink; 0: none yet */
    bool has_line;
};

struct tm_art_thread {
    uint32_t number;  /* the kernel's, or one of the runtime's own (tm_art_facts_have_own_numbers) */
    uint32_t at, len; /* its name in the texts */
    bool is_stated;   /* the file states it */
    bool is_shown;    /* its rows have been written */
};

enum tm_art_clock { TM_ART_CLOCK_UNSTATED, TM_ART_CLOCK_WALL, TM_ART_CLOCK_DUAL, TM_ART_CLOCK_CPU };

/* A section of the text that states facts. */
enum tm_art_section {
    TM_ART_SECTION_NONE,
    TM_ART_SECTION_VERSION,
    TM_ART_SECTION_OPTIONS,
    TM_ART_SECTION_THREADS,
    TM_ART_SECTION_METHODS,
    TM_ART_SECTION_END
};

/* Zero-initialise. */
struct tm_art_facts {
    enum tm_art_clock clock;
    bool has_overflow; /* records were lost, because the runtime's buffer was full */
    bool has_pid;
    int64_t pid;
    uint32_t version;            /* as the text states it; 0: it does not */
    enum tm_art_section section; /* of the next line */
    uint64_t left_out;           /* facts beyond the limits */
    struct tm_art_thread *threads;
    uint32_t thread_count;
    /* private */
    uint32_t thread_cap;
    struct tm_art_method *methods;
    uint32_t method_count, method_cap;
    struct tm_map thread_of_number, method_of_id; /* their places */
    struct tm_buf texts;
};

/* Each adds a fact and copies its text. The first one about a thread or a method holds. TM_OK or TM_E_SYSTEM.
 *
 * TEXT of a method has its words, separated by tabs: the class, and then nothing, "METHOD SIGNATURE [PATH [LINE]]", or
 * "PATH LINE". */
enum tm_status tm_art_facts_thread(struct tm_art_facts *facts, uint32_t number, struct tm_text name,
                                   struct tm_error *err);
enum tm_status tm_art_facts_method(struct tm_art_facts *facts, uint64_t id, struct tm_text text, struct tm_error *err);

/* Reads LINE, without its newline, of the text that states facts. TM_OK; TM_E_INPUT, with the cause alone; TM_E_SYSTEM.
 */
enum tm_status tm_art_facts_line(struct tm_art_facts *facts, struct tm_text line, struct tm_error *err);

/* Finds thread NUMBER, or adds it without a name. NULL: there are too many, and one more is counted; *ERR then has a
 * failure if memory ran out. */
struct tm_art_thread *tm_art_facts_find_thread(struct tm_art_facts *facts, uint32_t number, struct tm_error *err);

/* True if the numbers of threads are not those of the kernel: the process is stated, and no thread has its number.
 * Newer versions of the runtime count threads from 1 where a record has 16 bits for their number. */
bool tm_art_facts_have_own_numbers(const struct tm_art_facts *facts);

/* Returns the method ID, or NULL. */
struct tm_art_method *tm_art_facts_find_method(const struct tm_art_facts *facts, uint64_t id);

/* Return texts of the facts. They are valid until a fact is added. */
struct tm_text tm_art_method_name(const struct tm_art_facts *facts, const struct tm_art_method *method);
struct tm_text tm_art_method_path(const struct tm_art_facts *facts, const struct tm_art_method *method);
struct tm_text tm_art_thread_name(const struct tm_art_facts *facts, const struct tm_art_thread *thread);

void tm_art_facts_release(struct tm_art_facts *facts);

#endif
