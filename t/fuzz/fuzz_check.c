#include "fuzz.h"

#include "os/io.h"
#include "emit/accounting.h"
#include "stream_notes.h"

#include <unistd.h>

struct fuzz_fault fuzz_fault;

void fuzz_check_status(enum tm_status st, unsigned allowed, const struct tm_error *err)
{
    if (st >= 0)
        return;
    if (st == TM_E_INPUT && !fuzz_fault.is_there)
        fuzz_fault.was_refused = true;
    if (fuzz_fault.is_there)
        allowed = (allowed | 1 << -TM_E_SYSTEM) & ~(fuzz_fault.was_refused ? 0u : 1u << -TM_E_INPUT);
    if (!(allowed >> -st & 1)) {
        fprintf(stderr, "status %d: %s\n", st, err->text);
        abort();
    }
    FUZZ_CHECK(err->status == st);
    FUZZ_CHECK(err->text[0] != '\0');
    for (const char *p = err->text; *p; p++)
        FUZZ_CHECK((unsigned char)*p >= 0x20 && *p != 0x7f);
}

int fuzz_file(void)
{
    int fd;
    struct tm_error err = {0};
    fuzz_fault.calm++;
    if (tm_io_temporary(NULL, &fd, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        exit(2);
    }
    fuzz_fault.calm--;
    return fd;
}

void fuzz_rewind(int fd)
{
    FUZZ_CHECK(lseek(fd, 0, SEEK_SET) == 0);
}

int fuzz_file_of(const void *data, size_t len)
{
    int fd = fuzz_file();
    fuzz_fault.calm++;
    FUZZ_CHECK(tm_io_write(fd, data, len, NULL) == TM_OK);
    fuzz_fault.calm--;
    fuzz_rewind(fd);
    return fd;
}

int fuzz_stream_of(const uint8_t *data, size_t len)
{
    int fd = fuzz_file();
    fuzz_fault.calm++;
    stream_notes_write(fd, data, len);
    fuzz_fault.calm--;
    fuzz_rewind(fd);
    return fd;
}

void fuzz_leave_whole(struct tm_event_sink *sink)
{
    Tracemerge__CompactMessages messages = TRACEMERGE__COMPACT_MESSAGES__INIT;
    sink->want_compact_messages = true;
    fuzz_fault.calm++;
    FUZZ_CHECK(tm_stream_write_message(sink->writer, TM_FRAME_COMPACT_MESSAGES, &messages.base, NULL) == TM_OK);
    fuzz_fault.calm--;
}

void fuzz_check_stream(int fd, bool balanced)
{
    struct tm_stream_reader reader;
    struct tm_catalog catalog = {0};
    struct tm_accounting balance = {0};
    struct tm_frame frame;
    struct tm_batch batch;
    struct tm_error err = {0};
    fuzz_fault.calm++;
    enum tm_status st = tm_stream_reader_open(&reader, fd, &err);
    reader.takes_compact_messages = true;
    while (st == TM_OK && (st = tm_stream_reader_next(&reader, &frame, &batch, &err)) == TM_OK) {
        st = tm_catalog_add(&catalog, &frame, &err);
        if (st == TM_OK && frame.type == TM_FRAME_BATCH)
            st = tm_accounting_add(&balance, &catalog, &batch, reader.header.stage == TRACEMERGE__STAGE__PLACED, &err);
        if (st == TM_OK && frame.type == TM_FRAME_BATCH && reader.has_compact_messages)
            tm_accounting_add_messages(&balance, &batch);
    }
    if (st == TM_END)
        st = tm_accounting_sum(&balance, &catalog, &err);
    if (st == TM_OK && balanced)
        st = tm_accounting_check(&balance, &catalog, &err);
    FUZZ_CHECK(st >= 0 || fprintf(stderr, "%s\n", err.text) < 0);
    fuzz_fault.calm--;
    tm_accounting_release(&balance);
    tm_catalog_release(&catalog);
    tm_stream_reader_release(&reader);
}
