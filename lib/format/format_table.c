#include "format/format.h"

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

/* In the order of doc/rules.md section 1: the first format whose sniffer accepts wins. Containers and the manifest are
 * tried before them (lib/unpack/file_type.c). */
static const struct tm_format *const formats[] = {
    &tm_format_fxt, /* eight bytes that no other format begins with */
    &tm_format_simpleperf,  /* ten letters */
    &tm_format_nsight,      /* sixteen bytes of SQLite */
    &tm_format_xspace,      /* a first plane; no packet begins like it */
    &tm_format_perf_data,   /* eight bytes */
    &tm_format_art_method,  /* six bytes, or a line of nine */
    &tm_format_art_method_v2,
    &tm_format_trace_dat,   /* ten bytes of trace-cmd */
    &tm_format_ninja,       /* thirteen letters */
    &tm_format_ctf,         /* four bytes, or eight of text */
    &tm_format_ctf_stream,  /* four bytes */
    &tm_format_symbols,
    &tm_format_proto,       /* a plausible first packet, whatever its strings hold */
    &tm_format_journal_export,
    &tm_format_journal_json, /* recognized by names of journald; before other JSON */
    &tm_format_gecko,
    &tm_format_otlp, /* JSON objects or arrays; before Chrome JSON */
    &tm_format_jaeger,
    &tm_format_zipkin,
    &tm_format_cpuprofile, /* a JSON object that begins with a call tree or its times; before Chrome JSON */
    &tm_format_chrome_json,
    &tm_format_instruments,
    &tm_format_dumpstate,   /* a line of = and "== dumpstate: " */
    &tm_format_logcat,
    &tm_format_logcat_monotonic,
    &tm_format_perf_script, /* recognized by line shape; before systrace's "a space" */
    &tm_format_strace,
    &tm_format_systrace,
    &tm_format_proto_any, /* a first byte that a packet can begin with */
    NULL,
};

const struct tm_format *tm_format_sniff(const uint8_t *head, size_t len)
{
    for (size_t i = 0; formats[i]; i++)
        if (formats[i]->sniff(head, len))
            return formats[i];
    return NULL;
}
