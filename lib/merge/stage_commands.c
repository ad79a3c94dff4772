#include "merge/stage_commands.h"

#include "base/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const stage_names[TM_MERGE_STAGES] = {"tm-unpack", "tm-manifest", "tm-clocks", "tm-sort", "tm-emit"};

/* What the outputs need from the stages before them, all outputs together. */
struct needs {
    const char *raw;     /* raw payloads; NULL: none */
    bool detail;
    bool packet_args;    /* arguments of track events although their packets are in the stream */
    bool packet_values;  /* rows with extra counter values although their packets are in the stream */
    bool takes_messages; /* an output takes whole CompactSched messages, and none shows the stream */
    bool dropped;        /* which events were dropped */
    bool reads_files;    /* the only output reads texts of JSON in their files */
};

bool tm_merge_reads_files(const struct tm_merge_request *r)
{
    return r->outputs.count == 1 && r->outputs.rows[0].emit->reads_json_raw;
}

/* Combines the needs of all outputs. RAW is the buffer for the text of raw. */
static struct needs needs_of(const struct tm_merge_request *r, char raw[TM_MERGE_RAW_MAX])
{
    struct needs n = {.detail = r->join != NULL, .packet_args = r->join != NULL};
    const struct tm_output_list *outputs = &r->outputs;
    bool shows_stream = false;
    size_t len = 0;
    for (size_t i = 0; i < outputs->count; i++) {
        const struct tm_emit *emit = outputs->rows[i].emit;
        if (emit->raw && len + strlen(emit->raw) + 2 < TM_MERGE_RAW_MAX)
            len += (size_t)snprintf(raw + len, TM_MERGE_RAW_MAX - len, "%s%s", len ? "," : "", emit->raw);
        n.detail = n.detail || emit->needs_detail;
        n.packet_args = n.packet_args || !emit->copies_packets;
        n.dropped = n.dropped || emit->needs_dropped;
        n.takes_messages = n.takes_messages || (emit->takes_compact_messages && r->only.given.count == 0);
        shows_stream = shows_stream || emit->shows_stream;
    }
    n.raw = len ? raw : NULL;
    n.packet_values = n.packet_args || r->only.given.count > 0; /* --only looks at the counters of rows */
    n.takes_messages = n.takes_messages && !shows_stream;
    n.reads_files = tm_merge_reads_files(r);
    return n;
}

/* True if the outputs need the text of JSON events but no other detail of them. */
static bool lacks_json_detail(const struct tm_merge_request *r, const struct needs *needs)
{
    return needs->reads_files && r->join == NULL;
}

bool tm_merge_may_unpack_once(const struct tm_merge_request *r)
{
    char raw[TM_MERGE_RAW_MAX];
    const struct needs needs = needs_of(r, raw);
    return !r->no_detail && needs.detail && !lacks_json_detail(r, &needs);
}

enum tm_status tm_merge_command_word(struct tm_merge_command *command, const char *word)
{
    if (tm_array_grow(&command->argv, &command->cap, command->count + 1, sizeof *command->argv, NULL) < 0)
        return TM_E_SYSTEM;
    command->argv[command->count++] = word;
    command->argv[command->count] = NULL;
    return TM_OK;
}

enum tm_status tm_merge_command_option(struct tm_merge_command *command, const char *option, const char *value)
{
    if (value == NULL)
        return TM_OK;
    if (value[0] != '-' || value[1] == '\0') {
        enum tm_status st = tm_merge_command_word(command, option);
        return st == TM_OK ? tm_merge_command_word(command, value) : st;
    }
    const char *gap = option[1] == '-' ? "=" : "";
    size_t size = strlen(option) + strlen(gap) + strlen(value) + 1;
    char *word = malloc(size);
    if (word == NULL || tm_array_grow(&command->joined, &command->joined_cap, command->joined_count,
                                      sizeof *command->joined, NULL) < 0) {
        free(word);
        return TM_E_SYSTEM;
    }
    snprintf(word, size, "%s%s%s", option, gap, value);
    command->joined[command->joined_count++] = word;
    return tm_merge_command_word(command, word);
}

void tm_merge_command_release(struct tm_merge_command *command)
{
    for (uint32_t i = 0; i < command->joined_count; i++)
        free(command->joined[i]);
    free(command->joined);
    free(command->argv);
    *command = (struct tm_merge_command){0};
}

/* Adds words to one command; remembers the first failure. */
struct writer {
    struct tm_merge_command *command;
    const struct needs *needs;
    enum tm_status st;
};

static void add(struct writer *w, const char *word)
{
    if (tm_merge_command_word(w->command, word) < 0)
        w->st = TM_E_SYSTEM;
}

static void add_option(struct writer *w, const char *option, const char *value)
{
    if (tm_merge_command_option(w->command, option, value) < 0)
        w->st = TM_E_SYSTEM;
}

static void add_flag(struct writer *w, const char *flag, bool wanted)
{
    if (wanted)
        add(w, flag);
}

/* Returns how many files tm-emit can keep open to read text in them. */
static size_t sources_max(void)
{
    enum { SOURCES_MAX = 256, OTHER_DESCRIPTORS = 32 };
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= SOURCES_MAX + OTHER_DESCRIPTORS)
        return SOURCES_MAX;
    return limit.rlim_cur > OTHER_DESCRIPTORS ? (size_t)limit.rlim_cur - OTHER_DESCRIPTORS : 0;
}

/* True if the text of JSON events may stay in the files: an output that writes it again reads it there, which saves
 * four pipes. All files that might have such text must be known by name. Directories are excluded. So is standard
 * input, also as /dev/stdin, because each stage has another one. */
static bool refers(const struct tm_merge_request *r)
{
    struct stat info, in;
    bool has_in = fstat(STDIN_FILENO, &in) == 0;
    if (!tm_merge_reads_files(r) || r->join || r->file_count == 0 || r->file_count > sources_max())
        return false;
    for (size_t i = 0; i < r->file_count; i++)
        if (strcmp(r->files[i], "-") == 0 || stat(r->files[i], &info) != 0 || !S_ISREG(info.st_mode) ||
            (has_in && info.st_dev == in.st_dev && info.st_ino == in.st_ino))
            return false;
    return true;
}

/* Adds the words for tm-unpack. With r->copy the stream also serves tm-align, so nothing is left out merely to save
 * time. */
static void add_unpack(struct writer *w, const struct tm_merge_request *r)
{
    const bool lacks_packet_args = w->needs->detail && !r->no_detail && !w->needs->packet_args;
    add_option(w, "--on-damage", r->on_damage);
    add_flag(w, "--ignore-unknown", r->ignore_unknown);
    add_option(w, "--max-expansion", r->max_expansion);
    add_flag(w, "--hints", r->hints);
    add_flag(w, "--no-raw", w->needs->raw == NULL);
    add_option(w, "--raw", w->needs->raw);
    add_flag(w, "--no-detail", r->no_detail || !w->needs->detail);
    add_flag(w, "--no-json-detail", lacks_json_detail(r, w->needs));
    add_option(w, "--json-args", r->copy == NULL ? r->json_args : NULL);
    add_flag(w, "--no-packet-args", lacks_packet_args && r->copy == NULL);
    add_flag(w, "--packet-values", lacks_packet_args && !w->needs->packet_values && r->copy == NULL);
    add_flag(w, "--by-reference", refers(r));
    add_flag(w, "--whole-sched", w->needs->takes_messages && r->copy == NULL);
    add_option(w, "--copy", r->copy);
    add_flag(w, "--copy-no-packets", r->copy && (lacks_packet_args || w->needs->takes_messages));
    add_option(w, "--text", r->text);
    add_option(w, "-j", r->jobs);
    add_option(w, "-T", r->temporary_directory);
    add(w, "--");
    for (size_t i = 0; i < r->file_count; i++)
        add(w, r->files[i]);
}

/* True if the manifest to be written contains the hints in use. If a manifest such as that of an alignment replaces the
 * input's, hints are not written: they are used again if the merge is repeated with --hints. */
static bool writes_hints(const struct tm_merge_request *r)
{
    return r->hints && !r->replaces_manifest;
}

static void add_written_manifest(struct writer *w, const struct tm_merge_request *r)
{
    add_option(w, "--write-manifest", r->write_manifest);
    add_option(w, "--part", r->write_manifest ? r->manifest_part : NULL);
}

static void add_manifest(struct writer *w, const struct tm_merge_request *r)
{
    add_option(w, "-m", r->manifest);
    add_flag(w, "--replace", r->replaces_manifest);
    for (size_t i = 0; r->draft_options && i < r->draft_options->count; i++)
        add_option(w, tm_draft_option_name(r->draft_options->all[i].id), r->draft_options->all[i].text);
    if (!writes_hints(r))
        add_written_manifest(w, r);
    add_flag(w, "--strict", r->strict);
    add_flag(w, "--quiet", r->quiet);
}

/* True if the command line states a relation of clocks. */
static bool relates(const struct tm_merge_request *r)
{
    bool does = false;
    for (size_t i = 0; r->draft_options && i < r->draft_options->count; i++)
        does |= r->draft_options->all[i].id == TM_DRAFT_SYNC;
    return does;
}

static void add_clocks(struct writer *w, const struct tm_merge_request *r)
{
    add_flag(w, "--check-relations", r->strict || relates(r));
    add_flag(w, "--hints", r->hints);
    add_flag(w, "--interpolate", r->interpolate);
    add_flag(w, "--keep-dropped", w->needs->dropped);
    if (writes_hints(r))
        add_written_manifest(w, r);
    add_option(w, "-T", r->temporary_directory);
}

static void add_sort(struct writer *w, const struct tm_merge_request *r)
{
    add_option(w, "-j", r->jobs);
    add_option(w, "-S", r->buffer_size);
    add_option(w, "-T", r->temporary_directory);
}

/* Adds the options about rows, for outputs with rows. A report has none. */
static void add_rows(struct writer *w, const struct tm_merge_request *r)
{
    bool has_events = false, has_args = false;
    for (size_t i = 0; i < r->outputs.count; i++) {
        has_events = has_events || r->outputs.rows[i].emit->suffixes == NULL;
        has_args = has_args || r->outputs.rows[i].emit->has_args;
    }
    add_flag(w, "--events", has_events);
    for (uint32_t i = 0; i < r->args.count && has_args; i++)
        add_option(w, "--arg", r->args.names[i]);
}

/* True if an output has FORMAT. */
static bool has_format(const struct tm_merge_request *r, const char *format)
{
    bool has = false;
    for (size_t i = 0; i < r->outputs.count; i++)
        has = has || strcmp(r->outputs.rows[i].emit->name, format) == 0;
    return has;
}

static void add_emit(struct writer *w, const struct tm_merge_request *r)
{
    size_t count = refers(r) ? r->file_count : 0;
    const bool is_alone = r->outputs.count == 1;
    add_option(w, "-f", is_alone ? r->outputs.rows[0].emit->name : NULL);
    add_option(w, "-T", r->temporary_directory);
    add_option(w, "--max-memory", r->max_memory);
    add_option(w, "-j", r->jobs);
    add_rows(w, r);
    add_flag(w, "--absolute", r->absolute && has_format(r, "text"));
    add_flag(w, "--rebase", r->rebase && has_format(r, "json"));
    add_flag(w, "--index", r->index && has_format(r, "sqlite"));
    add_option(w, "--join", tm_output_list_shows_flows(&r->outputs) ? r->join : NULL);
    add_flag(w, "--json", r->json);
    add_flag(w, "--strict", r->strict);
    add_flag(w, "--no-guess", r->no_guess);
    add_option(w, "--max-dropped", r->max_dropped);
    add_flag(w, "--quiet", r->quiet);
    for (size_t i = 0; i < count; i++)
        add_option(w, "--source", r->files[i]);
    add_option(w, "--text", r->text);
    add_option(w, "--alignment", has_format(r, "report") ? r->alignment : NULL);
    for (uint32_t i = 0; i < r->only.given.count; i++)
        add_option(w, "--only", r->only.given.texts[i]);
    for (size_t i = 0; i < r->outputs.count; i++) {
        const struct tm_output_choice *output = &r->outputs.rows[i];
        add_option(w, "-o", output->out || is_alone ? output->out : "-");
        add_option(w, "-f", is_alone ? NULL : output->emit->name);
        add_option(w, "--part", output->part);
    }
}

/* Returns the folder of this program, or NULL. */
static const char *own_folder(const char *argv0, char *dir, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", dir, size - 1);
    if (n <= 0) {
        n = (ssize_t)strlen(argv0);
        if ((size_t)n >= size)
            return NULL;
        memcpy(dir, argv0, (size_t)n);
    }
    dir[n] = '\0';
    char *slash = strrchr(dir, '/');
    if (slash == NULL)
        return NULL;
    *slash = '\0';
    return dir;
}

enum tm_status tm_merge_commands_make(struct tm_merge_commands *commands, const struct tm_merge_request *request,
                                      const char *argv0, struct tm_stage *stages, struct tm_error *err)
{
    static void (*const adders[TM_MERGE_STAGES])(struct writer *, const struct tm_merge_request *) = {
        add_unpack, add_manifest, add_clocks, add_sort, add_emit};
    char dir[sizeof commands->commands->path];
    const char *folder = own_folder(argv0, dir, sizeof dir);
    const struct needs needs = needs_of(request, commands->raw);
    for (int i = 0; i < TM_MERGE_STAGES; i++) {
        struct writer w = {.command = &commands->commands[i], .needs = &needs, .st = TM_OK};
        add(&w, stage_names[i]);
        adders[i](&w, request);
        if (w.st < 0)
            return tm_error_nomem(err);
        enum tm_status st = tm_pipeline_find(stage_names[i], folder, w.command->path, sizeof w.command->path, err);
        if (st < 0)
            return st;
        stages[i].name = stage_names[i];
        stages[i].path = w.command->path;
        stages[i].argv = w.command->argv;
        /* tm-manifest passes its input on. A copy of the stream is made of what goes through the pipe. */
        stages[i].shares_output = i != TM_MERGE_MANIFEST && !(i == TM_MERGE_UNPACK && request->copy);
        stages[i].passes_input = i == TM_MERGE_MANIFEST;
        /* tm-align wrote its manifest with the entries of the input's. */
        stages[i].repeats_warnings = i == TM_MERGE_MANIFEST && request->alignment;
    }
    return TM_OK;
}

void tm_merge_skip_unpack(struct tm_pipeline *pipeline, int in_fd)
{
    pipeline->stages += TM_MERGE_UNPACK + 1;
    pipeline->count -= TM_MERGE_UNPACK + 1;
    pipeline->in_fd = in_fd;
}

void tm_merge_commands_release(struct tm_merge_commands *commands)
{
    for (int i = 0; i < TM_MERGE_STAGES; i++)
        tm_merge_command_release(&commands->commands[i]);
    *commands = (struct tm_merge_commands){0};
}
