/* Reads trace files, archives and pipes and writes the stream of their events, each on its own clock. */
#include "base/decimal.h"
#include "base/table.h"
#include "os/compat.h"
#include "os/io.h"
#include "os/program_options.h"
#include "os/sandbox.h"
#include "os/out_file.h"
#include "unpack/same_files.h"
#include "unpack/stream_copy.h"
#include "unpack/unpack.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct tm_program program = {
    .name = "tm-unpack",
    .summary = "Opens trace files, archives and directories and writes their events as a stream.",
    .usage = "[OPTION]... [FILE]...\n"
             "Without FILE, or if FILE is -, reads standard input. Several files or a\n"
             "directory are read like one archive.\n"
             "\n"
             "  -l, --list             list order, type, size and path of the files; write no\n"
             "                         stream\n"
             "      --ignore-unknown   skip files of unknown type and count them\n"
             "      --on-damage=WHAT   in a damaged file: halt (default), skip the rest, or\n"
             "                         salvage what can be read\n"
             "      --max-expansion=SIZE  limit on decompressed input (default 1000 times the\n"
             "                         input, and 64G)\n"
             "      --hints            also look for clock hints in events\n"
             "      --no-raw           leave out raw payloads, which only lossless outputs\n"
             "                         need\n"
             "      --raw KIND,...     keep only raw payloads of these kinds: proto, ftrace,\n"
             "                         json, line, short-line\n"
             "      --no-detail        leave out arguments and other detail\n"
             "      --no-json-detail   leave out arguments of JSON events; the raw payload has\n"
             "                         them\n"
             "      --json-args=NAME,...  keep only arguments of JSON events with these names\n"
             "      --no-packet-args   leave out arguments of track events; the raw payload\n"
             "                         has them\n"
             "      --packet-values    keep extra counter values of track events in packets,\n"
             "                         not as rows\n"
             "      --by-reference     refer to the text of JSON events in regular files, do\n"
             "                         not copy it\n"
             "      --whole-sched      keep compact_sched messages whole, for outputs that\n"
             "                         take them so\n"
             "      --text FILE        write the text of other JSON events to FILE, which\n"
             "                         exists\n"
             "      --copy FILE        write the stream to FILE, which exists, too\n"
             "      --copy-no-packets  empty FILE if the stream has a Perfetto trace\n"
             "  -j, --jobs N           unpack files with N threads (default: processors)\n"
             "  -T, --temporary-directory=DIR  directory of temporary files (default $TMPDIR,\n"
             "                         else /tmp)\n"
             "  -h, --help             show this help\n"
             "      --version          show the version\n",
};

enum { OPT_IGNORE_UNKNOWN = 256, OPT_ON_DAMAGE, OPT_MAX_EXPANSION, OPT_HINTS, OPT_NO_RAW, OPT_RAW, OPT_NO_DETAIL,
       OPT_NO_JSON_DETAIL, OPT_JSON_ARGS, OPT_NO_PACKET_ARGS, OPT_PACKET_VALUES, OPT_BY_REFERENCE, OPT_WHOLE_SCHED,
       OPT_TEXT, OPT_COPY, OPT_COPY_NO_PACKETS };

struct settings {
    struct tm_unpack_options unpack;
    struct tm_raw_choice raw;
    bool no_detail, no_json_detail, no_packet_args, packet_values, whole_sched;
    const char *text, *copy;
    bool copy_no_packets;
    struct tm_name_set json_args;
};

static int take_option(void *context, int option, const char *value)
{
    struct settings *settings = context;
    unsigned long long size;
    int status;
    switch (option) {
    case 'l': settings->unpack.list = true; break;
    case 'T': settings->unpack.temporary_dir = value; break;
    case 'j': return tm_program_jobs(&program, value, &settings->unpack.jobs);
    case OPT_IGNORE_UNKNOWN: settings->unpack.ignore_unknown = true; break;
    case OPT_MAX_EXPANSION:
        if ((status = tm_program_limit(&program, "--max-expansion", value, &size)) != 0)
            return status;
        settings->unpack.max_expansion_bytes = size;
        break;
    case OPT_HINTS: settings->unpack.format.hints = true; break;
    case OPT_NO_RAW: settings->raw = (struct tm_raw_choice){0}; break;
    case OPT_RAW:
        if (tm_raw_choice_parse(value, &settings->raw))
            break;
        return tm_program_usage(&program,
                                "--raw: '%s' is not a list of proto, ftrace, json, line, short-line, nor all or none",
                                value);
    case OPT_NO_DETAIL: settings->no_detail = true; break;
    case OPT_NO_JSON_DETAIL: settings->no_json_detail = true; break;
    case OPT_JSON_ARGS:
        if (tm_name_set_add(&settings->json_args, value) != TM_OK)
            return tm_program_usage(&program, "--json-args: '%s' is not a list of up to %d names", value,
                                    TM_NAME_SET_MAX);
        break;
    case OPT_NO_PACKET_ARGS: settings->no_packet_args = true; break;
    case OPT_PACKET_VALUES: settings->packet_values = true; break;
    case OPT_BY_REFERENCE: settings->unpack.by_reference = true; break;
    case OPT_WHOLE_SCHED: settings->whole_sched = true; break;
    case OPT_TEXT: settings->text = value; break;
    case OPT_COPY: settings->copy = value; break;
    case OPT_COPY_NO_PACKETS: settings->copy_no_packets = true; break;
    default:
        if (!tm_on_damage_parse(value, &settings->unpack.format.on_damage))
            return tm_program_usage(&program, "--on-damage: '%s' is none of halt, skip, salvage", value);
    }
    return 0;
}

/* Refuses options that do not fit together, and inputs that would be emptied. Returns TM_OPTIONS_GO_ON or an exit
 * status. */
static int check(const struct settings *settings, char **paths, size_t count)
{
    const char *outs[3], **end = outs;
    struct tm_error err = {0};
    int status = 0;
    if (settings->unpack.list && (settings->copy || settings->text))
        return tm_program_usage(&program, "--list writes no stream; leave out %s",
                                settings->copy ? "--copy" : "--text");
    if (settings->copy_no_packets && settings->copy == NULL)
        return tm_program_usage(&program, "--copy-no-packets is for --copy");
    if (settings->text && (status = tm_program_check_output(&program, "--text", settings->text)) == 0)
        *end++ = settings->text;
    if (status == 0 && settings->copy && (status = tm_program_check_output(&program, "--copy", settings->copy)) == 0)
        *end++ = settings->copy;
    *end = NULL;
    if (status)
        return status;
    if (count == 0 && isatty(STDIN_FILENO))
        return tm_program_usage(&program, "no FILE, and standard input is a terminal");
    if (tm_same_files_check(paths, count, outs, NULL, &err) < 0)
        return tm_program_fail(&program, &err);
    if (end == outs + 2 && tm_out_file_is_same(outs[0], outs[1]))
        return tm_program_usage(&program, "%s is given as two outputs", outs[0]);
    return TM_OPTIONS_GO_ON;
}

static int parse(int argc, char **argv, struct settings *settings)
{
    static const struct option longs[] = {
        {"jobs", required_argument, NULL, 'j'},
        {"list", no_argument, NULL, 'l'},
        {"ignore-unknown", no_argument, NULL, OPT_IGNORE_UNKNOWN},
        {"on-damage", required_argument, NULL, OPT_ON_DAMAGE},
        {"max-expansion", required_argument, NULL, OPT_MAX_EXPANSION},
        {"hints", no_argument, NULL, OPT_HINTS},
        {"no-raw", no_argument, NULL, OPT_NO_RAW},
        {"raw", required_argument, NULL, OPT_RAW},
        {"no-detail", no_argument, NULL, OPT_NO_DETAIL},
        {"no-json-detail", no_argument, NULL, OPT_NO_JSON_DETAIL},
        {"json-args", required_argument, NULL, OPT_JSON_ARGS},
        {"no-packet-args", no_argument, NULL, OPT_NO_PACKET_ARGS},
        {"packet-values", no_argument, NULL, OPT_PACKET_VALUES},
        {"by-reference", no_argument, NULL, OPT_BY_REFERENCE},
        {"whole-sched", no_argument, NULL, OPT_WHOLE_SCHED},
        {"text", required_argument, NULL, OPT_TEXT},
        {"copy", required_argument, NULL, OPT_COPY},
        {"copy-no-packets", no_argument, NULL, OPT_COPY_NO_PACKETS},
        {"temporary-directory", required_argument, NULL, 'T'},
        TM_PROGRAM_OPTIONS_END,
    };
    const struct tm_program_options options = {":j:lT:", longs, take_option, settings};
    int status = tm_program_options(&program, &options, argc, argv);
    return status == TM_OPTIONS_GO_ON ? check(settings, argv + optind, (size_t)(argc - optind)) : status;
}

struct list_line {
    uint32_t order;
    char *text;
};

struct list {
    struct list_line *lines;
    uint32_t count, cap;
};

static enum tm_status list_add(void *arg, const struct tm_unpack_listed *file, struct tm_error *err)
{
    enum { NUMBERS_BYTES = 64, ESCAPED_BYTES = sizeof "\\xNN" - 1 };
    struct list *list = arg;
    const size_t path_len = strlen(file->path);
    const size_t size = NUMBERS_BYTES + strlen(file->type) + ESCAPED_BYTES * (path_len + 1) + 1;
    if (tm_array_grow(&list->lines, &list->cap, list->count, sizeof *list->lines, err) < 0)
        return TM_E_SYSTEM;
    char *text = malloc(size);
    if (text == NULL)
        return tm_error_nomem(err);
    const int n = snprintf(text, size, "%lu\t%s\t%llu\t", (unsigned long)file->processing_order, file->type,
                           (unsigned long long)file->size_bytes);
    tm_text_escape(file->path, path_len, text + n, size - (size_t)n);
    list->lines[list->count++] = (struct list_line){.order = file->processing_order, .text = text};
    return TM_OK;
}

static int compare_lines(const void *a, const void *b)
{
    const struct list_line *x = a, *y = b;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Prints and frees LIST. */
static void list_print(struct list *list)
{
    if (list->count > 0)
        qsort(list->lines, list->count, sizeof *list->lines, compare_lines);
    for (size_t i = 0; i < list->count; i++) {
        (void)puts(list->lines[i].text);
        free(list->lines[i].text);
    }
    free(list->lines);
}

/* Returns the current time: $SOURCE_DATE_EPOCH if that is a number, otherwise the time of the system. */
static int64_t now_s(void)
{
    const char *text = getenv("SOURCE_DATE_EPOCH");
    int64_t seconds;
    if (text && tm_decimal_int(text, strlen(text), &seconds) == TM_OK)
        return seconds;
    return (int64_t)time(NULL);
}

static void warn(void *arg, const char *text)
{
    (void)arg;
    tm_program_warning(&program, "%s", text);
}

/* Unpacks PATHS to FD as a stream. */
static enum tm_status run(struct settings *settings, int fd, char **paths, size_t count, struct tm_error *err)
{
    struct tm_stream_writer writer = {0};
    struct tm_event_sink sink;
    struct tm_text_file text = {.fd = -1};
    struct tm_stream_copy copy = {.fd = -1, .without_packets = settings->copy_no_packets};
    Tracemerge__CompactMessages messages = TRACEMERGE__COMPACT_MESSAGES__INIT;
    struct tm_sandbox sandbox = {.reads = (const char *const *)paths,
                                 .read_count = count,
                                 .folders = {tm_io_temporary_dir(settings->unpack.temporary_dir)},
                                 .makes_folders = true,
                                 .libraries = true};
    tm_event_sink_init(&sink, &writer);
    sink.raw = settings->raw;
    sink.want_detail = !settings->no_detail;
    sink.want_json_detail =
        sink.want_detail && !(settings->no_json_detail && tm_raw_choice_has(&sink.raw, TM_RAW_JSON));
    sink.json_args = settings->json_args.count ? &settings->json_args : NULL;
    sink.want_packet_args = !(settings->no_packet_args && tm_raw_choice_has(&sink.raw, TM_RAW_PACKET));
    sink.want_value_rows = !(settings->packet_values && tm_raw_choice_has(&sink.raw, TM_RAW_PACKET));
    sink.want_compact_messages = settings->whole_sched && tm_raw_choice_has(&sink.raw, TM_RAW_COMPACT_MESSAGE);
    enum tm_status st = settings->text ? tm_text_file_open(&text, settings->text, err) : TM_OK;
    if (st == TM_OK && settings->copy)
        st = tm_stream_copy_open(&copy, settings->copy, err);
    settings->unpack.now_s = now_s();
    settings->unpack.text_file = settings->text ? &text : NULL;
    if (st == TM_OK)
        st = tm_sandbox_enter(&sandbox, err);
    if (st == TM_OK)
        st = tm_stream_writer_open(&writer, fd, program.name,
                                   &(struct tm_stream_header){.stage = TRACEMERGE__STAGE__UNPACKED}, err);
    if (st == TM_OK)
        tm_stream_copy_attach(&copy, &writer);
    if (st == TM_OK && sink.want_compact_messages)
        st = tm_stream_write_message(&writer, TM_FRAME_COMPACT_MESSAGES, &messages.base, err);
    if (st == TM_OK)
        st = tm_unpack(&settings->unpack, &sink, (const char *const *)paths, count, err);
    if (st == TM_OK)
        st = tm_event_sink_flush(&sink, err);
    if (st == TM_OK && settings->text)
        st = tm_text_file_flush(&text, err);
    if (st == TM_OK)
        st = tm_stream_writer_end(&writer, err);
    tm_stream_copy_close(&copy, st);
    tm_text_file_release(&text);
    tm_event_sink_release(&sink);
    tm_stream_writer_release(&writer);
    return st;
}

/* Does what SETTINGS ask for and returns the exit status. */
static int unpack(struct settings *settings, char **paths, size_t count)
{
    struct tm_error err = {0};
    struct list list = {0};
    enum tm_status st = TM_OK;
    int fd = STDOUT_FILENO;
    if (settings->unpack.list) {
        settings->raw = (struct tm_raw_choice){0};
        settings->no_detail = true;
        settings->unpack.listed = list_add;
        settings->unpack.arg = &list;
        fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (fd < 0)
            st = tm_error_set(&err, TM_E_SYSTEM, "/dev/null: cannot open");
    } else if (tm_program_refuses_terminal(fd, "pipe it into tm-manifest, or use --list", &err)) {
        st = TM_E_USAGE;
    }
    if (st == TM_OK)
        st = run(settings, fd, paths, count, &err);
    list_print(&list);
    return tm_program_finish(&program, st, &err);
}

int main(int argc, char **argv)
{
    int status = tm_program_begin(&program);
    if (status != 0)
        return status;
    tm_compat_prepare_heap();
    struct settings settings = {.unpack.warn = warn, .raw = TM_RAW_CHOICE_ALL};
    status = parse(argc, argv, &settings);
    if (status == TM_OPTIONS_GO_ON)
        status = unpack(&settings, argv + optind, (size_t)(argc - optind));
    tm_name_set_release(&settings.json_args);
    return status;
}
