/* A stream from its first byte to its last, shown to one output. */
#ifndef TM_EMIT_RUN_H
#define TM_EMIT_RUN_H

#include "emit/emit.h"
#include "select/spec.h"

struct tm_emit_run {
    int in_fd;                /* the stream; borrowed */
    int out_fd;               /* -1 where the output wants PATH */
    const char *path;         /* NULL where it wants out_fd */
    const struct tm_emit *emit;
    struct tm_emit_options options;
    struct tm_accounting_limit limit;
    struct tm_sources *sources;         /* files that texts may be in, or NULL; borrowed */
    const struct tm_select_spec *only;  /* the events to show; NULL or not given: all */
    void (*warn)(const char *text);     /* told what was guessed or lost, and what is odd; NULL: nobody is */
};

/* Reads the stream to its end, has the output show it, and checks the accounts. The output is whole
 * when this says TM_OK. TM_E_INPUT: the stream is cut, damaged, or not what the output needs (sorted,
 * placed); TM_E_STRICT: more was lost than the limit allows, found when all has been written;
 * TM_E_SYSTEM: writing failed, or the accounts do not balance. */
enum tm_status tm_emit_run(const struct tm_emit_run *run, struct tm_error *err);

#endif
