#include "unpack/foreign_type.h"

#include "base/text.h"
#include "container/tar_reader.h"
#include "format/logcat/logcat_line.h"
#include "format/text_lines.h"

#include <stdbool.h>
#include <string.h>

/* Files that no format reads. Sources: the files themselves, draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng, tar(5),
 * the format descriptions of xz, bzip2, lz4 and 7z, and of CPU profiles of gperftools (words 0, 3, 0 of 8 bytes). */
static const struct {
    const char *bytes;
    size_t len;
    const char *cause;
} by_magic[] = {
#define MAGIC(bytes) bytes, sizeof bytes - 1
    {MAGIC("\xfd" "7zXZ\0"), "compressed by xz, which is not supported: xz -dc FILE"},
    {MAGIC("BZh"), "compressed by bzip2, which is not supported: bzip2 -dc FILE"},
    {MAGIC("\x04\x22\x4d\x18"), "compressed by lz4, which is not supported: lz4 -dc FILE"},
    {MAGIC("7z\xbc\xaf\x27\x1c"), "a 7z archive, which is not supported: unpack it and give the directory"},
    {MAGIC("PK\5\6"), "a ZIP without members"},
    {MAGIC("Rar!"), "a RAR archive, which is not supported: unpack it and give the directory"},
    {MAGIC("\xd4\xc3\xb2\xa1"), "packets of a network (pcap), which are not a supported trace"},
    {MAGIC("\xa1\xb2\xc3\xd4"), "packets of a network (pcap), which are not a supported trace"},
    {MAGIC("\x4d\x3c\xb2\xa1"), "packets of a network (pcap), which are not a supported trace"},
    {MAGIC("\xa1\xb2\x3c\x4d"), "packets of a network (pcap), which are not a supported trace"},
    {MAGIC("\xff\xfe"), "text in UTF-16, which is not supported: iconv -f UTF-16 -t UTF-8 FILE"},
    {MAGIC("\xfe\xff"), "text in UTF-16, which is not supported: iconv -f UTF-16 -t UTF-8 FILE"},
    {MAGIC("\x7f" "ELF"), "a program (ELF), not a trace of one"},
    {MAGIC("FLR\0"), "a recording of Java Flight Recorder, which is not supported"},
    {MAGIC("SLOW"), "a method trace of Android's runtime of another version, which is not supported"},
    {MAGIC("\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
     "a CPU profile of gperftools, which has no times and is not supported"},
    {MAGIC("LPKSHHRH"), "a journal as systemd keeps it, which is read as text: journalctl -o export --file=FILE"},
#undef MAGIC
};

/* True if HEAD begins with the frame that begins every stream (tm-stream(5)): 0a LENGTH 0a LENGTH 08 VERSION 12 LENGTH
 * "tm-". */
static bool is_stream(const uint8_t *head, size_t len)
{
    return len > 11 && head[0] == 0x0a && head[2] == 0x0a && head[4] == 0x08 && head[6] == 0x12 &&
           memcmp(head + 8, "tm-", 3) == 0;
}

/* True if HEAD has the key of a manifest in a text that is not one: JSON with comments or single quotes, or YAML. */
static bool is_like_manifest(const uint8_t *head, size_t len)
{
    const struct tm_text text = {head, len};
    return tm_text_find(text, "\"perfetto_manifest\"") || tm_text_find(text, "'perfetto_manifest'") ||
           tm_text_begins(text, "perfetto_manifest:");
}

/* True if HEAD begins with a section header block of pcapng: its type, its length, and a mark of the byte order. */
static bool is_pcapng(const uint8_t *head, size_t len)
{
    return len >= 12 && memcmp(head, "\n\r\r\n", 4) == 0 &&
           (memcmp(head + 8, "\x1a\x2b\x3c\x4d", 4) == 0 || memcmp(head + 8, "\x4d\x3c\x2b\x1a", 4) == 0);
}

/* True if HEAD begins with a sample type of pprof (0a 04 08 TYPE 10 UNIT, numbers of texts), or with its table of
 * texts, whose first one is empty (32 00 32). */
static bool is_pprof(const uint8_t *head, size_t len)
{
    if (len >= 3 && memcmp(head, "\x32\0\x32", 3) == 0)
        return true;
    return len >= 6 && memcmp(head, "\x0a\4\x08", 3) == 0 && head[3] < 0x80 && head[4] == 0x10 && head[5] < 0x80;
}

/* True if HEAD begins with a call in the form of strace without -ttt: "execve(…", or a call after a time of day, both
 * also after "12 " or "[pid 12] ". */
static bool is_strace_without_date(const uint8_t *head, size_t len)
{
    struct tm_text rest = {head, len}, pid;
    bool has_time = false;
    if (tm_text_begins(rest, "[pid"))
        (void)tm_text_cut(&rest, "] ", &pid);
    for (struct tm_text word;
         rest.len > 0 && rest.data[0] >= '0' && rest.data[0] <= '9' && tm_text_cut(&rest, " ", &word);) {
        has_time = word.len >= 8 && word.data[2] == ':' && word.data[5] == ':';
        while (rest.len > 0 && rest.data[0] == ' ')
            rest = tm_text_after(rest, 1);
    }
    size_t name = 0;
    while (name < rest.len && (rest.data[name] == '_' || (rest.data[name] >= 'a' && rest.data[name] <= 'z') ||
                               (rest.data[name] >= '0' && rest.data[name] <= '9')))
        name++;
    return has_time ? name > 0 && name < rest.len && rest.data[name] == '(' : tm_text_begins(rest, "execve(\"");
}

/* True if TEXT begins as FORM says: 0 stands for a digit, a for a letter, _ for a digit or a blank, other bytes for
 * themselves. */
static bool has_form(struct tm_text text, const char *form)
{
    size_t n = strlen(form);
    for (size_t i = 0; i < n && i < text.len; i++) {
        char c = tm_text_chars(text)[i];
        bool is_letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        bool fits = form[i] == '0'   ? tm_text_is_digit(c)
                    : form[i] == 'a' ? is_letter
                    : form[i] == '_' ? tm_text_is_digit(c) || c == ' '
                                     : c == form[i];
        if (!fits)
            return false;
    }
    return text.len >= n;
}

/* True if HEAD begins with a line of dmesg, or of syslog or journalctl -o short or short-iso, which state a host and a
 * program after the time. */
static bool is_system_log(const uint8_t *head, size_t len)
{
    struct tm_text line = {head, len}, host, program;
    if (has_form(line, "[____0.000000] "))
        return true;
    bool is_iso = has_form(line, "0000-00-00T00:00:00") && tm_text_cut(&line, " ", &host);
    if (!is_iso && !has_form(line, "aaa _0 00:00:00 "))
        return false;
    if (!is_iso)
        line = tm_text_after(line, strlen("aaa _0 00:00:00 "));
    if (!tm_text_cut(&line, " ", &host) || !tm_text_cut(&line, " ", &program) || program.len < 3 ||
        program.data[program.len - 1] != ':' || memchr(program.data, '\n', program.len))
        return false;
    /* Logs of programs have the form "TIME LEVEL PLACE: TEXT". */
    return !is_iso || program.data[program.len - 2] == ']' || tm_text_is(program, "kernel:");
}

/* True if the first line that is not a divider is one of logcat -v brief. */
static bool is_brief_log(const uint8_t *head, size_t len)
{
    const char *p = (const char *)head, *end = p + len, *eol;
    while ((eol = memchr(p, '\n', (size_t)(end - p))) != NULL && tm_logcat_line_is_divider(p, (size_t)(eol - p)))
        p = eol + 1;
    return tm_logcat_line_is_brief(p, (size_t)((eol ? eol : end) - p));
}

/* Outputs of tm-emit that are no traces: how they begin, after blanks, and what else their first bytes have (NULL:
 * anything). */
static const struct {
    const char *beginning, *within, *cause;
} outputs[] = {
#define OUTPUT(name)                                                                                                  \
    name " that tracemerge wrote, which is no trace; merge the traces that it was made from, or their pftrace or "    \
         "json"
    {"ts,dur,kind,name,", ",machine_id,", OUTPUT("csv")},
    {"{\"kind\":\"", ",\"machine_id\":", OUTPUT("jsonl")},
    {"TIME MACHINE PROCESS/THREAD ", " KIND ", OUTPUT("text")},
    {"@0 Header version=", " stage=", OUTPUT("frames")},
    {"files\n  order  type ", NULL, OUTPUT("a report")},
    {"{\n\"files\":[", "\"processing_order\":", OUTPUT("a report")},
    {"The timeline is ", NULL, OUTPUT("an explanation")},
    {"{\n\"trace_time\":{\"text\":", NULL, OUTPUT("an explanation")},
    {"{\n\"placements\":[", "\"rule\":", OUTPUT("a summary")},
    {"file\tmachine\tclock\treason\t", NULL, OUTPUT("a list of dropped events")},
    {"<svg xmlns=", " role=\"img\"", OUTPUT("svg")},
#undef OUTPUT
};

/* Returns the cause for HEAD if it is an output of tm-emit, else NULL. */
static const char *output_cause(const uint8_t *head, size_t len)
{
    size_t blanks = 0;
    while (blanks < len && head[blanks] == ' ')
        blanks++;
    const struct tm_text text = {head + blanks, len - blanks};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        size_t n = strlen(outputs[i].beginning);
        if (text.len >= n && memcmp(text.data, outputs[i].beginning, n) == 0 &&
            (outputs[i].within == NULL || tm_text_find(text, outputs[i].within)))
            return outputs[i].cause;
    }
    return NULL;
}

bool tm_foreign_type_is_look_alike(const uint8_t *head, size_t len)
{
    return is_stream(head, len) || is_pcapng(head, len) || is_pprof(head, len) || output_cause(head, len) != NULL;
}

const char *tm_foreign_type_place_cause(const char *path)
{
    static const char *const parts[] = {"corespace/",   "instrument_data/",       "shared_data/", "Trace",
                                        "form.template", "UI_state_metadata.bin", "open.creq"};
    static const char end[] = ".trace/";
    const char *inside = path;
    while ((inside = strstr(inside, end)) != NULL) {
        inside += sizeof end - 1;
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            if (strncmp(inside, parts[i], strlen(parts[i])) == 0)
                return "a part of a recording of Instruments, which is read as XML: xctrace export --input "
                       "FILE.trace --xpath '//table[@schema=\"time-profile\"]'";
    }
    return NULL;
}

const char *tm_foreign_type_cause(const uint8_t *head, size_t len)
{
    if (len == 0)
        return "unknown trace type (no data)";
    if (is_stream(head, len))
        return "a tracemerge stream, which has been unpacked already: tm-emit or tm-sort -m read it";
    const char *cause = output_cause(head, len);
    if (cause)
        return cause;
    if (is_like_manifest(head, len))
        return "like a manifest, which must be JSON that begins with {\"perfetto_manifest\", without comments";
    if (is_pprof(head, len))
        return "a profile of pprof, which has no times and is not supported";
    if (is_pcapng(head, len))
        return "packets of a network (pcapng), which are not a supported trace";
    for (size_t i = 0; i < sizeof by_magic / sizeof *by_magic; i++)
        if (len >= by_magic[i].len && memcmp(head, by_magic[i].bytes, by_magic[i].len) == 0)
            return by_magic[i].cause;
    if (tm_tar_is_header(head, len)) /* without the mark by which a TAR is recognised */
        return "a TAR of an old form, or with a label, which is not supported: unpack it and give the directory";
    if (is_strace_without_date(head, len))
        return "a log of strace without dates: strace -f -ttt -T";
    if (is_system_log(head, len))
        return "a log of the system as text: journalctl -o export writes it with its clocks (-k: the kernel's log)";
    if (is_brief_log(head, len))
        return "a log of logcat without times: logcat -v threadtime -v year -v usec -v UTC";
    return "unknown trace type; supported are: Perfetto and Fuchsia traces, Chrome JSON, ftrace and systrace text, "
           "perf.data, trace.dat, perf script, strace -ttt, logcat, journalctl -o json, Firefox and Instruments "
           "profiles, .cpuprofile, CTF, spans (OTLP, Jaeger, Zipkin), XSpace, Nsight Systems' SQLite, simpleperf, "
           "ART method traces, ninja's log; these in TAR, ZIP, gzip or zstd";
}
