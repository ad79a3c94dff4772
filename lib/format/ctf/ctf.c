#include "format/ctf/internal.h"

#include "base/bytes.h"
#include "format/ctf/library.h"
#include "kernel/sched_state.h"
#include "stream/clock_id.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { EVENTS_AT_ONCE = 1024, MAGIC_LEN = 4 };

static const char metadata[] = "metadata";

/* LTTng's "monotonic" is CLOCK_MONOTONIC; the trace states its offset from the time of day. */
static Tracemerge__ClockPolicy policy_of(const struct tm_child_event *clock)
{
    if (clock->kind != TM_CHILD_EVENT_CLOCK)
        return TRACEMERGE__CLOCK_POLICY__PRIVATE;
    if (tm_text_is(clock->event, "monotonic") && clock->buffer & TM_CTF_CLOCK_IS_NS)
        return TRACEMERGE__CLOCK_POLICY__MONOTONIC_CLOCK;
    return clock->buffer & TM_CTF_CLOCK_IS_UNIX ? TRACEMERGE__CLOCK_POLICY__REALTIME_CLOCK
                                                : TRACEMERGE__CLOCK_POLICY__PRIVATE;
}

static enum tm_status put_snapshot(struct tm_ctf *c, struct tm_error *err)
{
    Tracemerge__Snapshot snapshot = TRACEMERGE__SNAPSHOT__INIT;
    const struct tm_clock_reading pair[2] = {{TM_CLOCK_MONOTONIC, c->first.cycles},
                                             {TM_CLOCK_REALTIME, c->first.time_ns}};
    if (c->policy != TRACEMERGE__CLOCK_POLICY__MONOTONIC_CLOCK || !(c->first.buffer & TM_CTF_CLOCK_IS_UNIX))
        return TM_OK;
    snapshot.has_no_default = snapshot.no_default = true;
    return tm_event_sink_snapshot(c->context.sink, &snapshot, pair, err);
}

/* Returns the folder UP levels above the folder of the file PATH. The caller frees it. NULL: no memory. */
static char *folder_of(const char *path, int up)
{
    const char *slash = strrchr(path, '/');
    const size_t size = strlen(path) + sizeof "/..";
    char *folder = malloc(size);
    if (folder == NULL)
        return NULL;
    /* The folder of a file in the root folder is "/". */
    const size_t len = slash == NULL ? 1 : slash == path ? 1 : (size_t)(slash - path);
    (void)snprintf(folder, size, "%.*s%s", (int)len, slash ? path : ".", up ? "/.." : "");
    return folder;
}

/* Checks the packets of FILE, the metadata, if it has any. The library can read without end in a packet that is cut
 * short. TM_OK; TM_E_INPUT; TM_E_SYSTEM. Source: Common Trace Format 1.8.3, 7.1 Metadata. */
static enum tm_status check_packets(const struct tm_extent *file, struct tm_error *err)
{
    enum { HEADER_BYTES = 37, CONTENT_BITS_AT = 24, PACKET_BITS_AT = 28 };
    uint8_t header[HEADER_BYTES];
    const uint32_t magic = 0x75d11d57;
    for (uint64_t at = 0, left; (left = file->len - at) > 0;) {
        size_t have = left < HEADER_BYTES ? (size_t)left : HEADER_BYTES;
        enum tm_status st = tm_extent_read(file, at, header, have, err);
        if (st < 0)
            return st;
        bool is_little = have >= MAGIC_LEN && tm_get_le32(header) == magic;
        if (at == 0 && !is_little && (have < MAGIC_LEN || tm_get_be32(header) != magic)) /* text */
            return TM_OK;
        uint32_t content = is_little ? tm_get_le32(header + CONTENT_BITS_AT) : tm_get_be32(header + CONTENT_BITS_AT);
        uint32_t packet = is_little ? tm_get_le32(header + PACKET_BITS_AT) : tm_get_be32(header + PACKET_BITS_AT);
        if (have < HEADER_BYTES || (!is_little && tm_get_be32(header) != magic) || content / 8 < HEADER_BYTES ||
            packet < content || packet / 8 > left)
            return tm_error_set(err, TM_E_INPUT, "the packet of the metadata at byte %llu is cut short or damaged",
                                (unsigned long long)at);
        at += packet / 8;
    }
    return TM_OK;
}

static enum tm_status ctf_open(const struct tm_format_context *context, void **state, struct tm_error *err)
{
    if (!tm_ctf_library_is_there()) {
        tm_error_set(err, TM_E_INPUT, "a trace in the Common Trace Format (CTF), which this build cannot read as it "
                                      "was made without libbabeltrace2 (Debian package: libbabeltrace2-dev)");
        return TM_END;
    }
    if (context->path == NULL || !context->has_folder) {
        tm_error_set(err, TM_E_INPUT, "metadata of a trace in the Common Trace Format (CTF), which is a directory: "
                                      "give that, or an archive of it that is a regular file");
        return TM_END;
    }
    enum tm_status st = tm_ctf_library_load(err);
    if (st < 0)
        return st;
    struct tm_ctf *c = calloc(1, sizeof *c);
    if (c == NULL || (c->folder = folder_of(context->path, 0)) == NULL) {
        free(c);
        return tm_error_nomem(err);
    }
    *state = c;
    c->context = *context;
    c->ftrace.sink = context->sink;
    if ((st = check_packets(&context->whole, &c->refused)) == TM_E_INPUT)
        return TM_OK;
    if (st < 0)
        return tm_error_set(err, st, "%s", c->refused.text);
    st = tm_subprocess_open(&c->child, tm_ctf_library_read, c->folder, err);
    if (st < 0)
        return st;
    st = tm_child_event_read(&c->first, &c->child.out, &c->refused);
    if (st == TM_E_SYSTEM)
        return tm_error_set(err, st, "%s", c->refused.text);
    c->policy = policy_of(&c->first);
    c->is_kernel = st == TM_OK && tm_text_is(c->first.task, "kernel");
    c->kernel_version = st == TM_OK ? tm_kernel_version_parse(tm_text_chars(c->first.args), c->first.args.len) : 0;
    c->has_first = st == TM_OK;
    if (st == TM_OK && c->first.kind == TM_CHILD_EVENT_REFUSED)
        tm_error_set(&c->refused, TM_E_INPUT, "%.*s", (int)c->first.args.len, tm_text_chars(c->first.args));
    c->first.event = c->first.task = c->first.args = (struct tm_text){0};
    return TM_OK;
}

static Tracemerge__ClockPolicy ctf_policy(const void *state)
{
    const struct tm_ctf *c = state;
    return c->policy;
}

/* Writes the statistics and ends the file. */
static enum tm_status write_counts(struct tm_ctf *c, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (c->lost_count)
        st = tm_event_sink_stat(c->context.sink, "ctf_lost_events", TRACEMERGE__SEVERITY__DATA_LOSS,
                                (int64_t)c->lost_count, err);
    if (st == TM_OK && c->lost_packet_count)
        st = tm_event_sink_stat(c->context.sink, "ctf_lost_packets", TRACEMERGE__SEVERITY__DATA_LOSS,
                                (int64_t)c->lost_packet_count, err);
    if (st == TM_OK && c->cut_count)
        st = tm_event_sink_stat(c->context.sink, "ctf_args_cut", TRACEMERGE__SEVERITY__DATA_LOSS,
                                (int64_t)c->cut_count, err);
    if (st == TM_OK && c->ftrace.malformed_count)
        st = tm_event_sink_stat(c->context.sink, "systrace_parse_failure", TRACEMERGE__SEVERITY__ERROR,
                                (int64_t)c->ftrace.malformed_count, err);
    return st < 0 ? st : TM_END;
}

/* Ends the file after the child failed. *WHY is the cause; if it is not set, the child's exit status is. */
static enum tm_status give_up(struct tm_ctf *c, struct tm_error *why, struct tm_error *err)
{
    if (why->status >= 0)
        (void)tm_subprocess_close(&c->child, why);
    if (why->status == TM_E_SYSTEM)
        return tm_error_set(err, TM_E_SYSTEM, "%s", why->text);
    if (c->context.options->on_damage != TM_DAMAGE_HALT) {
        enum tm_status st =
            tm_event_sink_account(c->context.sink, (struct tm_loss){TM_DROP_DAMAGED, 0, 1, UINT64_MAX}, err);
        return st < 0 ? st : write_counts(c, err);
    }
    tm_error_set(err, TM_E_INPUT, "byte 0: libbabeltrace2 cannot read this trace beyond %llu events: %s",
                 (unsigned long long)c->event_count,
                 why->text[0] ? why->text : "damaged, or not given with its directory");
    return tm_error_recoverable(err);
}

static enum tm_status begin(struct tm_ctf *c, struct tm_error *err)
{
    c->is_begun = true;
    if (!c->has_first || c->first.kind == TM_CHILD_EVENT_REFUSED)
        return give_up(c, &c->refused, err);
    if (c->first.kind != TM_CHILD_EVENT_CLOCK) /* there are no events */
        return write_counts(c, err);
    return put_snapshot(c, err);
}

static enum tm_status ctf_read(void *state, struct tm_error *err)
{
    struct tm_ctf *c = state;
    if (!c->is_begun)
        return begin(c, err);
    for (int i = 0; i < EVENTS_AT_ONCE; i++) {
        struct tm_child_event event;
        struct tm_error why = {0};
        enum tm_status st = tm_child_event_read(&event, &c->child.out, &why);
        if (st == TM_E_SYSTEM)
            return tm_error_set(err, st, "%s", why.text);
        if (st == TM_OK && event.kind == TM_CHILD_EVENT_DONE) {
            tm_ctf_count_lost(c, &event);
            return write_counts(c, err);
        }
        if (st == TM_OK && event.kind == TM_CHILD_EVENT_REFUSED)
            tm_error_set(&why, TM_E_INPUT, "%.*s", (int)event.args.len, tm_text_chars(event.args));
        if (st != TM_OK || event.kind != TM_CHILD_EVENT)
            return give_up(c, &why, err);
        if ((st = tm_ctf_add_event(c, &event, err)) < 0)
            return st;
    }
    return TM_OK;
}

static void ctf_close(void *state)
{
    struct tm_ctf *c = state;
    struct tm_error ignored = {0};
    if (c == NULL)
        return;
    (void)tm_subprocess_close(&c->child, &ignored);
    tm_ftrace_text_release(&c->ftrace);
    tm_map_release(&c->running);
    tm_map_release(&c->named);
    tm_buf_release(&c->line);
    tm_buf_release(&c->detail);
    tm_buf_release(&c->key);
    free(c->folder);
    free(c);
}

/* The file "metadata" is text, or packets in either byte order. */
static bool ctf_sniff(const uint8_t *head, size_t len)
{
    static const char text[] = "/* CTF 1";
    return (len >= MAGIC_LEN && (memcmp(head, "\x57\x1d\xd1\x75", MAGIC_LEN) == 0 ||
                                 memcmp(head, "\x75\xd1\x1d\x57", MAGIC_LEN) == 0)) ||
           (len >= sizeof text - 1 && memcmp(head, text, sizeof text - 1) == 0);
}

const struct tm_format tm_format_ctf = {
    .type = TM_INPUT_CTF,
    .priority = TM_PRIORITY_TRACE,
    .clock_policy = TRACEMERGE__CLOCK_POLICY__PRIVATE,
    .policy_of = ctf_policy,
    .sniff = ctf_sniff,
    .open = ctf_open,
    .read = ctf_read,
    .close = ctf_close,
    .by_place = true,
};

/* Accepts a stream if its folder or the one above has the file "metadata", with which it is read. */
static enum tm_status stream_open(const struct tm_format_context *context, void **state, struct tm_error *err)
{
    bool is_there = false;
    *state = NULL;
    for (int up = 0; up < 2 && context->path && !is_there; up++) {
        char *folder = folder_of(context->path, up);
        char *path = folder ? malloc(strlen(folder) + sizeof metadata + 1) : NULL;
        if (path) {
            (void)strcat(strcat(strcpy(path, folder), "/"), metadata);
            is_there = access(path, F_OK) == 0;
        }
        free(path);
        free(folder);
    }
    if (is_there)
        return TM_OK;
    tm_error_set(err, TM_E_INPUT, "a stream of a trace in the Common Trace Format (CTF), which cannot be read without "
                                  "the file metadata: give the trace's directory, or an archive that has both");
    return TM_END;
}

static enum tm_status stream_read(void *state, struct tm_error *err)
{
    (void)state;
    (void)err;
    return TM_END;
}

static void stream_close(void *state)
{
    (void)state;
}

static bool stream_sniff(const uint8_t *head, size_t len)
{
    static const char magics[][MAGIC_LEN + 1] = {"\xc1\x1f\xfc\xc1", "\xc1\xfc\x1f\xc1", "\xc1\xdc\xf1\xc1",
                                                 "\xc1\xf1\xdc\xc1"};
    for (size_t i = 0; len >= MAGIC_LEN && i < sizeof magics / sizeof *magics; i++)
        if (memcmp(head, magics[i], MAGIC_LEN) == 0)
            return true;
    return false;
}

const struct tm_format tm_format_ctf_stream = {
    .type = TM_INPUT_CTF_STREAM,
    .priority = TM_PRIORITY_TRACE,
    .clock_policy = TRACEMERGE__CLOCK_POLICY__NO_CLOCK,
    .sniff = stream_sniff,
    .open = stream_open,
    .read = stream_read,
    .close = stream_close,
    .by_place = true,
};
