/* The work of tm-manifest: reads a stream with the manifest as text, and writes it with the manifest checked and
 * resolved. Everything else is unchanged. */
#ifndef TM_MANIFEST_CONFIGURE_H
#define TM_MANIFEST_CONFIGURE_H

#include "manifest/manifest.h"
#include "manifest/draft_options.h"

struct tm_configure_options {
    const char *producer;      /* the program's name, for the header */
    struct tm_manifest *given; /* a manifest that was read without error, for input that has none; or NULL */
    const char *given_name;    /* its name, for warnings; NULL: none */
    /* Of `given', keep only the entries whose files are known when the first trace begins, and the entries to which
     * these refer. */
    bool present;
    bool replaces; /* `given' replaces the manifest in the stream, which is left out */
    const struct tm_draft_options *draft_options; /* from which a manifest is made if there is none; or NULL */
    bool strict;                                  /* a path that matches no file is an error */
    struct tm_buf *used; /* receives the text of the manifest that was used, given or made; or NULL */
    void (*warn)(const char *text); /* receives warnings, each valid during the call; NULL: they are dropped */
};

/* Reads a stream from IN_FD and writes it to OUT_FD, configured. The caller closes both. A stream that is already
 * configured passes unchanged. UNMATCHED gets a problem for each path that matches no file. TM_OK; TM_E_INPUT if the
 * stream or its manifest is wrong; TM_E_USAGE if the draft is; TM_E_STRICT if UNMATCHED has problems and strict is set;
 * TM_E_SYSTEM. After a failure OUT_FD has a stream without an END. */
enum tm_status tm_configure(int in_fd, int out_fd, const struct tm_configure_options *options,
                            struct tm_manifest_problems *unmatched, struct tm_error *err);

#endif
