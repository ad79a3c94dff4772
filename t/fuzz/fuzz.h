/* The targets of the fuzzer and of the replay of its corpus: one for each parser, container and stage.
 *
 * A target aborts at an error. Besides the errors that sanitizers detect, these are errors: a status that the target's
 * call does not document, an error without text or with a control byte in it, a stream of ours that the next stage
 * refuses, and accounts that do not balance. */
#ifndef TM_T_FUZZ_H
#define TM_T_FUZZ_H

#include "stream/event_sink.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct fuzz_target {
    const char *name;     /* also of its archive in t/fuzz/corpus */
    void (*run)(const struct fuzz_target *target, const uint8_t *data, size_t len);
    const void *with;     /* an argument of RUN: a format, an output */
    unsigned max_bytes;   /* of an input; longer ones find nothing new */
    const char *dictionary; /* in t/fuzz, without .dict; NULL: none */
};

/* All targets; the last has the name NULL. */
extern const struct fuzz_target fuzz_targets[];

const struct fuzz_target *fuzz_find(const char *name);

#define FUZZ_CHECK(condition)                                                             \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            abort();                                                                      \
        }                                                                                 \
    } while (0)

/* The state of calls that fail on purpose (t/fuzz/faults.c); otherwise all false. The harness exempts its own calls. */
struct fuzz_fault {
    int calm;         /* above 0: calls of the harness, which do not fail */
    bool is_there;    /* a call of this run has failed on purpose */
    bool was_refused; /* the same input was damage without a failing call */
};
extern struct fuzz_fault fuzz_fault;

/* Checks that ST is TM_OK, TM_END or one of the failures in ALLOWED (bit 1: TM_E_INPUT, 3: TM_E_SYSTEM), and that ERR
 * states the reason. After a call has failed on purpose, TM_E_SYSTEM is allowed too, but an undamaged file must not be
 * reported as damaged. */
void fuzz_check_status(enum tm_status st, unsigned allowed, const struct tm_error *err);

/* Returns an empty temporary file without a name. */
int fuzz_file(void);
/* Returns a temporary file with LEN bytes, rewound. */
int fuzz_file_of(const void *data, size_t len);
/* Rewinds FD. */
void fuzz_rewind(int fd);

/* Reads the stream FD to its end. Checks that it is complete, that its frames agree with each other (catalog) and, if
 * BALANCED, that its accounts balance. */
void fuzz_check_stream(int fd, bool balanced);

/* Lets CompactSched messages stay whole in the stream that SINK begins. */
void fuzz_leave_whole(struct tm_event_sink *sink);

/* Runs FORMAT on a file with DATA. HOW chooses the handling of damage and the size of pieces. PATH is the file's, or
 * NULL. */
struct tm_format;
void fuzz_parse(const struct tm_format *format, const uint8_t *data, size_t len, uint8_t how, const char *path);

/* Returns a stream made from notes of its frames (stream_notes.h). */
int fuzz_stream_of(const uint8_t *data, size_t len);

/* Lets EMIT write the events of the stream IN that ONLY chooses (NULL: all) to a file, and removes the file. */
struct tm_emit;
struct tm_emit_options;
struct tm_select_spec;
enum tm_status fuzz_emit_stream(int in, const struct tm_emit *emit, const struct tm_emit_options *options,
                                const struct tm_select_spec *only, struct tm_error *err);

/* Targets, by file. */
void fuzz_format(const struct fuzz_target *target, const uint8_t *data, size_t len);
void fuzz_child(const struct fuzz_target *target, const uint8_t *data, size_t len);
void fuzz_ctf_folder(const struct fuzz_target *target, const uint8_t *data, size_t len);
void fuzz_unpack(const struct fuzz_target *target, const uint8_t *data, size_t len);
void fuzz_merge(const struct fuzz_target *target, const uint8_t *data, size_t len);
void fuzz_manifest(const struct fuzz_target *target, const uint8_t *data, size_t len);
void fuzz_reader(const struct fuzz_target *target, const uint8_t *data, size_t len);
void fuzz_configure(const struct fuzz_target *target, const uint8_t *data, size_t len);
void fuzz_clocks(const struct fuzz_target *target, const uint8_t *data, size_t len);
void fuzz_align(const struct fuzz_target *target, const uint8_t *data, size_t len);
void fuzz_sort(const struct fuzz_target *target, const uint8_t *data, size_t len);
void fuzz_join(const struct fuzz_target *target, const uint8_t *data, size_t len);
void fuzz_emit(const struct fuzz_target *target, const uint8_t *data, size_t len);
void fuzz_only(const struct fuzz_target *target, const uint8_t *data, size_t len);
void fuzz_cut(const struct fuzz_target *target, const uint8_t *data, size_t len);

#endif
