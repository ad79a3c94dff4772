/* The types of input files, as File.type names them: formats, containers, the manifest (doc/rules.md section 1). */
#ifndef TM_STREAM_INPUT_TYPE_H
#define TM_STREAM_INPUT_TYPE_H

#include "base/text.h"

enum tm_input_type {
    TM_INPUT_OTHER, /* none yet, or one that this version does not know */
    TM_INPUT_UNKNOWN, /* "unknown": its bytes do not show a type */
    TM_INPUT_DIRECTORY,
    TM_INPUT_TAR,
    TM_INPUT_ZIP,
    TM_INPUT_GZIP,
    TM_INPUT_ZSTD,
    TM_INPUT_CTRACE,
    TM_INPUT_MANIFEST,
    TM_INPUT_PROTO,
    TM_INPUT_SYMBOLS,
    TM_INPUT_JSON,
    TM_INPUT_SYSTRACE,
    TM_INPUT_FUCHSIA,
    TM_INPUT_GECKO,
    TM_INPUT_INSTRUMENTS,
    TM_INPUT_ANDROID_LOGCAT,
    TM_INPUT_JOURNAL_JSON,
    TM_INPUT_JOURNAL_EXPORT,
    TM_INPUT_PERF,
    TM_INPUT_PERF_SCRIPT,
    TM_INPUT_SIMPLEPERF,
    TM_INPUT_STRACE,
    TM_INPUT_TRACE_DAT,
    TM_INPUT_CTF,
    TM_INPUT_CTF_STREAM,
    TM_INPUT_NSIGHT,
    TM_INPUT_XSPACE,
    TM_INPUT_OTLP,
    TM_INPUT_JAEGER,
    TM_INPUT_ZIPKIN,
    TM_INPUT_ART_METHOD,
    TM_INPUT_ART_METHOD_V2,
    TM_INPUT_ANDROID_DUMPSTATE,
    TM_INPUT_NINJA_LOG,
    TM_INPUT_CPUPROFILE,
    TM_INPUT_TYPES
};

/* Returns "json", "tar", …; NULL for TM_INPUT_OTHER. */
const char *tm_input_type_name(enum tm_input_type type);

/* Returns the type called NAME, or TM_INPUT_OTHER. */
enum tm_input_type tm_input_type_of(struct tm_text name);

#endif
