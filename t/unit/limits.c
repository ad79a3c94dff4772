/* Checks that doc/tm-limits.7 states the limits of the source. */
#include "align/candidates.h"
#include "kernel/rss_members.h"
#include "model/translations.h"
#include "align/evidence.h"
#include "align/rhythm.h"
#include "os/memory_limit.h"
#include "os/program.h"
#include "os/stack.h"
#include "os/subprocess.h"
#include "json/scan.h"
#include "container/limits.h"
#include "cut/cut.h"
#include "cut/open_units.h"
#include "emit/paths.h"
#include "emit/track_owners.h"
#include "emit/chrome_json/events.h"
#include "emit/chrome_json/slices.h"
#include "emit/perfetto/clock_rows.h"
#include "emit/perfetto/pending_names.h"
#include "emit/perfetto/sample_writer.h"
#include "emit/late_threads.h"
#include "stream/slice_tids.h"
#include "emit/perfetto/trace_stats.h"
#include "emit/perfetto/v8_isolates.h"
#include "emit/output_list.h"
#include "emit/single_events.h"
#include "emit/task_names.h"
#include "emit/text/arg_tree.h"
#include "emit/text/unfinished_rows.h"
#include "format/art_method/art_method.h"
#include "format/chrome_json/chrome_json.h"
#include "format/ctf/ctf.h"
#include "format/fuchsia/tables.h"
#include "format/gecko/gecko.h"
#include "format/instruments/instruments.h"
#include "format/perfetto/ftrace_generic.h"
#include "format/v8_profile.h"
#include "format/text/perf_script.h"
#include "format/perfetto/heap_totals.h"
#include "format/perfetto/internal.h"
#include "format/perfetto/rows.h"
#include "format/perfetto/stated.h"
#include "format/ninja/ninja.h"
#include "format/nsight/nsight.h"
#include "format/perf_data/counts.h"
#include "format/perf_data/header.h"
#include "format/perf_data/internal.h"
#include "format/perf_data/mappings.h"
#include "format/perf_data/task_names.h"
#include "format/perf_data/tracepoints.h"
#include "format/simpleperf/simpleperf.h"
#include "format/journal/journal.h"
#include "format/spans/spans.h"
#include "format/dumpstate/battery.h"
#include "format/dumpstate/facts.h"
#include "format/logcat/logcat.h"
#include "format/logcat/rows.h"
#include "format/text/strace.h"
#include "format/ftrace/systrace.h"
#include "format/child_event.h"
#include "format/trace_dat/library.h"
#include "format/xspace/xspace.h"
#include "manifest/json_text.h"
#include "manifest/problems.h"
#include "model/binder_rows.h"
#include "model/heap_graph.h"
#include "model/gpus.h"
#include "model/kernel_rows.h"
#include "model/descriptors.h"
#include "model/lanes.h"
#include "emit/span_flows.h"
#include "manifest/clock_points.h"
#include "stream/timestamp_group.h"
#include "model/sched.h"
#include "model/slices.h"
#include "select/open_slices.h"
#include "select/pending_groups.h"
#include "sort/file_order.h"
#include "stream/batch.h"
#include "stream/event_counts.h"
#include "stream/frame.h"
#include "limit_rows.h"
#include "tap.h"
#include "unpack/unpack.h"

#include <stdlib.h>

static const struct limit limits[] = {
    LIMIT(TM_FILES_MAX),
    LIMIT(TM_NAME_BYTES_MAX),
    LIMIT(TM_NAMES_BYTES_MAX),
    LIMIT(TM_DEPTH_MAX),
    LIMIT(TM_EXPANSION_BYTES_MIN),
    LIMIT(TM_PAX_BYTES_MAX),
    LIMIT(TM_INPUT_WINDOW_MAX),
    LIMIT(TM_MANIFEST_BYTES_MAX),
    LIMIT(TM_JSON_TEXT_VALUES_MAX),
    LIMIT(TM_JSON_TEXT_DEPTH_MAX),
    LIMIT(TM_MANIFEST_POINTS_MAX),
    LIMIT(TM_MANIFEST_PROBLEMS_MAX),
    LIMIT(TM_PROTO_PACKET_BYTES_MAX),
    LIMIT(TM_PROTO_EXPANDED_MAX),
    LIMIT(TM_PROTO_DETAIL_BYTES_FREE),
    LIMIT(TM_PROTO_REPEATED_BYTES_FREE),
    LIMIT(TM_PROTO_INTERNED_MAX),
    LIMIT(TM_PROTO_INTERNED_BYTES_MAX),
    LIMIT(TM_PROTO_SEQUENCES_MAX),
    LIMIT(TM_PROTO_TRACKS_MAX),
    LIMIT(TM_PROTO_CPUS_MAX),
    LIMIT(TM_PROTO_CPU_MAX),
    LIMIT(TM_PROTO_FRAMES_MAX),
    LIMIT(TM_PROTO_STATED_MAX),
    LIMIT(TM_PROTO_TOTALS_VALUES_FREE),
    LIMIT(TM_DESCRIBED_TYPES_MAX),
    LIMIT(TM_DESCRIBED_FIELDS_MAX),
    LIMIT(TM_DESCRIBED_DEPTH_MAX),
    LIMIT(TM_DESCRIBED_BYTES_MAX),
    LIMIT(TM_PROTO_DEPTH_MAX),
    LIMIT(TM_JSON_EVENT_BYTES_MAX),
    LIMIT(TM_JSON_TOP_BYTES_MAX),
    LIMIT(TM_JSON_DEPTH_MAX),
    LIMIT(TM_PROFILE_NODES_MAX),
    LIMIT(TM_PROFILE_DEPTH_MAX),
    LIMIT(TM_SYSTRACE_LINE_MAX),
    LIMIT(TM_STRACE_LINE_MAX),
    LIMIT(TM_JOURNAL_ENTRY_MAX),
    LIMIT(TM_JOURNAL_FIELD_MAX),
    LIMIT(TM_JOURNAL_BOOTS_MAX),
    LIMIT(TM_LOGCAT_LINE_MAX),
    LIMIT(TM_LOGCAT_MESSAGE_MAX),
    LIMIT(TM_LOGCAT_REPORT_MESSAGES_MAX),
    LIMIT(TM_DUMPSTATE_LINE_MAX),
    LIMIT(TM_BATTERY_TEXTS_MAX),
    LIMIT(TM_BATTERY_TEXT_BYTES_MAX),
    LIMIT(TM_PERF_LINE_MAX),
    LIMIT(TM_PERF_FRAMES_MAX),
    LIMIT(TM_INSTRUMENTS_TAG_MAX),
    LIMIT(TM_INSTRUMENTS_TEXT_MAX),
    LIMIT(TM_INSTRUMENTS_DEPTH_MAX),
    LIMIT(TM_INSTRUMENTS_FRAMES_MAX),
    LIMIT(TM_INSTRUMENTS_STACK_BYTES),
    LIMIT(TM_FORMAT_CPU_MAX),
    LIMIT(TM_PERF_ATTRS_MAX),
    LIMIT(TM_PERF_IDS_MAX),
    LIMIT(TM_PERF_EVENT_NAME_MAX),
    LIMIT(TM_PERF_STACK_BYTES_MAX),
    LIMIT(TM_PERF_SECTION_MAX),
    LIMIT(TM_PERF_MAPPINGS_MAX),
    LIMIT(TM_PERF_RECORD_BYTES_MAX),
    LIMIT(TM_PERF_SYMBOLS_MAX),
    LIMIT(TM_PERF_SPACES_MAX),
    LIMIT(TM_PERF_TEXTS_MAX),
    LIMIT(TM_PERF_TEXT_BYTES_MAX),
    LIMIT(TM_PERF_ANCESTORS_MAX),
    LIMIT(TM_PERF_LAST_COUNTS_MAX),
    LIMIT(TM_HEAP_TOTALS_MAX),
    LIMIT(TM_HEAP_REFERENCES_MAX),
    LIMIT(TM_STACK_BYTES),
    LIMIT(TM_JOBS_MAX),
    LIMIT(TM_PERF_TASK_NAMES_MAX),
    LIMIT(TM_TRACE_DAT_BUFFERS_MAX),
    LIMIT(TM_CHILD_EVENT_TEXT_MAX),
    LIMIT(TM_CTF_NAMED_MAX),
    LIMIT(TM_SUBPROCESS_MIB_MAX),
    LIMIT(TM_SUBPROCESS_SILENCE_S),
    LIMIT(TM_PERF_TASK_NAME_BYTES_MAX),
    LIMIT(TM_TRACEPOINTS_MAX),
    LIMIT(TM_TRACEPOINT_FIELDS_MAX),
    LIMIT(TM_TRACEPOINT_OWN_FIELDS_MAX),
    LIMIT(TM_TRACEPOINT_BYTES_MAX),
    LIMIT(TM_TRACEPOINT_TEXT_MAX),
    LIMIT(TM_ART_METHODS_MAX),
    LIMIT(TM_ART_NAME_BYTES_MAX),
    LIMIT(TM_ART_THREADS_MAX),
    LIMIT(TM_ART_LINE_MAX),
    LIMIT(TM_NINJA_LINE_MAX),
    LIMIT(TM_NINJA_JOBS_MAX),
    LIMIT(TM_NINJA_NAME_BYTES_MAX),
    LIMIT(TM_SIMPLEPERF_FILES_MAX),
    LIMIT(TM_SIMPLEPERF_SYMBOLS_MAX),
    LIMIT(TM_SIMPLEPERF_NAMES_MAX),
    LIMIT(TM_SIMPLEPERF_TYPE_NAME_MAX),
    LIMIT(TM_SIMPLEPERF_FRAMES_MAX),
    LIMIT(TM_SIMPLEPERF_STACK_BYTES_MAX),
    LIMIT(TM_GECKO_PROCESSES_MAX),
    LIMIT(TM_GECKO_THREADS_MAX),
    LIMIT(TM_GECKO_NESTING_MAX),
    LIMIT(TM_GECKO_LIST_MAX),
    LIMIT(TM_GECKO_NAME_BYTES),
    LIMIT(TM_GECKO_FRAMES_MAX),
    LIMIT(TM_GECKO_ARGS_BYTES),
    LIMIT(TM_GECKO_STACK_BYTES),
    LIMIT(TM_GECKO_TRACKS_MAX),
    LIMIT(TM_SPANS_SERVICES_MAX),
    LIMIT(TM_SPANS_TRACKS_MAX),
    LIMIT(TM_SPANS_PROCESSES_MAX),
    LIMIT(TM_SPANS_LINKS_MAX),
    LIMIT(TM_SPANS_LABELS_MAX),
    LIMIT(TM_SPANS_WINDOW_BYTES),
    LIMIT(TM_FXT_PROVIDERS_MAX),
    LIMIT(TM_FXT_STRINGS_MAX),
    LIMIT(TM_FXT_STRING_BYTES_MAX),
    LIMIT(TM_NSIGHT_TABLES_MAX),
    LIMIT(TM_NSIGHT_TEXT_MAX),
    LIMIT(TM_NSIGHT_THREADS_MAX),
    LIMIT(TM_NSIGHT_NAMES_MAX),
    LIMIT(TM_XSPACE_PLANES_MAX),
    LIMIT(TM_XSPACE_NAMES_MAX),
    LIMIT(TM_XSPACE_TEXT_MAX),
    LIMIT(TM_XSPACE_EVENT_MAX),
    LIMIT(TM_XSPACE_STATS_BYTES_FREE),
    LIMIT(TM_XSPACE_NOTES_MAX),
    LIMIT(TM_DETAILS_BYTES_FREE),
    LIMIT(TM_FRAME_BYTES_MAX),
    LIMIT(TM_BATCH_EVENTS_MAX),
    LIMIT(TM_FILE_ORDER_IDS_MAX),
    LIMIT(TM_OPEN_UNITS_MAX),
    LIMIT(TM_CUT_POINTS_MAX),
    LIMIT(TM_EVENT_BINS_MAX),
    LIMIT(TM_READING_MAX),
    LIMIT(TM_CANDIDATES_USES_MAX),
    LIMIT(TM_ALIGN_ARGS_MAX),
    LIMIT(TM_ALIGN_FLOWS_MAX),
    LIMIT(TM_CANDIDATES_MARKS_MAX),
    LIMIT(TM_OPEN_SPANS_TRACKS_MAX),
    LIMIT(TM_OPEN_SPANS_DEPTH_MAX),
    LIMIT(TM_RHYTHM_BEATS_MAX),
    LIMIT(TM_EVIDENCE_MEMBERS_MAX),
    LIMIT(TM_HULL_POINTS_MAX),
    LIMIT(TM_CONSENSUS_STEPS_MAX),
    LIMIT(TM_MEMORY_BYTES_MAX),
    LIMIT(TM_MEMORY_CHECK_BYTES),
    LIMIT(TM_THREADS_MAX),
    LIMIT(TM_PROCESSES_MAX),
    LIMIT(TM_TASK_TEXT_BYTES_MAX),
    LIMIT(TM_TRACKS_MAX),
    LIMIT(TM_TRANSLATIONS_MAX),
    LIMIT(TM_TRANSLATION_BYTES_MAX),
    LIMIT(TM_ADDRESS_SPACES_MAX),
    LIMIT(TM_DESCRIPTORS_MAX),
    LIMIT(TM_TRACK_TEXT_BYTES_MAX),
    LIMIT(TM_OUTPUT_TRACKS_MAX),
    LIMIT(TM_PENDING_GROUPS_FOLLOWERS_MAX),
    LIMIT(TM_OPEN_TRACKS_MAX),
    LIMIT(TM_SLICES_SLOTS_MAX),
    LIMIT(TM_SLICES_DEPTH_MAX),
    LIMIT(TM_BINDER_PENDING_MAX),
    LIMIT(TM_BINDER_THREADS_MAX),
    LIMIT(TM_BINDER_FRAMES_MAX),
    LIMIT(TM_KERNEL_STATES_MAX),
    LIMIT(TM_PROTO_GENERICS_MAX),
    LIMIT(TM_PROTO_GENERIC_TEXT_MAX),
    LIMIT(TM_WORK_QUEUES_MAX),
    LIMIT(TM_WORK_MAX),
    LIMIT(TM_FILE_REQUESTS_MAX),
    LIMIT(TM_GRAPHICS_BUFFERS_MAX),
    LIMIT(TM_SAMPLE_EVENTS_MAX),
    LIMIT(TM_V8_ISOLATES_MAX),
    LIMIT(TM_SAMPLE_COUNTS_MAX),
    LIMIT(TM_GPUS_MAX),
    LIMIT(TM_CPU_TEXTS_MAX),
    LIMIT(TM_LANES_CROSSING_MAX),
    LIMIT(TM_LATE_THREADS_MAX),
    LIMIT(TM_SLICE_TIDS_MAX),
    LIMIT(TM_JSON_COUNTERS_MAX),
    LIMIT(TM_JSON_OPEN_MARKERS_MAX),
    LIMIT(TM_SPAN_FLOWS_MAX),
    LIMIT(TM_TIMESTAMP_GROUP_EVENTS_MAX),
    LIMIT(TM_CLOCK_ROWS_MAX),
    LIMIT(TM_PENDING_NAMES_MAX),
    LIMIT(TM_TRACE_STATS_BYTES_MAX),
    LIMIT(TM_OUTPUTS_MAX),
    LIMIT(TM_SINGLE_EVENTS_OPEN_MAX),
    LIMIT(TM_TASK_NAMES_ROWS_MAX),
    LIMIT(TM_TASK_NAMES_NAME_BYTES_MAX),
    LIMIT(TM_TASK_NAMES_DEFINED_MAX),
    LIMIT(TM_UNFINISHED_ROW_BYTES_MAX),
    LIMIT(TM_ARG_TREE_DEPTH_MAX),
    LIMIT(TM_PATH_TEXT_MAX),
};

enum { LIMIT_COUNT = sizeof limits / sizeof *limits };

static const struct limit *find(const char *name)
{
    for (int i = 0; i < LIMIT_COUNT; i++)
        if (strcmp(limits[i].name, name) == 0)
            return &limits[i];
    for (int i = 0; clock_limits[i].name; i++)
        if (strcmp(clock_limits[i].name, name) == 0)
            return &clock_limits[i];
    return NULL;
}

/* ".It Dv NAME Ta VALUE Ta TEXT" */
static bool is_known(const char *line)
{
    char name[64];
    unsigned long long value;
    if (sscanf(line, ".It Dv %63s Ta %llu Ta", name, &value) != 2)
        return false;
    const struct limit *limit = find(name);
    return limit && limit->value == value;
}

int main(void)
{
    char path[4096], line[512];
    const char *source = getenv("TM_SRC");
    int rows = 0;
    snprintf(path, sizeof path, "%s/doc/tm-limits.7", source ? source : ".");
    FILE *f = fopen(path, "r");
    ok(f != NULL);
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, ".It Dv ", 7) == 0) {
            ok_named(is_known(line), line + 7);
            rows++;
        }
    for (int i = 0; clock_limits[i].name; i++)
        rows--;
    is_int(rows, LIMIT_COUNT);
    if (f)
        fclose(f);
    return tap_done();
}
