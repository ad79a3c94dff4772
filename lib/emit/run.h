/* Reads a stream from its first byte to its last and shows it to one or several outputs. */
#ifndef TM_EMIT_RUN_H
#define TM_EMIT_RUN_H

#include "emit/emit.h"
#include "os/memory_limit.h"
#include "select/spec.h"

/* An output and its destination. */
struct tm_emit_target {
    const struct tm_emit *emit;
    int out_fd;               /* borrowed; -1 if the output needs PATH */
    const char *path;         /* NULL if the output needs out_fd */
    const char *out_path;     /* its final name; NULL: standard output */
};

struct tm_emit_run {
    int in_fd;                /* the stream; borrowed */
    const struct tm_emit_target *targets; /* the bytes of each do not depend on the others */
    size_t target_count;
    struct tm_emit_options options;     /* out_path is taken from the targets */
    struct tm_accounting_limit limit;
    struct tm_sources *sources;         /* files that may hold the text of events, or NULL; borrowed */
    const struct tm_select_spec *only;  /* the events to show; NULL or empty: all */
    void (*warn)(const char *text);     /* receives warnings; NULL: there are none */
    struct tm_memory_limit *memory;     /* NULL: not limited; borrowed */
};

/* Reads the stream to its end, shows it to the outputs, and checks the accounts. The outputs are complete if it returns
 * TM_OK. TM_E_INPUT: the stream is truncated, damaged, or not what the output needs (sorted, placed), or needs more
 * memory than allowed; TM_E_STRICT: more was lost than the limit allows, known after everything was written;
 * TM_E_SYSTEM: writing failed, or the accounts do not balance. */
enum tm_status tm_emit_run(const struct tm_emit_run *run, struct tm_error *err);

#endif
