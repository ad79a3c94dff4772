/* Unit tests of lib/pack: headers of large members, and full disks. */
#include "pack/pack.h"
#include "pack/tar_writer.h"
#include "pack/zip_writer.h"
#include "container/tar_reader.h"
#include "os/io.h"

#include "tap.h"

#include <fcntl.h>
#include <unistd.h>

enum { BLOCK = 512, LONG_NAME = 150 };
#define LARGE (UINT64_C(9) << 30)

/* A member of 9 GiB with a long name: our reader reads its size, and so can others, from the header in base-256. */
static void test_large_member(void)
{
    struct tm_error err = {0};
    struct tm_input in;
    struct tm_tar_reader tar;
    struct tm_tar_entry entry;
    uint8_t bytes[20 * BLOCK];
    char name[LONG_NAME + 1];
    int fd = -1;
    memset(name, 'n', LONG_NAME);
    name[LONG_NAME] = '\0';
    ok(tm_io_temporary(NULL, &fd, &err) == TM_OK);
    struct tm_byte_out out = {.fd = fd};
    struct tm_tar_writer writer = {&out};
    ok(tm_tar_writer_begin(&writer, true, &err) == TM_OK);
    ok(tm_tar_writer_member(&writer, name, LARGE, &err) == TM_OK);
    ok(out.bytes <= sizeof bytes && tm_io_pread(fd, bytes, (size_t)out.bytes, 0, &err) == TM_OK);
    const uint8_t *header = bytes + out.bytes - BLOCK, *size = header + 124;
    ok(memcmp(header, name, 100) == 0);
    ok(size[0] == 0x80 && memcmp(size + 1, "\0\0\0\0\0\0\2\x40\0\0\0", 11) == 0);
    tm_input_init_bytes(&in, bytes, (size_t)out.bytes);
    tm_tar_reader_init(&tar, &in, UINT64_MAX);
    ok(tm_tar_next(&tar, &entry, &err) == TM_OK);
    ok(entry.name_bytes == LONG_NAME && memcmp(entry.name, name, LONG_NAME) == 0);
    is_int(entry.size_bytes, LARGE);
    tm_tar_reader_release(&tar);
    tm_input_release(&in);
    tm_byte_out_release(&out);
    close(fd);
}

static void test_full_disk(void)
{
    static uint8_t data[1 << 20];
    struct tm_error err = {0};
    uint32_t state = 1;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)((state = state * 1664525 + 1013904223) >> 24);
    struct tm_zip_writer zip = {0};
    enum tm_status st = tm_zip_writer_begin(&zip, "/nowhere/at/all.zip", &err);
    is_int(st, TM_E_SYSTEM);
    ok(strstr(err.text, "cannot write: No such file") != NULL);
    tm_zip_writer_release(&zip);
    int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        ok_named(true, "no full disk # SKIP no /dev/full");
        return;
    }
    err = (struct tm_error){0};
    st = tm_zip_writer_begin(&zip, "/dev/full", &err);
    for (int i = 0; i < 2 && st == TM_OK; i++) {
        st = tm_zip_writer_member(&zip, i ? "b" : "a", sizeof data, &err);
        if (st == TM_OK)
            st = tm_zip_writer_data(&zip, data, sizeof data, &err);
    }
    if (st == TM_OK)
        st = tm_zip_writer_end(&zip, &err);
    is_int(st, TM_E_SYSTEM);
    ok(strncmp(err.text, "cannot write: ", 14) == 0);
    tm_zip_writer_release(&zip);
    for (int gzip = 0; gzip < 2; gzip++) {
        struct tm_byte_out out = {.fd = fd};
        err = (struct tm_error){0};
        st = gzip ? tm_byte_out_gzip(&out, &err) : TM_OK;
        if (st == TM_OK)
            st = tm_byte_out_write(&out, data, sizeof data, &err);
        is_int(st, TM_E_SYSTEM);
        ok(strstr(err.text, "No space left on device") != NULL);
        tm_byte_out_release(&out);
    }
    close(fd);
}

static void test_kinds(void)
{
    static const struct {
        const char *path;
        enum tm_pack_kind kind;
    } rows[] = {{"a.tar", TM_PACK_TAR},    {"d/a.tar.gz", TM_PACK_TAR_GZ}, {"a.tgz", TM_PACK_TAR_GZ},
                {"a.zip", TM_PACK_ZIP},    {".tar", TM_PACK_UNKNOWN},      {"tar", TM_PACK_UNKNOWN},
                {"a.tar.xz", TM_PACK_UNKNOWN}, {"", TM_PACK_UNKNOWN},      {"a.ZIP", TM_PACK_UNKNOWN}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ok_named(tm_pack_kind_of(rows[i].path) == rows[i].kind, rows[i].path);
}

int main(void)
{
    test_large_member();
    test_full_disk();
    test_kinds();
    return tap_done();
}
