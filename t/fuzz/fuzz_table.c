#include "fuzz.h"

#include "emit/outputs.h"
#include "format/art_method/art_method.h"
#include "format/chrome_json/chrome_json.h"
#include "format/cpuprofile/cpuprofile.h"
#include "format/ctf/ctf.h"
#include "format/dumpstate/dumpstate.h"
#include "format/fuchsia/fuchsia.h"
#include "format/gecko/gecko.h"
#include "format/instruments/instruments.h"
#include "format/journal/journal.h"
#include "format/logcat/logcat.h"
#include "format/ninja/ninja.h"
#include "format/nsight/nsight.h"
#include "format/perf_data/perf_data.h"
#include "format/simpleperf/simpleperf.h"
#include "format/spans/spans.h"
#include "format/text/perf_script.h"
#include "format/perfetto/perfetto.h"
#include "format/text/strace.h"
#include "format/ftrace/systrace.h"
#include "format/trace_dat/trace_dat.h"
#include "format/xspace/xspace.h"

enum { KIB = 1024 };

const struct fuzz_target fuzz_targets[] = {
    {"proto", fuzz_format, &tm_format_proto, 16 * KIB, "proto"},
    {"symbols", fuzz_format, &tm_format_symbols, 4 * KIB, "proto"},
    {"json", fuzz_format, &tm_format_chrome_json, 8 * KIB, "json"},
    {"systrace", fuzz_format, &tm_format_systrace, 8 * KIB, "systrace"},
    {"cpuprofile", fuzz_format, &tm_format_cpuprofile, 16 * KIB, "json"},
    {"gecko", fuzz_format, &tm_format_gecko, 16 * KIB, "gecko"},
    {"otlp", fuzz_format, &tm_format_otlp, 8 * KIB, "spans"},
    {"jaeger", fuzz_format, &tm_format_jaeger, 8 * KIB, "spans"},
    {"zipkin", fuzz_format, &tm_format_zipkin, 8 * KIB, "spans"},
    {"instruments", fuzz_format, &tm_format_instruments, 16 * KIB, "instruments"},
    {"perf_script", fuzz_format, &tm_format_perf_script, 4 * KIB, "perf_script"},
    {"perf_data", fuzz_format, &tm_format_perf_data, 16 * KIB, NULL},
    {"trace_dat", fuzz_format, &tm_format_trace_dat, 64 * KIB, NULL},
    {"trace_dat_child", fuzz_child, &tm_format_trace_dat, 8 * KIB, "child"},
    {"ctf_child", fuzz_child, &tm_format_ctf, 8 * KIB, "child"},
    {"ctf_folder", fuzz_ctf_folder, &tm_format_ctf, 16 * KIB, NULL},
    {"art_method", fuzz_format, &tm_format_art_method, 8 * KIB, NULL},
    {"art_method_v2", fuzz_format, &tm_format_art_method_v2, 8 * KIB, NULL},
    {"ninja", fuzz_format, &tm_format_ninja, 4 * KIB, NULL},
    {"simpleperf", fuzz_format, &tm_format_simpleperf, 8 * KIB, NULL},
    {"strace", fuzz_format, &tm_format_strace, 4 * KIB, "strace"},
    {"journal_json", fuzz_format, &tm_format_journal_json, 8 * KIB, "journal"},
    {"journal_export", fuzz_format, &tm_format_journal_export, 8 * KIB, "journal"},
    {"logcat", fuzz_format, &tm_format_logcat, 4 * KIB, "logcat"},
    {"dumpstate", fuzz_format, &tm_format_dumpstate, 8 * KIB, "logcat"},
    {"nsight", fuzz_format, &tm_format_nsight, 32 * KIB, NULL},
    {"xspace", fuzz_format, &tm_format_xspace, 8 * KIB, NULL},
    {"fxt", fuzz_format, &tm_format_fxt, 8 * KIB, NULL},
    {"tar", fuzz_unpack, NULL, 32 * KIB, "container"},
    {"zip", fuzz_unpack, NULL, 16 * KIB, "container"},
    {"gzip", fuzz_unpack, NULL, 8 * KIB, "container"},
    {"zstd", fuzz_unpack, NULL, 8 * KIB, "container"},
    {"ctrace", fuzz_unpack, NULL, 8 * KIB, "systrace"},
    {"documents", fuzz_unpack, NULL, 8 * KIB, "container"},
    {"merge", fuzz_merge, NULL, 32 * KIB, "container"},
    {"manifest", fuzz_manifest, NULL, 8 * KIB, "manifest"},
    {"reader", fuzz_reader, NULL, 8 * KIB, NULL},
    {"configure", fuzz_configure, NULL, 8 * KIB, "manifest"},
    {"clocks", fuzz_clocks, NULL, 8 * KIB, NULL},
    {"align", fuzz_align, NULL, 8 * KIB, NULL},
    {"sort", fuzz_sort, NULL, 8 * KIB, NULL},
    {"join", fuzz_join, NULL, 8 * KIB, NULL},
    {"cut", fuzz_cut, NULL, 8 * KIB, NULL},
    {"only", fuzz_only, NULL, 8 * KIB, NULL},
    {"emit-text", fuzz_emit, &tm_emit_text, 8 * KIB, NULL},
    {"emit-jsonl", fuzz_emit, &tm_emit_jsonl, 8 * KIB, NULL},
    {"emit-csv", fuzz_emit, &tm_emit_csv, 8 * KIB, NULL},
    {"emit-frames", fuzz_emit, &tm_emit_frames, 8 * KIB, NULL},
    {"emit-report", fuzz_emit, &tm_emit_report, 8 * KIB, NULL},
    {"emit-explain", fuzz_emit, &tm_emit_explain, 8 * KIB, NULL},
    {"emit-summary", fuzz_emit, &tm_emit_summary, 8 * KIB, NULL},
    {"emit-dropped", fuzz_emit, &tm_emit_dropped, 8 * KIB, NULL},
    {"emit-svg", fuzz_emit, &tm_emit_svg, 8 * KIB, NULL},
    {"emit-json", fuzz_emit, &tm_emit_json, 8 * KIB, NULL},
    {"emit-pftrace", fuzz_emit, &tm_emit_pftrace, 8 * KIB, NULL},
    {"emit-sqlite", fuzz_emit, &tm_emit_sqlite, 8 * KIB, NULL},
    {NULL, NULL, NULL, 0, NULL},
};

const struct fuzz_target *fuzz_find(const char *name)
{
    for (const struct fuzz_target *t = fuzz_targets; t->name; t++)
        if (strcmp(t->name, name) == 0)
            return t;
    return NULL;
}
