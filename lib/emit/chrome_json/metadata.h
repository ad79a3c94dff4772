/* The metadata events of a Chrome JSON output: names of processes and threads, and for each process its machine, its
 * files and its place in the order. */
#ifndef TM_EMIT_CHROME_JSON_METADATA_H
#define TM_EMIT_CHROME_JSON_METADATA_H

#include "emit/chrome_json/inputs.h"
#include "emit/chrome_json/pids.h"
#include "emit/chrome_json/writer.h"

/* Zero-initialise, and set the borrowed members. */
struct tm_json_metadata {
    const struct tm_json_inputs *inputs; /* borrowed, as the next two */
    struct tm_json_writer *writer;
    struct tm_json_pids *pids;
    /* borrowed; tm_json_metadata_count grows when a name of the process, or of one of its threads, is replaced or
     * forgotten. Until then, who has found that the output has a name need not look again. */
    struct tm_change_counts *counts;
    /* private */
    struct tm_map labelled; /* (pid of the output, file) whose label has been written */
    struct tm_map sorted;   /* pids of the output with a process_sort_index from a file */
    struct tm_map named;    /* (pid, tid) of the output to a hash of the last written name */
    struct tm_json_process {
        int64_t pid;
        uint32_t order;     /* order of the file that it was first met in */
    } *processes;           /* those with a label */
    uint32_t process_count, process_cap;
    struct tm_buf scratch;
};

/* Returns the index in counts of OUT_PID, a process of the output. */
static inline uint16_t tm_json_metadata_count(int64_t out_pid)
{
    return tm_change_counts_index(0, out_pid);
}

/* Writes machine and file of the process OUT_PID of the output, to which E belongs, once for each file. TM_OK or
 * TM_E_SYSTEM, as all functions here. */
enum tm_status tm_json_metadata_label(struct tm_json_metadata *m, const struct tm_event *e, int64_t out_pid,
                                      struct tm_error *err);

/* Notes whether E, a definition, states a sort index of its process. */
enum tm_status tm_json_metadata_note_sorted(struct tm_json_metadata *m, const struct tm_event *e, struct tm_error *err);

/* At the end: processes without a sort index are sorted by file. Some readers take the first index they find, others
 * the last. */
enum tm_status tm_json_metadata_sort(struct tm_json_metadata *m, struct tm_error *err);

/* Writes the NAME of a process (TID NULL) or thread, unless it has that name already. TM_E_INPUT if there are names of
 * too many. */
enum tm_status tm_json_metadata_name(struct tm_json_metadata *m, int64_t pid, const int64_t *tid, struct tm_text name,
                                     struct tm_error *err);

/* True if thread TID of PID, both of the output, has a name. */
bool tm_json_metadata_is_named(const struct tm_json_metadata *m, int64_t pid, int64_t tid);

/* If E defines a process or thread of Chrome JSON whose pid or tid is a string, names it by that string, whatever the
 * definition states. */
enum tm_status tm_json_metadata_name_text(struct tm_json_metadata *m, const struct tm_event *e, struct tm_error *err);

void tm_json_metadata_release(struct tm_json_metadata *m);

#endif
