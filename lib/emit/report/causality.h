/* The part of a report about effects that come before their causes in another file. Flows, spans and collectives across
 * files are tested on the merged times, like tm-align --check does (doc/alignment.md). */
#ifndef TM_EMIT_REPORT_CAUSALITY_H
#define TM_EMIT_REPORT_CAUSALITY_H

#include "align/alignment.h"

/* Zero-initialise, so release is always safe. */
struct tm_report_causality {
    struct tm_alignment alignment;
};

/* Begins. TEMPORARY_DIR is for temporary files and must stay valid until release. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_report_causality_begin(struct tm_report_causality *causality, const char *temporary_dir,
                                         struct tm_error *err);

/* Takes the next frame of a placed stream; BATCH is its view if it is a batch. TM_OK; TM_E_INPUT; TM_E_SYSTEM. */
enum tm_status tm_report_causality_add(struct tm_report_causality *causality, const struct tm_frame *frame,
                                       const struct tm_batch *batch, struct tm_error *err);

/* Tests all that was taken and appends the result to OUT: lines for people or, with JSON, an object whose member
 * "causality" is a list. OUT stays empty if nothing crosses files. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_report_causality_finish(struct tm_report_causality *causality, bool json, struct tm_buf *out,
                                          struct tm_error *err);

void tm_report_causality_release(struct tm_report_causality *causality);

#endif
