/* The targets of the fuzzer and of the replay of its corpus: one for each parser, container and stage.
 *
 * A target aborts if something is wrong. Beside what the sanitizers catch, these are wrong: a status that the target's
 * call does not document, an error without text or with a control byte in it, a stream of ours that the next stage
 * refuses, and accounts that do not balance. */
#ifndef TM_T_FUZZ_H
#define TM_T_FUZZ_H

#include "stream/event_sink.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct fuzz_target {
    const char *name;     /* and of its folder in t/fuzz/corpus */
    void (*run)(const struct fuzz_target *target, const uint8_t *data, size_t len);
    const void *with;     /* what RUN needs to know: a format, an output */
    unsigned max_bytes;   /* of an input: where more of them find nothing new */
    const char *dictionary; /* in t/fuzz, without .dict; NULL: none */
};

/* All of them, NULL-terminated names. */
extern const struct fuzz_target fuzz_targets[];

const struct fuzz_target *fuzz_find(const char *name);

#define FUZZ_CHECK(condition)                                                             \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            abort();                                                                      \
        }                                                                                 \
    } while (0)

/* Calls that fail on purpose (t/fuzz/faults.c); otherwise false. The harness calms its own calls. */
struct fuzz_fault {
    int calm;         /* above 0: the harness is at work */
    bool is_there;    /* a call of this run has failed on purpose */
    bool was_refused; /* the same input was damage when no call failed */
};
extern struct fuzz_fault fuzz_fault;

/* ST is TM_OK, TM_END or one of the failures in ALLOWED (bit 1: TM_E_INPUT, 3: TM_E_SYSTEM), and ERR states why. Once
 * a call has failed on purpose it may be TM_E_SYSTEM, but a file that is not damaged is not called so. */
void fuzz_check_status(enum tm_status st, unsigned allowed, const struct tm_error *err);

/* A temporary file without a name, empty. */
int fuzz_file(void);
/* One that holds LEN bytes, to be read from its start. */
int fuzz_file_of(const void *data, size_t len);
/* To its start. */
void fuzz_rewind(int fd);

/* Reads the stream FD to its end and checks that it is whole, that its frames agree with each other (catalog) and,
 * where BALANCED, that its accounts balance. */
void fuzz_check_stream(int fd, bool balanced);

/* CompactSched messages stay whole in the stream that SINK begins. */
void fuzz_leave_whole(struct tm_event_sink *sink);

/* What FORMAT makes of a file with DATA, as HOW says: what happens to damage, in pieces of which size. PATH is the
 * file's, or NULL. */
struct tm_format;
void fuzz_parse(const struct tm_format *format, const uint8_t *data, size_t len, uint8_t how, const char *path);

/* A stream out of loose notes of its frames (stream_notes.h). */
int fuzz_stream_of(const uint8_t *data, size_t len);

/* Has EMIT show the events of the stream IN that ONLY wants (NULL: all) to a file that is then gone. */
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
