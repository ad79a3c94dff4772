/* The result of tm-align: for each file, how its readings become those of its group's reference, and how certain that
 * is. */
#ifndef TM_ALIGN_ALIGNMENT_H
#define TM_ALIGN_ALIGNMENT_H

#include "align/candidates.h"
#include "align/network.h"
#include "align/numbering.h"

#include "base/buf.h"

struct tm_align_step {
    int64_t at_ns;       /* a reading of the file; the line holds from here on, the first also before */
    struct tm_line line; /* on the file's own readings */
};

/* Times are readings of the file's own clock if one offset places the whole file; otherwise trace time. */
struct tm_align_file {
    uint32_t file; /* of the catalog */
    enum tm_verdict verdict;
    uint32_t reference; /* a file of the catalog */
    uint32_t rules;     /* a bit for each rule in use */
    uint64_t matches, left_out;
    int64_t grain_ns;      /* granularity of its clock; 1: none was detected */
    uint64_t out_of_range; /* events whose times are not from TM_READING_MIN to TM_READING_MAX; they are ignored */
    bool has_times;        /* it has other events */
    int64_t first_ns, last_ns, at_ns;
    bool has_offset; /* offset_ns and drift_ppb are valid */
    int64_t offset_ns, drift_ppb;
    int64_t low_ns, high_ns; /* bounds at at_ns; TM_UNBOUNDED_*: none */
    bool has_uncertainty;
    int64_t uncertainty_ns;
    bool is_uneven; /* its clock or its reference's does not drift evenly; the bounds allow for that */
    bool is_untested; /* too few matches to test that; the bounds assume that both drift evenly */
    int64_t jitter_ns; /* of the steps that placed the file and its reference; the bounds include it */
    bool has_second_best;
    int64_t second_best_ns;
    bool is_placed_by_one; /* one offset placed the whole file, and one its reference */
    int64_t reference_placed_ns; /* the offset that placed the reference */
    uint32_t step_count;
    struct tm_align_step steps[TM_CONSENSUS_STEPS_MAX + 1]; /* of a file with steps, in order of time */
};

/* Events of two files whose merged times put effects before their causes. */
struct tm_align_breach {
    uint32_t cause, effect; /* files of the catalog */
    uint64_t constraints, count;
    int64_t worst_ns; /* the longest time that an effect is before its cause */
    struct {
        uint32_t cause_name, effect_name; /* strings of the catalog */
        int64_t cause_ns, effect_ns;
    } first[3];
    uint32_t first_count;
};

/* Appends the names of the arguments that RULES read to LIST, separated by commas and ended by a zero byte, as
 * tm_name_set_add takes them. RULES may be NULL: all rules that need no parameter. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_alignment_arg_names(const char *rules, struct tm_buf *list);

/* Checks RULES as tm_alignment_find does. TM_OK, TM_E_USAGE or TM_E_SYSTEM. */
enum tm_status tm_alignment_check_rules(const char *rules, struct tm_error *err);

/* Zero-initialise. */
struct tm_alignment {
    struct tm_candidates candidates;
    struct tm_match_log log;
    struct tm_numbering numbering;
    struct tm_evidence evidence;
    struct tm_network network;
    bool absolute; /* the manifest relates files to trace time, not to their references; set by the caller */
    struct tm_align_file *files; /* one for each file with events, in processing order */
    uint32_t file_count;
    struct tm_align_breach *breaches; /* one for each direction between two files, by their order; valid after check */
    uint32_t breach_count;
    /* private */
    const Tracemerge__Placement **placements; /* by file of the catalog: that of most of its events; NULL: none */
};

/* Reads the placed stream on FD and applies RULES (NULL: all). DIR is for temporary files. TM_OK; TM_E_INPUT,
 * TM_E_USAGE, TM_E_SYSTEM. */
enum tm_status tm_alignment_find(struct tm_alignment *alignment, int fd, const char *rules, const char *dir,
                                 struct tm_error *err);

/* Finds matches in steps, for a program that reads the stream itself and only tests it. Call begin, add for each frame
 * (with its view if it is a batch), match at the end, then check. DIR must stay valid until match. Statuses are those
 * of tm_alignment_find. */
enum tm_status tm_alignment_begin(struct tm_alignment *alignment, const char *rules, const char *dir,
                                  struct tm_error *err);
enum tm_status tm_alignment_add(struct tm_alignment *alignment, const struct tm_frame *frame,
                                const struct tm_batch *batch, struct tm_error *err);
enum tm_status tm_alignment_match(struct tm_alignment *alignment, struct tm_error *err);

/* Tests the constraints on the unchanged times and notes breaches. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_alignment_check(struct tm_alignment *alignment, struct tm_error *err);

/* Returns the placement of most events of FILE; NULL: it has none. Valid after tm_alignment_find. */
const Tracemerge__Placement *tm_alignment_placement(const struct tm_alignment *alignment, uint32_t file);

/* True if one offset placed most events of FILE, so that its results are in readings of its clock. */
bool tm_alignment_is_placed_by_one(const struct tm_alignment *alignment, uint32_t file);

/* Returns the word for VERDICT in reports, such as "aligned". */
const char *tm_verdict_name(enum tm_verdict verdict);

/* Returns the path by which a manifest names a catalog's file. It belongs to ALIGNMENT. */
struct tm_text tm_alignment_name(const struct tm_alignment *alignment, uint32_t file);

enum { TM_ALIGN_PATH_MAX = 4096 }; /* bytes of a path that people read, with its NUL */

/* Writes that path, escaped by tm_text_escape, to OUT, which has SIZE bytes. A longer path is cut. */
void tm_alignment_path(const struct tm_alignment *alignment, uint32_t file, char *out, size_t size);

/* Appends the names of RULES, a bit for each rule, separated by commas. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_alignment_rules(const struct tm_alignment *alignment, uint32_t rules, struct tm_buf *out);

/* Appends TEXT as a JSON string. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_align_json_string(struct tm_buf *out, const char *text);

/* Writers append to OUT. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_alignment_text(const struct tm_alignment *alignment, struct tm_buf *out);
enum tm_status tm_alignment_json(const struct tm_alignment *alignment, struct tm_buf *out);
enum tm_status tm_alignment_svg(const struct tm_alignment *alignment, struct tm_buf *out);

/* Writes the manifest with the result and with the machines of the input's manifest. TM_OK; TM_E_SYSTEM; TM_E_INPUT:
 * the input's manifest has relations of clocks that cannot be kept, or files cannot be related as `absolute' states. */
enum tm_status tm_alignment_manifest(const struct tm_alignment *alignment, struct tm_buf *out, struct tm_error *err);

/* Writes what check found, for people. The summary has a line for each of the eight worst pairs. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_alignment_breaches_text(const struct tm_alignment *alignment, struct tm_buf *out);
enum tm_status tm_alignment_breaches_summary(const struct tm_alignment *alignment, struct tm_buf *out);
enum tm_status tm_alignment_breaches_json(const struct tm_alignment *alignment, struct tm_buf *out);

void tm_alignment_release(struct tm_alignment *alignment);

#endif
