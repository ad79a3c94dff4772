/* Unit tests of tm-manifest on a stream: the file that an entry configures, the places of new frames, refusals. All
 * other frames pass unchanged. */
#include "configure_run.h"
#include "tap.h"

#include <unistd.h>

#define V(body) "{\"perfetto_manifest\": {\"version\": 1, \"files\": [" body "]}}"
#define PATH(path) "{\"path\": \"" path "\"}"
#define NAMED(path, name) "{\"path\": \"" path "\", \"machine\": {\"name\": \"" name "\"}}"

#define PINNED(path, file)                                                                                             \
    "{\"path\": \"" path "\", \"clocks\": {\"sync_to\": {\"file\": \"" file "\", \"clock\": \"BOOTTIME\"}}}"

#define NO_OVERRIDES                                                                                                   \
    "perfetto_manifest: overrides are not supported for trace files which are themselves archives or "                 \
    "perfetto_manifest files: "

static void test_archive(void)
{
    struct fixture f;
    archive(&f, V(PATH("a.pb")));
    finish(&f, NULL, "1: F F F F F F B B C f1=0 B 3 events B F B 2 events B F B 1 events B 1 events ", 0);
    archive(&f, V(NAMED("b.json.gz", "x") "," NAMED("dir/c", "x")));
    finish(&f, NULL, "1: F F F F F F B B C f2=0 f5=1 B 3 events B F f6=0 B 2 events B F B 1 events B 1 events ", 0);
    /* exact names only; the manifest does not apply to members of inner archives */
    archive(&f,
            V(PATH("./a.pb") "," PATH("c") "," PATH("inner.pb") "," PATH("") "," PATH("b.json") "," PATH("run.tar")));
    finish(&f, NULL, "1: F F F F F F B B C B 3 events B F B 2 events B F B 1 events B 1 events ", 6);
    struct tm_configure_options strict = {.producer = "test", .strict = true};
    archive(&f, V(PATH("a.pb") "," PATH("ghost.pb")));
    finish(&f, &strict,
           "run.tar: m.json: perfetto_manifest: files[1]: path 'ghost.pb' matches no file, line 1, column 65", 1);
    archive(&f, V(PATH("a.pb")));
    finish(&f, &strict, "1: F F F F F F B B C f1=0 B 3 events B F B 2 events B F B 1 events B 1 events ", 0);
    archive(&f, "{\"perfetto_manifest\": {}}");
    finish(&f, NULL, "run.tar: m.json: perfetto_manifest: missing required field: version, line 1, column 23", 0);
}

static void test_overrides(void)
{
    struct fixture f;
    archive(&f, V(PATH("inner.tar") "," PATH("m.json")));
    finish(&f, NULL, "1: F F F F F F B B C f3=0 f4=1 B 3 events B F B 2 events B F B 1 events B 1 events ", 0);
    archive(&f, V(NAMED("inner.tar", "x")));
    finish(&f, NULL,
           "run.tar: m.json: " NO_OVERRIDES "inner.tar, an archive", 0);
    archive(&f, V("{\"path\": \"inner.tar\", \"clocks\": {\"clock\": \"BOOTTIME\", \"sync_to\": {\"file\": \"a.pb\"}}}"
                  "," PATH("a.pb")));
    finish(&f, NULL,
           "run.tar: m.json: " NO_OVERRIDES "inner.tar, an archive", 0);
    archive(&f, V(NAMED("m.json", "x")));
    finish(&f, NULL,
           "run.tar: m.json: " NO_OVERRIDES "m.json, a perfetto_manifest", 0);
    start(&f, TRACEMERGE__STAGE__UNPACKED); /* an archive inside a compressed member */
    file(&f, -1, NULL, "zip");
    file(&f, 0, "t.tar.gz", "gzip");
    file(&f, 0, "m.json", "");
    begin(&f, 0, "zip", false);
    manifest(&f, 2, V(NAMED("t.tar.gz", "x")));
    begin(&f, 1, "gzip", false);
    file(&f, 1, "", "tar");
    finish(&f, NULL, "standard input: m.json: " NO_OVERRIDES "t.tar.gz, an archive", 0);
}

/* A compressed file with two documents inside. Both get its entry, unless that pins a timeline, which each has for
 * itself. */
static void test_two_inside(void)
{
    static const char both[] = "1: F F F B B C f2=0 B F f3=0 F f4=0 ";
    static const struct {
        const char *text, *want;
    } cases[] = {{V(PATH("two.json.gz")), both},
                 {V(NAMED("two.json.gz", "x")), both},
                 {V(PINNED("two.json.gz", "b") "," PATH("b")),
                  "standard input: m.json: perfetto_manifest: files[0]: path 'two.json.gz' matches two files"}};
    struct fixture f;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        start(&f, TRACEMERGE__STAGE__UNPACKED);
        file(&f, -1, NULL, "tar");
        file(&f, 0, "m.json", "");
        file(&f, 0, "two.json.gz", "");
        begin(&f, 0, "tar", false);
        manifest(&f, 1, cases[i].text);
        begin(&f, 2, "gzip", false);
        file(&f, 2, "", "json");
        file(&f, 2, "", "json");
        finish(&f, NULL, cases[i].want, 0);
    }
}

static void test_one_manifest(void)
{
    struct fixture f;
    start(&f, TRACEMERGE__STAGE__UNPACKED);
    file(&f, -1, NULL, "tar");
    file(&f, 0, "m.json", "");
    file(&f, 0, "n.json", "");
    begin(&f, 0, "tar", false);
    manifest(&f, 1, V(PATH("a")));
    manifest(&f, 2, V(PATH("a")));
    finish(&f, NULL, "standard input: n.json: perfetto_manifest: multiple perfetto_manifest files in archive", 0);
    start(&f, TRACEMERGE__STAGE__UNPACKED);
    file(&f, -1, NULL, "tar");
    file(&f, 0, "a.pb", "");
    file(&f, 0, "m.json", "");
    begin(&f, 0, "tar", false);
    events(&f, 1, 3);
    manifest(&f, 2, V(PATH("a")));
    finish(&f, NULL,
           "perfetto_manifest: perfetto_manifest file must be the first trace file in the input", 0);
}

/* Directory: files given on the command line. */
static void test_given_files(const char *text, const char *a, const char *b, const char *want, size_t unmatched)
{
    struct fixture f;
    start(&f, TRACEMERGE__STAGE__UNPACKED);
    file(&f, -1, NULL, "directory");
    file(&f, 0, a, "");
    file(&f, 0, b, "");
    file(&f, 0, "m.json", "");
    begin(&f, 0, "directory", false);
    manifest(&f, 3, text);
    finish(&f, NULL, want, unmatched);
}

static void test_command_line(void)
{
    test_given_files(V(PATH("./a") "," PATH("x/b")), "./a", "x/b", "1: F F F F B B C f1=0 f2=1 ", 0);
    test_given_files(V(PATH("a") "," PATH("b")), "././a", "/x/y/b", "1: F F F F B B C f1=0 f2=1 ", 0);
    test_given_files(V(PATH("a")), "x/a", "y/a", "m.json: perfetto_manifest: files[0]: path 'a' matches two files", 0);
    test_given_files(V(PATH("a")), "a", "a", "m.json: perfetto_manifest: files[0]: path 'a' matches two files", 0);
    test_given_files(V(PATH("a")), "./a", "a", "1: F F F F B B C f2=0 ", 0);
    test_given_files(V(PATH("a")), "x/a", "a", "1: F F F F B B C f2=0 ", 0);
    test_given_files(V(PATH("x/a") "," PATH("a")), "x/a", "b",
                     "m.json: perfetto_manifest: paths 'x/a' and 'a' match the same file", 0);
    test_given_files(V(PATH("a") "," PATH("x/") "," PATH("")), "x/", "b/", "1: F F F F B B C f1=1 ", 2);
}

static void test_streams(void)
{
    struct fixture f;
    start(&f, TRACEMERGE__STAGE__UNPACKED); /* gzip members one after another */
    file(&f, -1, NULL, "gzip");
    file(&f, 0, "m.json", "");
    begin(&f, 0, "gzip", false);
    manifest(&f, 1, V(PATH("b.pb") "," PATH("a.pb")));
    file(&f, 0, "a.pb", "");
    events(&f, 2, 1);
    file(&f, 0, "b.pb", "");
    events(&f, 3, 1);
    finish(&f, NULL, "1: F F B B C F f2=1 B 1 events F f3=0 B 1 events ", 0);
    start(&f, TRACEMERGE__STAGE__UNPACKED); /* .tar.gz with the manifest compressed */
    file(&f, -1, NULL, "gzip");
    begin(&f, 0, "gzip", false);
    file(&f, 0, "", "tar");
    file(&f, 1, "a.pb", "");
    file(&f, 1, "m.json.gz", "");
    begin(&f, 1, "tar", false);
    begin(&f, 3, "gzip", false);
    file(&f, 3, "", "");
    manifest(&f, 4, V(PATH("a.pb")));
    events(&f, 2, 1);
    finish(&f, NULL, "1: F B F F F B B F B C f2=0 B 1 events ", 0);
    start(&f, TRACEMERGE__STAGE__UNPACKED); /* an inner archive's manifest applies to that archive's members */
    file(&f, -1, NULL, "tar");
    file(&f, 0, "inner.tar", "");
    file(&f, 0, "a.pb", "");
    begin(&f, 0, "tar", false);
    begin(&f, 1, "tar", false);
    file(&f, 1, "m.json", "");
    file(&f, 1, "b.pb", "");
    manifest(&f, 3, V(PATH("a.pb") "," PATH("b.pb")));
    events(&f, 4, 1);
    events(&f, 2, 1);
    finish(&f, NULL, "1: F F F B B F F B C f4=1 B 1 events B 1 events ", 1);
    start(&f, TRACEMERGE__STAGE__UNPACKED); /* the manifest plain, compressed traces and an archive after it */
    file(&f, -1, NULL, "perfetto_manifest");
    manifest(&f, 0, V(PATH("a.pb") "," PATH("b.pb") "," PATH("c.pb")));
    file(&f, 0, "", "gzip");
    begin(&f, 1, "gzip", false);
    file(&f, 1, "a.pb", "proto");
    file(&f, 0, "", "tar");
    begin(&f, 3, "tar", false);
    file(&f, 3, "b.pb", "proto");
    file(&f, 3, "inner.tar", "tar");
    begin(&f, 5, "tar", false);
    file(&f, 5, "c.pb", "proto");
    finish(&f, NULL, "1: F B C F B F f2=0 F B F f4=1 F B F ", 1);
    start(&f, TRACEMERGE__STAGE__UNPACKED); /* nothing but a manifest */
    file(&f, -1, "m.json", "perfetto_manifest");
    manifest(&f, 0, V(PATH("a.pb")));
    finish(&f, NULL, "1: F B C ", 1);
    start(&f, TRACEMERGE__STAGE__UNPACKED); /* no manifest at all */
    file(&f, -1, NULL, "proto");
    events(&f, 0, 20000);
    finish(&f, NULL, "1: F B 4900 events 4900 events 4900 events 4900 events 400 events ", 0);
}

static void test_given_manifest(void)
{
    static const char text[] = V(PATH("a.pb") "," PATH("dir/c"));
    struct tm_manifest given = {0};
    struct tm_error err = {0};
    struct tm_configure_options options = {.producer = "test", .given = &given};
    struct fixture f;
    ok(tm_manifest_read(&given, text, sizeof text - 1, &err) == TM_OK);
    archive(&f, text);
    finish(&f, &options,
           "run.tar: m.json: perfetto_manifest: multiple perfetto_manifest files in archive "
           "(--replace uses that of -m alone)", 0);
    start(&f, TRACEMERGE__STAGE__UNPACKED);
    file(&f, -1, NULL, "tar");
    file(&f, 0, "dir/c", "");
    file(&f, 0, "a.pb", "");
    begin(&f, 0, "tar", false);
    events(&f, 2, 1);
    finish(&f, &options, "1: F F F C f1=1 f2=0 B B 1 events ", 0);
    start(&f, TRACEMERGE__STAGE__UNPACKED);
    file(&f, -1, NULL, "gzip");
    begin(&f, 0, "gzip", false);
    file(&f, 0, "", "tar");
    begin(&f, 1, "tar", false);
    file(&f, 1, "a.pb", "");
    events(&f, 2, 1);
    finish(&f, &options, "1: F C B F B F f2=0 B 1 events ", 1);
    start(&f, TRACEMERGE__STAGE__UNPACKED); /* one file on the command line */
    file(&f, -1, "x/a.pb", "");
    events(&f, 0, 1);
    finish(&f, &options, "1: F C f0=0 B 1 events ", 1);
    start(&f, TRACEMERGE__STAGE__UNPACKED); /* whatever name gzip stores */
    file(&f, -1, "./a.pb", "gzip");
    begin(&f, 0, "gzip", false);
    file(&f, 0, "old", "proto");
    events(&f, 1, 1);
    finish(&f, &options, "1: F C f0=0 B F f1=0 B 1 events ", 1);
    start(&f, TRACEMERGE__STAGE__UNPACKED);
    finish(&f, &options, "1: C ", 2);
    start(&f, TRACEMERGE__STAGE__PLACED);
    finish(&f, &options, "the stream is already configured; give -m to the first tm-manifest", 0);
    tm_manifest_release(&given);
}

static void test_configured(void)
{
    struct tm_piece piece = {"", 0};
    struct fixture f;
    start(&f, TRACEMERGE__STAGE__PLACED);
    (void)tm_frame_write(&f.writer.frames, TM_FRAME_CONFIG, &piece, 1, &f.err);
    events(&f, 0, 3); /* of a file without a File frame; later stages refuse it */
    (void)tm_frame_write(&f.writer.frames, 99, &piece, 1, &f.err);
    finish(&f, NULL, "2: C B 3 events 99 ", 0);
    start(&f, TRACEMERGE__STAGE__CONFIGURED);
    manifest(&f, 0, V(PATH("a")));
    finish(&f, NULL, "perfetto_manifest: multiple perfetto_manifest files in archive", 0);
    start(&f, TRACEMERGE__STAGE__UNPACKED);
    (void)tm_frame_write(&f.writer.frames, TM_FRAME_CONFIG, &piece, 1, &f.err);
    finish(&f, NULL, "byte 25: a configuration in a stream that is not marked as configured", 0);
}

static void test_damaged(void)
{
    struct fixture f;
    start(&f, TRACEMERGE__STAGE__UNPACKED);
    file(&f, -1, NULL, "tar");
    file(&f, 7, "a", "");
    finish(&f, NULL, "file 1: ids of files are not consecutive", 0);
    start(&f, TRACEMERGE__STAGE__UNPACKED);
    begin(&f, 7, "tar", false);
    finish(&f, NULL, "file 7 begins but is not known", 0);
    start(&f, TRACEMERGE__STAGE__UNPACKED);
    struct tm_piece piece = {"\xff", 1};
    (void)tm_frame_write(&f.writer.frames, TM_FRAME_FILE, &piece, 1, &f.err);
    finish(&f, NULL, "byte 25: frame of type File is damaged", 0);
}

/* A stream that is cut anywhere, or has a flipped bit, never becomes a complete stream. */
static void test_cuts(void)
{
    struct tm_configure_options options = {.producer = "test"};
    struct tm_buf bytes = {0};
    struct fixture f;
    size_t refused = 0, tried = 0;
    archive(&f, V(NAMED("a.pb", "x") "," NAMED("b.json.gz", "y")));
    (void)tm_stream_writer_end(&f.writer, &f.err);
    size_t len = (size_t)lseek(f.in, 0, SEEK_END);
    ok(tm_buf_reserve(&bytes, len) == TM_OK && tm_io_pread(f.in, bytes.data, len, 0, &f.err) == TM_OK);
    bytes.len = len;
    for (size_t at = 0; at < bytes.len; at++) {
        for (int flip = 0; flip < 2; flip++, tried++) {
            struct tm_manifest_problems unmatched = {0};
            struct tm_error err = {0};
            bytes.data[at] ^= (uint8_t)(flip << at % 8);
            (void)(ftruncate(f.in, 0) + lseek(f.in, 0, SEEK_SET) + ftruncate(f.out, 0));
            (void)tm_io_write(f.in, bytes.data, flip ? bytes.len : at, &err);
            (void)lseek(f.in, 0, SEEK_SET);
            refused += tm_configure(f.in, f.out, &options, &unmatched, &err) == TM_E_INPUT;
            bytes.data[at] ^= (uint8_t)(flip << at % 8);
            tm_manifest_problems_release(&unmatched);
        }
    }
    is_int(refused, tried);
    tm_buf_release(&bytes);
    tm_stream_writer_release(&f.writer);
    close(f.in);
    close(f.out);
}

int main(void)
{
    test_cuts();
    test_archive();
    test_overrides();
    test_two_inside();
    test_one_manifest();
    test_command_line();
    test_streams();
    test_given_manifest();
    test_configured();
    test_damaged();
    return tap_done();
}
