/* Unit tests of os/read_ahead.h and os/async_writer.h, and of inputs that borrow the memory of others. */
#include "os/read_ahead.h"
#include "os/async_writer.h"
#include "os/io.h"
#include "container/extent.h"
#include "stream/text_file.h"

#include "tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* A source of LEN bytes that depend on their place, in pieces of odd sizes, then the end or a failure. */
struct made {
    uint64_t at, len;
    bool fails;
    bool *closed;
};

static uint8_t made_byte(uint64_t at)
{
    return (uint8_t)((at * UINT64_C(0x9e3779b97f4a7c15)) >> 56);
}

static enum tm_status made_read(void *source, uint8_t *data, size_t len, size_t *got, struct tm_error *err)
{
    struct made *m = source;
    size_t n = 1 + (size_t)(m->at * 7919 % 50021);
    *got = 0;
    if (m->at == m->len)
        return m->fails ? tm_error_set(err, TM_E_INPUT, "byte %llu: made to fail", (unsigned long long)m->at) : TM_END;
    n = n < len ? n : len;
    n = n < m->len - m->at ? n : (size_t)(m->len - m->at);
    for (size_t i = 0; i < n; i++)
        data[i] = made_byte(m->at + i);
    m->at += n;
    *got = n;
    return TM_OK;
}

static void made_close(void *source)
{
    struct made *m = source;
    if (m->closed)
        *m->closed = true;
}

static const struct tm_input_ops made_ops = {.read = made_read, .close = made_close};

/* True if the window has the bytes of its offset. */
static bool is_right(const struct tm_input *in)
{
    for (size_t i = 0; i < in->len; i++)
        if (in->data[i] != made_byte(in->offset + i))
            return false;
    return true;
}

/* Reads all of IN as parsers do: widens the window, reads some bytes, returns some. Returns the last status. */
static enum tm_status read_all(struct tm_input *in, bool *right, struct tm_error *err)
{
    static const size_t needs[] = {1, 7, 512, 60000, 70000, 200000, 3, 1000000, 9, 4096};
    enum tm_status st = TM_OK;
    *right = true;
    for (size_t i = 0; st == TM_OK; i++) {
        size_t need = needs[i % 10];
        st = tm_input_fill(in, need, err);
        *right = *right && (st < 0 || is_right(in)) && (st != TM_OK || in->len >= need);
        if (st != TM_OK)
            break;
        tm_input_skip(in, i % 3 == 0 ? in->len : need - need / 3);
        if (i % 4 == 1 && tm_input_unread(in, 5) > 0)
            *right = *right && is_right(in);
    }
    return st;
}

static void test_ahead(void)
{
    for (int fails = 0; fails < 2; fails++) {
        struct made made = {.len = 20000003, .fails = fails};
        struct tm_error err = {0};
        struct tm_input in;
        bool right, closed = false;
        made.closed = &closed;
        tm_input_init(&in, &made_ops, &made);
        tm_read_ahead_start(&in);
        ok(in.ops != &made_ops);
        is_int(read_all(&in, &right, &err), fails ? TM_E_INPUT : TM_END);
        ok_named(right, "the same bytes at the same places");
        is_str(err.text, fails ? "byte 20000003: made to fail" : "");
        is_int(fails ? 0 : in.offset + in.len, fails ? 0 : made.len);
        ok(!closed);
        tm_input_release(&in);
        ok(closed);
    }
}

static void test_ahead_released_early(void)
{
    bool right = true;
    for (unsigned i = 0; i < 200; i++) {
        struct made made = {.len = UINT64_MAX};
        struct tm_error err = {0};
        struct tm_input in;
        tm_input_init(&in, &made_ops, &made);
        tm_read_ahead_start(&in);
        for (unsigned k = 0; k < i % 20; k++) {
            right = right && tm_input_fill(&in, in.len + 1, &err) == TM_OK && is_right(&in);
            tm_input_skip(&in, i % 2 ? in.len : in.len / 2);
        }
        tm_input_release(&in);
        right = right && made.at < in.offset + (64 << 20);
    }
    ok_named(right, "a reader that goes away ends the thread");
}

static void test_part(void)
{
    for (int ahead = 0; ahead < 2; ahead++) {
        struct made made = {.len = 3000000};
        struct tm_error err = {0};
        struct tm_input around, in;
        bool right;
        tm_input_init(&around, &made_ops, &made);
        if (ahead)
            tm_read_ahead_start(&around);
        struct tm_part part = {.around = &around, .left = 2500000};
        tm_part_open(&part, &in);
        is_int(read_all(&in, &right, &err), TM_END);
        ok_named(right, "a part shows the bytes around it");
        is_int(in.offset + in.len, 2500000);
        size_t rest = in.len;
        tm_part_settle(&part, &in);
        ok(part.left == rest && around.offset == 2500000 - rest);
        tm_input_skip(&in, rest);
        ok(tm_input_unread(&in, 1) == 1 && is_right(&in));
        tm_part_settle(&part, &in);
        ok(part.left == 1 && around.offset == 2499999 && is_right(&around));
        tm_input_release(&in);
        ok(tm_input_advance(&around, 1, &err) == TM_OK);
        struct tm_part rest_part = {.around = &around, .left = 500007};
        tm_part_open(&rest_part, &in);
        ok(tm_input_fill(&in, 500000, &err) == TM_OK && in.offset == 0 && in.data[0] == made_byte(2500000));
        is_int(tm_input_fill(&in, 500001, &err), TM_E_INPUT);
        is_str(err.text, "cut short, 7 bytes are missing");
        tm_input_release(&in);
        rest_part.tolerant = true;
        rest_part.read_bytes = 0;
        tm_part_open(&rest_part, &in);
        is_int(tm_input_fill(&in, 500001, &err), TM_END);
        ok(in.ended && in.len == 500000);
        tm_input_release(&in);
        tm_input_release(&around);
    }
}

static void test_behind(void)
{
    struct tm_error err = {0};
    struct tm_buf data = {0};
    char path[] = "/tmp/behind.XXXXXX";
    int fd = mkstemp(path), closed = open(path, O_RDONLY);
    (void)unlink(path);
    struct tm_async_writer *behind = tm_async_writer_new(fd);
    bool good = behind != NULL;
    for (unsigned i = 0; i < 1000 && good; i++) {
        good = tm_buf_add(&data, &i, sizeof i) == TM_OK &&
               tm_async_writer_write(behind, &data, i * sizeof i, &err) == TM_OK && data.len == 0;
    }
    ok_named(good && tm_async_writer_wait(behind, &err) == TM_OK, "all is written");
    for (unsigned i = 0, got = 0; i < 1000 && good; i++)
        good = tm_io_pread(fd, &got, sizeof got, i * sizeof i, &err) == TM_OK && got == i;
    ok_named(good, "each at its place");
    tm_async_writer_free(behind);
    behind = tm_async_writer_new(closed); /* a descriptor for reading only */
    ok(tm_buf_add_str(&data, "x") == TM_OK && tm_async_writer_write(behind, &data, 0, &err) == TM_OK);
    is_int(tm_async_writer_wait(behind, &err), TM_E_SYSTEM);
    ok(strncmp(err.text, "cannot write: ", 14) == 0);
    ok(tm_buf_add_str(&data, "y") == TM_OK && tm_async_writer_write(behind, &data, 0, &err) == TM_E_SYSTEM &&
       data.len == 1);
    tm_async_writer_free(behind);
    tm_async_writer_free(NULL);
    tm_buf_release(&data);
    (void)close(closed);
    (void)close(fd);
}

static void test_text_file(void)
{
    struct tm_error err = {0};
    struct tm_text_file text;
    char path[] = "/tmp/text.XXXXXX";
    static uint8_t piece[100000];
    uint64_t offset = 0, end = 0;
    bool good = true;
    (void)close(mkstemp(path));
    is_int(tm_text_file_open(&text, path, &err), TM_OK);
    for (unsigned i = 0; i < 60 && good; i++) {
        memset(piece, (int)i, sizeof piece);
        size_t len = 1 + i * 7919 % sizeof piece;
        good = (i % 9 == 4 ? tm_text_file_write : tm_text_file_add)(&text, piece, len, &offset, &err) == TM_OK &&
               offset == end;
        uint8_t first;
        good = good && (i % 9 != 4 || (tm_io_pread(text.fd, &first, 1, offset, &err) == TM_OK && first == i));
        end += len;
    }
    ok_named(good, "texts gathered and not, one behind the other");
    is_int(tm_text_file_flush(&text, &err), TM_OK);
    is_int(lseek(text.fd, 0, SEEK_END), end);
    tm_text_file_release(&text);
    (void)unlink(path);
}

int main(void)
{
    test_ahead();
    test_ahead_released_early();
    test_part();
    test_behind();
    test_text_file();
    return tap_done();
}
