#include "merge/stage_messages.h"

#include "os/io.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Which lines of a stage are printed. */
enum choice { ALL, WARNINGS, FAILURES, NOTHING };

/* Returns the length of the line at AT, with its end. */
static size_t line_length(const struct tm_buf *text, size_t at)
{
    const uint8_t *end = memchr(text->data + at, '\n', text->len - at);
    return end ? (size_t)(end + 1 - text->data) - at : text->len - at;
}

/* True if OTHER has a line that is LINE of STAGE but for the names of the two. */
static bool says_too(const struct tm_stage *other, const struct tm_stage *stage, const uint8_t *line, size_t len)
{
    const size_t name = strlen(stage->name), other_name = strlen(other->name);
    for (size_t at = 0, n; at < other->messages.len; at += n) {
        n = line_length(&other->messages, at);
        if (len > name && n > other_name && n - other_name == len - name &&
            memcmp(other->messages.data + at + other_name, line + name, len - name) == 0)
            return true;
    }
    return false;
}

/* SAID, unless it is NULL, has printed its messages: those of STAGE that say the same are left out. */
static void print_messages(const struct tm_stage *stage, enum choice choice, const struct tm_stage *said)
{
    const uint8_t *text = stage->messages.data;
    for (size_t at = 0; at < stage->messages.len;) {
        size_t len = line_length(&stage->messages, at);
        bool is_warning = tm_stage_line_is_warning(stage, text + at, len);
        if ((choice == ALL || choice == (is_warning ? WARNINGS : FAILURES)) &&
            !(said && says_too(said, stage, text + at, len)))
            tm_io_message(STDERR_FILENO, text + at, len);
        at += len;
    }
}

static void print_death(const struct tm_program *program, const struct tm_stage *stage)
{
    int status = stage->wait_status;
    if (WIFSIGNALED(status))
        tm_program_message(program, "%s: killed by signal %d (%s)", stage->name, WTERMSIG(status),
                           strsignal(WTERMSIG(status)));
    else if (stage->messages.len == 0)
        tm_program_message(program, "%s: failed with exit status %d", stage->name, WEXITSTATUS(status));
}

/* True if STAGE failed because of what it read, not because it could not read the stream to its end. */
static bool failed_on_content(const struct tm_stage *stage)
{
    bool is_cut;
    return tm_stage_failed_on_input(stage, &is_cut) && !is_cut;
}

void tm_stage_messages_print(const struct tm_program *program, const struct tm_pipeline *pipeline, bool quiet)
{
    size_t cause = tm_pipeline_cause(pipeline);
    for (size_t i = 0; i < pipeline->count; i++) {
        const struct tm_stage *stage = &pipeline->stages[i];
        bool only_warnings = i != cause && stage->wait_status != 0 && !failed_on_content(stage);
        bool no_warnings = quiet || stage->repeats_warnings;
        print_messages(stage, no_warnings ? (only_warnings ? NOTHING : FAILURES) : only_warnings ? WARNINGS : ALL,
                       i > cause && failed_on_content(stage) ? &pipeline->stages[cause] : NULL);
        if (i == cause)
            print_death(program, stage);
    }
}
