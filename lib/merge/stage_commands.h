/* The command lines of the five stages, made of the options of tm-merge. */
#ifndef TM_MERGE_STAGE_COMMANDS_H
#define TM_MERGE_STAGE_COMMANDS_H

#include "os/pipeline.h"
#include "emit/output_list.h"
#include "manifest/draft_options.h"
#include "select/spec.h"

enum { TM_MERGE_UNPACK, TM_MERGE_MANIFEST, TM_MERGE_CLOCKS, TM_MERGE_SORT, TM_MERGE_EMIT, TM_MERGE_STAGES };

/* All text is borrowed; NULL or false is a stage's default. The stages check their options. */
struct tm_merge_request {
    struct tm_output_list outputs; /* settled */
    char *const *files;
    size_t file_count;
    /* A file for the text of JSON events whose own file cannot be read again. NULL: the text stays in the stream. */
    const char *text;
    const char *join;           /* of tm-emit; NULL: nothing */
    const char *json_args;      /* the arguments of JSON events that tm-align reads; NULL: all */
    /* A file that gets the unpacked stream, which then has what tm-align reads as well as what the outputs need. The
     * file stays empty if one stream cannot serve both. NULL: none. */
    const char *copy;
    const char *write_manifest; /* NULL: none */
    const char *manifest_part;  /* written in its place, until tm-merge renames it; NULL: none */
    const struct tm_draft_options *draft_options; /* what the options state about the files; NULL: nothing */
    const char *jobs; /* threads of tm-unpack, tm-sort and tm-emit */
    const char *manifest, *buffer_size, *temporary_directory, *max_dropped, *on_damage, *max_expansion, *max_memory;
    const char *alignment; /* result of tm-align, for the report; NULL: none */
    bool replaces_manifest; /* `manifest' replaces the input's */
    struct tm_select_spec only;
    struct tm_arg_names args;
    bool events; /* one row for each event */
    bool strict, no_guess, ignore_unknown, hints, interpolate, no_detail, absolute, rebase, index, json,
        quiet;
};

/* True if the outputs of REQUEST show the arguments and other detail that tm-align reads, so one stream can serve both.
 */
bool tm_merge_may_unpack_once(const struct tm_merge_request *request);

/* True if the only output of REQUEST reads texts of JSON events in their files. */
bool tm_merge_reads_files(const struct tm_merge_request *request);

enum { TM_MERGE_RAW_MAX = 32 * TM_OUTPUTS_MAX };

/* Zero-initialise. Stages borrow from it. */
struct tm_merge_commands {
    char raw[TM_MERGE_RAW_MAX]; /* names of raw payloads that some output needs */
    struct tm_merge_command {
        const char **argv; /* owned; NULL-terminated; the strings belong to the request, or are in joined */
        uint32_t count, cap;
        char **joined; /* owned, and so are its strings */
        uint32_t joined_count, joined_cap;
        char path[4096];
    } commands[TM_MERGE_STAGES];
};

/* Adds WORD, borrowed, to a command line. COMMAND is zero-initialised before the first word. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_merge_command_word(struct tm_merge_command *command, const char *word);

/* Adds OPTION with VALUE, both borrowed, unless VALUE is NULL. A value that begins with "-" is put into one word with
 * the option, because programs take such a word of its own for the next option. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_merge_command_option(struct tm_merge_command *command, const char *option, const char *value);

void tm_merge_command_release(struct tm_merge_command *command);

/* Makes the command lines and finds the programs: beside the running one, otherwise in $PATH. ARGV0 gives the place of
 * the running one if /proc does not. Sets name, path and argv of STAGES. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_merge_commands_make(struct tm_merge_commands *commands, const struct tm_merge_request *request,
                                      const char *argv0, struct tm_stage *stages, struct tm_error *err);

/* Takes tm-unpack out of PIPELINE, whose stages have been made. IN_FD, borrowed, has the stream that it would write. */
void tm_merge_skip_unpack(struct tm_pipeline *pipeline, int in_fd);

void tm_merge_commands_release(struct tm_merge_commands *commands);

#endif
