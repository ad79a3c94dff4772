#include "stream/input_type.h"

static const char *const names[TM_INPUT_TYPES] = {
    [TM_INPUT_UNKNOWN] = "unknown",
    [TM_INPUT_DIRECTORY] = "directory",
    [TM_INPUT_TAR] = "tar",
    [TM_INPUT_ZIP] = "zip",
    [TM_INPUT_GZIP] = "gzip",
    [TM_INPUT_ZSTD] = "zstd",
    [TM_INPUT_CTRACE] = "ctrace",
    [TM_INPUT_MANIFEST] = "perfetto_manifest",
    [TM_INPUT_PROTO] = "proto",
    [TM_INPUT_SYMBOLS] = "symbols",
    [TM_INPUT_JSON] = "json",
    [TM_INPUT_SYSTRACE] = "systrace",
    [TM_INPUT_FUCHSIA] = "fuchsia",
    [TM_INPUT_GECKO] = "gecko",
    [TM_INPUT_INSTRUMENTS] = "instruments_xml",
    [TM_INPUT_ANDROID_LOGCAT] = "android_logcat",
    [TM_INPUT_JOURNAL_JSON] = "journal_json",
    [TM_INPUT_JOURNAL_EXPORT] = "journal_export",
    [TM_INPUT_PERF] = "perf",
    [TM_INPUT_PERF_SCRIPT] = "perf_text",
    [TM_INPUT_SIMPLEPERF] = "simpleperf_proto",
    [TM_INPUT_STRACE] = "strace",
    [TM_INPUT_TRACE_DAT] = "trace_dat",
    [TM_INPUT_CTF] = "ctf",
    [TM_INPUT_CTF_STREAM] = "ctf_stream",
    [TM_INPUT_NSIGHT] = "nsight_sqlite",
    [TM_INPUT_XSPACE] = "xspace",
    [TM_INPUT_OTLP] = "otlp",
    [TM_INPUT_JAEGER] = "jaeger",
    [TM_INPUT_ZIPKIN] = "zipkin",
    [TM_INPUT_ART_METHOD] = "art_method",
    [TM_INPUT_ART_METHOD_V2] = "art_method_v2",
    [TM_INPUT_ANDROID_DUMPSTATE] = "android_dumpstate",
    [TM_INPUT_NINJA_LOG] = "ninja_log",
    [TM_INPUT_CPUPROFILE] = "cpuprofile",
};

const char *tm_input_type_name(enum tm_input_type type)
{
    return names[type];
}

enum tm_input_type tm_input_type_of(struct tm_text name)
{
    for (int i = TM_INPUT_OTHER + 1; i < TM_INPUT_TYPES; i++)
        if (tm_text_is(name, names[i]))
            return (enum tm_input_type)i;
    return TM_INPUT_OTHER;
}
