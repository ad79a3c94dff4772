/* The work of tm-manifest: a stream with the manifest as text becomes one with the manifest checked
 * and resolved, everything else unchanged. */
#ifndef TM_MANIFEST_CONFIGURE_H
#define TM_MANIFEST_CONFIGURE_H

#include "manifest/manifest.h"
#include "manifest/plan_words.h"

struct tm_configure_options {
    const char *producer;            /* the program's name, for the header */
    const struct tm_manifest *given; /* a manifest that was read well, for input that has none; or NULL */
    bool replaces; /* `given' is taken in place of the manifest in the stream, which is left out */
    const struct tm_plan_words *plan; /* a manifest is made of them where there is none; or NULL */
    bool strict;                     /* a path that matches no file is an error */
    struct tm_buf *used;             /* receives the text of the manifest that was used, given or made; or NULL */
    void (*warn)(const char *text);  /* told what is odd; NULL: nobody is */
};

/* Reads a stream from IN_FD and writes it to OUT_FD, configured. Both stay the caller's. A stream that is configured
 * already passes through. UNMATCHED gets a problem for each path that matches no file. TM_OK; TM_E_INPUT (the stream
 * or its manifest is at fault); TM_E_USAGE (the plan is); TM_E_STRICT (UNMATCHED has some and strict is set);
 * TM_E_SYSTEM. After a failure OUT_FD holds a stream that was cut. */
enum tm_status tm_configure(int in_fd, int out_fd, const struct tm_configure_options *options,
                            struct tm_manifest_problems *unmatched, struct tm_error *err);

#endif
