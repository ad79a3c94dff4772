#include "format/ninja/internal.h"

#include "base/hex.h"
#include "base/time_units.h"

#include <inttypes.h>

static const char head_line[] = "# ninja log v";

/* Converts TEXT, 1 to 16 digits. */
static bool hash_of(struct tm_text text, uint64_t *hash)
{
    *hash = 0;
    for (size_t i = 0; i < text.len; i++) {
        const int digit = tm_hex_value((unsigned char)tm_text_chars(text)[i]);
        if (digit < 0)
            return false;
        *hash = *hash << 4 | (uint64_t)digit;
    }
    return text.len > 0 && text.len <= 16;
}

/* Parses LINE as "start end mtime output hash" with tabs between them. *OUTPUT points into LINE. False if it is none,
 * if a job ends before it begins, or if its nanoseconds exceed int64. */
static bool parse_line(struct tm_text line, struct tm_ninja_job *job, struct tm_text *output)
{
    struct tm_text start, end, mtime;
    *job = (struct tm_ninja_job){.outputs = 1};
    return tm_text_cut(&line, "\t", &start) && tm_text_cut(&line, "\t", &end) && tm_text_cut(&line, "\t", &mtime) &&
           tm_text_cut(&line, "\t", output) && output->len > 0 && tm_text_int(start, &job->start_ms) &&
           tm_text_int(end, &job->end_ms) && tm_text_int(mtime, &job->mtime) && hash_of(line, &job->command_hash) &&
           0 <= job->start_ms && job->start_ms <= job->end_ms && job->end_ms <= INT64_MAX / TM_NS_PER_MS;
}

static enum tm_status ninja_open(const struct tm_format_context *context, void **state, struct tm_error *err)
{
    struct tm_ninja *n = calloc(1, sizeof *n);
    if (n == NULL)
        return tm_error_nomem(err);
    n->text = (struct tm_text_reader){.context = *context, .max = TM_NINJA_LINE_MAX};
    *state = n;
    return TM_OK;
}

static void ninja_close(void *state)
{
    struct tm_ninja *n = state;
    if (n == NULL)
        return;
    free(n->jobs);
    tm_buf_release(&n->names);
    tm_buf_release(&n->detail);
    tm_buf_release(&n->message);
    free(n);
}

/* Reads the first line, which states the version. */
static enum tm_status read_version(struct tm_ninja *n, struct tm_error *err)
{
    const struct tm_text_reader *r = &n->text;
    const struct tm_text line = tm_text_at(r->line, r->len);
    int64_t version;
    if (!tm_text_begins(line, head_line) || !tm_text_int(tm_text_after(line, sizeof head_line - 1), &version))
        return tm_error_at(err, r->context.input->offset, "no version of ninja's log");
    n->has_version = true;
    if (version >= TM_NINJA_VERSION_MIN && version <= TM_NINJA_VERSION_MAX)
        return TM_OK;
    return tm_error_at(err, r->context.input->offset, "ninja's log has version %" PRId64 "; %d to %d are supported",
                       version, TM_NINJA_VERSION_MIN, TM_NINJA_VERSION_MAX);
}

/* True if JOB is the last one of N once more: the command has several outputs. */
static bool is_same(const struct tm_ninja *n, const struct tm_ninja_job *job)
{
    const struct tm_ninja_job *last = n->job_count ? &n->jobs[n->job_count - 1] : NULL;
    return last && last->command_hash == job->command_hash && last->start_ms == job->start_ms &&
           last->end_ms == job->end_ms;
}

/* Keeps JOB, which makes OUTPUT. */
static enum tm_status keep(struct tm_ninja *n, const struct tm_ninja_job *job, struct tm_text output,
                           struct tm_error *err)
{
    const uint64_t byte = n->text.context.input->offset;
    const bool is_more = is_same(n, job);
    if (n->names.len + 1 + output.len > TM_NINJA_NAME_BYTES_MAX)
        return tm_error_at(err, byte, "the log names more outputs than the limit of %d bytes", TM_NINJA_NAME_BYTES_MAX);
    if (!is_more && n->job_count == TM_NINJA_JOBS_MAX)
        return tm_error_at(err, byte, "the log has more jobs than the limit of %d", TM_NINJA_JOBS_MAX);
    if (!is_more && tm_array_grow(&n->jobs, &n->job_cap, n->job_count, sizeof *n->jobs, err) < 0)
        return TM_E_SYSTEM;
    if (!is_more) {
        n->jobs[n->job_count] = *job;
        n->jobs[n->job_count].outputs = 0;
        n->jobs[n->job_count++].name = (uint32_t)n->names.len;
    }
    struct tm_ninja_job *last = &n->jobs[n->job_count - 1];
    if ((is_more && tm_buf_add_byte(&n->names, ' ') != TM_OK) ||
        tm_buf_add(&n->names, output.data, output.len) != TM_OK)
        return tm_error_nomem(err);
    last->name_len = (uint32_t)n->names.len - last->name;
    last->outputs++;
    n->text.has_events = true;
    return TM_OK;
}

static enum tm_status ninja_read(void *state, struct tm_error *err)
{
    struct tm_ninja *n = state;
    struct tm_text_reader *r = &n->text;
    struct tm_ninja_job job;
    struct tm_text output;
    enum tm_status st = tm_text_reader_next(r, "job of a build", err);
    if (st == TM_END)
        return (st = tm_ninja_rows_add(n, err)) < 0 ? st : TM_END;
    if (st < 0)
        return st;
    if (!n->has_version)
        st = read_version(n, err);
    else if (parse_line(tm_text_at(r->line, r->len), &job, &output))
        st = keep(n, &job, output, err);
    else if (r->len > 0)
        tm_text_reader_damaged(r);
    tm_text_reader_pass(r);
    return st;
}

static bool ninja_sniff(const uint8_t *head, size_t len)
{
    return tm_chars_begin((const char *)head, (const char *)head + len, head_line);
}

const struct tm_format tm_format_ninja = {
    .type = TM_INPUT_NINJA_LOG,
    .priority = TM_PRIORITY_TRACE,
    .clock_policy = TRACEMERGE__CLOCK_POLICY__PRIVATE,
    .sniff = ninja_sniff,
    .open = ninja_open,
    .read = ninja_read,
    .close = ninja_close,
    .is_text = true,
};
