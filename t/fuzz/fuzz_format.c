/* Parsers. The last byte of an input decides how it is read: how damage is handled, and the size of the pieces. */
#include "fuzz.h"

#include "os/input.h"
#include "format/format.h"

#include <unistd.h>

struct pieces {
    const uint8_t *data;
    size_t len, piece;
};

static enum tm_status read_piece(void *source, uint8_t *data, size_t len, size_t *got, struct tm_error *err)
{
    struct pieces *p = source;
    size_t n = p->piece < len ? p->piece : len;
    (void)err;
    n = n < p->len ? n : p->len;
    memcpy(data, p->data, n);
    p->data += n;
    p->len -= n;
    *got = n;
    return n ? TM_OK : TM_END;
}

static enum tm_status parse(const struct tm_format *format, const struct tm_format_context *context,
                            struct tm_error *err)
{
    void *state = NULL;
    enum tm_status st = format->open(context, &state, err);
    while (st == TM_OK)
        st = format->read(state, err);
    format->close(state);
    return st;
}

/* Makes a stream of one file, with the input GIVEN read by FORMAT. False if a call that failed on purpose left no
 * complete stream. */
static bool make_stream(const struct tm_format *format, const struct tm_format_context *given, bool leave_whole, int fd)
{
    struct tm_stream_writer writer;
    struct tm_event_sink sink;
    struct tm_error err = {0};
    Tracemerge__File file = TRACEMERGE__FILE__INIT;
    Tracemerge__FileBegin begin = TRACEMERGE__FILE_BEGIN__INIT;
    begin.clock_policy = format->clock_policy;
    fuzz_fault.calm++;
    FUZZ_CHECK(tm_stream_writer_open(&writer, fd, "fuzz",
                                     &(struct tm_stream_header){.stage = TRACEMERGE__STAGE__UNPACKED}, &err) == TM_OK);
    tm_event_sink_init(&sink, &writer);
    if (leave_whole)
        fuzz_leave_whole(&sink);
    FUZZ_CHECK(tm_event_sink_message(&sink, TM_FRAME_FILE, &file.base, &err) == TM_OK);
    FUZZ_CHECK(tm_event_sink_file_begin(&sink, &begin, &err) == TM_OK);
    struct tm_format_context context = *given;
    context.sink = &sink;
    context.sniff = tm_format_sniff;
    fuzz_fault.calm--;
    enum tm_status st = parse(format, &context, &err);
    fuzz_check_status(st, 1 << -TM_E_INPUT, &err);
    bool is_whole = st != TM_E_SYSTEM && tm_event_sink_file_end(&sink, 0, given->input->offset, &err) == TM_OK &&
                    tm_event_sink_flush(&sink, &err) == TM_OK && tm_stream_writer_end(&writer, &err) == TM_OK;
    FUZZ_CHECK(is_whole || st < 0 || fuzz_fault.is_there);
    tm_event_sink_release(&sink);
    tm_stream_writer_release(&writer);
    return is_whole;
}

void fuzz_parse(const struct tm_format *format, const uint8_t *data, size_t len, uint8_t how, const char *path)
{
    struct tm_format_options options = {.on_damage = (enum tm_on_damage)(how % 3), .hints = how & 4};
    struct pieces pieces = {data, len, how & 8 ? 1 + (how >> 4) * 7u : SIZE_MAX};
    static const struct tm_input_ops ops = {.read = read_piece};
    struct tm_input in;
    int fd = fuzz_file();
    tm_input_init(&in, &ops, &pieces);
    struct tm_extent whole = {.fd = format->by_place ? fuzz_file_of(data, len) : -1, .len = len};
    const struct tm_format_context given = {
        .input = &in, .options = &options, .whole = whole, .path = path, .has_folder = true};
    if (make_stream(format, &given, how & 128, fd)) {
        fuzz_rewind(fd);
        fuzz_check_stream(fd, true);
    }
    tm_input_release(&in);
    close(fd);
    if (whole.fd >= 0)
        close(whole.fd);
}

void fuzz_format(const struct fuzz_target *target, const uint8_t *data, size_t len)
{
    if (len > 0)
        fuzz_parse(target->with, data, len - 1, data[len - 1], NULL);
}
