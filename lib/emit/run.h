/* A stream from its first byte to its last, shown to one output or to several. */
#ifndef TM_EMIT_RUN_H
#define TM_EMIT_RUN_H

#include "emit/emit.h"
#include "select/spec.h"

/* An output and where it goes. */
struct tm_emit_target {
    const struct tm_emit *emit;
    int out_fd;               /* borrowed; -1 where the output wants PATH */
    const char *path;         /* NULL where it wants out_fd */
    const char *out_path;     /* where it will be named in the end; NULL: standard output */
};

struct tm_emit_run {
    int in_fd;                /* the stream; borrowed */
    const struct tm_emit_target *targets; /* each has the bytes that it would have alone */
    size_t target_count;
    struct tm_emit_options options;     /* out_path is the targets' */
    struct tm_accounting_limit limit;
    struct tm_sources *sources;         /* files that texts may be in, or NULL; borrowed */
    const struct tm_select_spec *only;  /* the events to show; NULL or not given: all */
    void (*warn)(const char *text);     /* told what was guessed or lost, and what is odd; NULL: nobody is */
};

/* Reads the stream to its end, has the outputs show it, and checks the accounts. The outputs are whole
 * when this says TM_OK. TM_E_INPUT: the stream is cut, damaged, or not what the output needs (sorted,
 * placed); TM_E_STRICT: more was lost than the limit allows, found when all has been written;
 * TM_E_SYSTEM: writing failed, or the accounts do not balance. */
enum tm_status tm_emit_run(const struct tm_emit_run *run, struct tm_error *err);

#endif
