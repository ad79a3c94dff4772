/* Unit tests of lib/container: TAR, PAX, gzip, ZIP, zstd, and types of files by their first bytes. */
#include "base/bytes.h"
#include "container/content.h"
#include "unpack/file_type.h"
#include "container/gzip_reader.h"
#include "unpack/member_table.h"
#include "container/pax.h"
#include "container/tar_reader.h"
#include "tap.h"

#include <stdlib.h>
#include <zlib.h>

static bool pax_of(const char *text, struct tm_pax *pax)
{
    struct tm_error err = {0};
    *pax = (struct tm_pax){0};
    return tm_pax_parse(pax, (const uint8_t *)text, strlen(text), &err) == TM_OK;
}

static void test_pax(void)
{
    struct tm_pax pax;
    ok(pax_of("13 path=a/bc\n20 size=1234567890\n\n", &pax) == false);
    ok(pax_of("13 path=a/bc\n19 size=1234567890\n", &pax) && pax.path_bytes == 4 && !memcmp(pax.path, "a/bc", 4));
    ok(pax.has_size && pax.size_bytes == 1234567890);
    ok(pax_of("28 size=9223372036854775807\n", &pax) && pax.size_bytes == INT64_MAX);
    ok(pax_of("34 TRACEMERGE.order=processing\n\n", &pax) == false);
    ok(pax_of("31 TRACEMERGE.order=processing\n", &pax) && pax.in_order);
    ok(pax_of("22 GNU.sparse.major=1\n", &pax) && pax.is_sparse);
    ok(pax_of("21 GNU.sparse.name=a\n12 path=b/c\n", &pax) && pax.is_sparse && pax.path_bytes == 1 && *pax.path == 'a');
    ok(pax_of("19 comment=a = b = c", &pax) == false);
    ok(pax_of("22 size=18446744073709\n", &pax) == false);
    static const char *const bad[] = {"x", "5", "5 ", "4 a\n", "99 path=a\n", "9 path=a", "0 path=a\n", "-1 a=b\n",
                                      "99999999999999999999 a=b\n", "12 size=1x2\n", "12 size=-12\n", "6 a=b\n7"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ok_named(!pax_of(bad[i], &pax), "a malformed PAX header is refused");
}

/* Writes a header block at BLOCK. SIZE_FIELD has 12 bytes. */
static void header(uint8_t *block, const char *name, const void *size_field, char type)
{
    unsigned sum = 0;
    memset(block, 0, 512);
    memcpy(block, name, strlen(name) < 100 ? strlen(name) : 100);
    memcpy(block + 100, "0000644", 8);
    memcpy(block + 124, size_field, 12);
    block[156] = (uint8_t)type;
    memcpy(block + 257, "ustar\0" "00", 8);
    memset(block + 148, ' ', 8);
    for (int i = 0; i < 512; i++)
        sum += block[i];
    snprintf((char *)block + 148, 7, "%06o", sum);
}

struct tar_fixture {
    uint8_t bytes[512 * 16];
    struct tm_input in;
    struct tm_tar_reader tar;
    struct tm_tar_entry entry;
    struct tm_error err;
};

static enum tm_status next(struct tar_fixture *f)
{
    return tm_tar_next(&f->tar, &f->entry, &f->err);
}

/* Reads the first LEN bytes of the fixture as a TAR of END bytes. */
static void start(struct tar_fixture *f, size_t len, uint64_t end)
{
    f->err = (struct tm_error){0};
    tm_input_init_bytes(&f->in, f->bytes, len);
    tm_tar_reader_init(&f->tar, &f->in, end);
}

static void stop(struct tar_fixture *f)
{
    tm_tar_reader_release(&f->tar);
    tm_input_release(&f->in);
}

static void test_tar_sizes(struct tar_fixture *f)
{
    static const struct {
        const char *field;
        uint64_t size; /* UINT64_MAX: refused */
    } sizes[] = {
        {"00000000012", 10},
        {"        12 ", 10},
        {"777777777777", UINT64_C(0777777777777)},
        {"\x80\0\0\0\0\0\0\2\0\0\0\0", UINT64_C(2) << 32},
        {"\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff", INT64_MAX},
        {"\x80\0\0\0\x80\0\0\0\0\0\0\0", UINT64_MAX},
        {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", UINT64_MAX},
        {"-0000000001", UINT64_MAX},
        {"00000000009", UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        header(f->bytes, "a", sizes[i].field, '0');
        start(f, 512, UINT64_MAX);
        enum tm_status st = next(f);
        if (sizes[i].size == UINT64_MAX)
            is_str(f->err.text, "byte 0: the size in a TAR header is not a number");
        else
            ok(st == TM_OK && f->entry.size_bytes == sizes[i].size && f->entry.at == 512);
        stop(f);
    }
}

static void test_tar_damage(struct tar_fixture *f)
{
    memset(f->bytes, 0, sizeof f->bytes);
    header(f->bytes, "a", "00000001000", '0'); /* 512 bytes */
    header(f->bytes + 1024, "b", "00000000001", '0');
    start(f, 512 * 5, 512 * 5);
    ok(next(f) == TM_OK && next(f) == TM_OK && next(f) == TM_END && f->in.len == 0);
    stop(f);
    start(f, 512 * 3 + 1, 512 * 3 + 1); /* cut in the padding of b: no damage */
    ok(next(f) == TM_OK && next(f) == TM_OK && next(f) == TM_END);
    stop(f);
    start(f, 512 * 3, 512 * 3);
    ok(next(f) == TM_OK && next(f) == TM_E_INPUT);
    is_str(f->err.text, "b: byte 0: cut short, 1 of its 1 bytes are missing");
    stop(f);
    start(f, 512 * 3 - 1, 512 * 3 - 1);
    ok(next(f) == TM_OK && next(f) == TM_E_INPUT);
    is_str(f->err.text, "byte 1024: the TAR is cut inside a header");
    stop(f);
    f->bytes[1030] ^= 1;
    start(f, 512 * 5, 512 * 5);
    ok(next(f) == TM_OK && next(f) == TM_E_INPUT);
    is_str(f->err.text, "byte 1024: the checksum of a TAR header does not match");
    stop(f);
    header(f->bytes + 512 * 5, "c", "00000000000", '0');
    start(f, 512 * 8, 512 * 8);
    f->tar.tolerant = true;
    ok(next(f) == TM_OK && next(f) == TM_OK && !strcmp(f->entry.name, "c") && next(f) == TM_END);
    ok(f->tar.damage.count == 1 && f->tar.damage.byte == 1024 && f->tar.damage.skipped_bytes == 512);
    stop(f);
    header(f->bytes + 512 * 2, "x", "00000000010", 'x'); /* an invalid PAX header, then an invalid size */
    memcpy(f->bytes + 512 * 3, "rubbish.", 8);
    header(f->bytes + 512 * 4, "d", "rubbish.....", '0');
    start(f, 512 * 8, 512 * 8);
    ok(next(f) == TM_OK && next(f) == TM_E_INPUT);
    is_str(f->err.text, "byte 1536: malformed PAX header");
    stop(f);
    start(f, 512 * 8, 512 * 8);
    f->tar.tolerant = true;
    ok(next(f) == TM_OK && next(f) == TM_OK && !strcmp(f->entry.name, "c") && f->tar.damage.count == 2);
    stop(f);
}

static void test_tar_types(struct tar_fixture *f)
{
    static const struct {
        char type;
        const char *name;
        bool is_file;
    } types[] = {{'0', "a", true},  {'\0', "a", true},  {'7', "a", true},  {'5', "a", false}, {'\0', "a/", false},
                 {'1', "a", true}, {'2', "a", false}, {'6', "a", false}, {'V', "a", false}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        header(f->bytes, types[i].name, "00000000000", types[i].type);
        start(f, 512, 512);
        ok(next(f) == TM_OK && f->entry.is_file == types[i].is_file);
        stop(f);
    }
    header(f->bytes, "a", "00000000000", 'S');
    start(f, 512, 512);
    ok(next(f) == TM_OK);
    is_str(f->entry.refusal, "a sparse member, which is not supported");
    stop(f);
    header(f->bytes, "x", "77777777777", 'L');
    start(f, 512, UINT64_MAX);
    ok(next(f) == TM_E_INPUT);
    is_str(f->err.text, "byte 512: an extended header of 8589934591 bytes, more than the limit of 65537");
    stop(f);
    memset(f->bytes, 0, sizeof f->bytes); /* a long name, then a PAX path, which has precedence */
    header(f->bytes, "x", "00000000005", 'L');
    memcpy(f->bytes + 512, "long", 5);
    header(f->bytes + 1024, "x", "00000000014", 'x');
    memcpy(f->bytes + 1536, "12 path=pax\n", 12);
    header(f->bytes + 2048, "short", "00000000000", '0');
    start(f, 512 * 7, 512 * 7);
    ok(next(f) == TM_OK);
    is_str(f->entry.name, "pax");
    ok(next(f) == TM_END);
    stop(f);
}

static void test_tar(void)
{
    static struct tar_fixture f;
    test_tar_sizes(&f);
    test_tar_damage(&f);
    test_tar_types(&f);
}

/* Appends a gzip member of DATA, named NAME unless NULL. */
static void add_gzip(struct tm_buf *out, const char *name, const char *data)
{
    z_stream z = {0};
    gz_header head = {.name = (Bytef *)(uintptr_t)name, .os = 3};
    (void)tm_buf_reserve(out, 4096);
    (void)deflateInit2(&z, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
    if (name)
        (void)deflateSetHeader(&z, &head);
    z.next_in = (Bytef *)(uintptr_t)data;
    z.avail_in = (uInt)strlen(data);
    z.next_out = out->data + out->len;
    z.avail_out = 4096;
    (void)deflate(&z, Z_FINISH);
    out->len += 4096 - z.avail_out;
    (void)deflateEnd(&z);
}

/* Returns the files of GZIP as "name=data;…", then the error or the remaining bytes. */
static const char *files_of(const struct tm_buf *gzip, enum tm_on_damage on_damage, struct tm_buf *text)
{
    struct tm_gzip_reader reader;
    struct tm_input in, file;
    struct tm_error err = {0};
    tm_buf_clear(text);
    tm_input_init_bytes(&in, gzip->data, gzip->len);
    enum tm_status st = tm_gzip_reader_init(&reader, &in, &err);
    reader.on_damage = on_damage;
    while (st == TM_OK && (st = tm_gzip_next(&reader, &file, &err)) == TM_OK) {
        st = tm_input_fill(&file, 1 << 20, &err);
        (void)tm_buf_addf(text, "%.*s=%.*s;", (int)reader.name.len, (const char *)reader.name.data, (int)file.len,
                          (const char *)file.data);
        st = st == TM_END ? TM_OK : st;
        for (uint64_t i = 0; i < file.len; i++)
            if (tm_gzip_is_start(&reader, i, i))
                (void)tm_buf_addf(text, "start %d;", (int)i);
        tm_input_release(&file);
    }
    if (st < 0)
        (void)tm_buf_addf(text, "%s", err.text);
    else if (in.len)
        (void)tm_buf_addf(text, "%zu left", in.len);
    if (reader.damage.count)
        (void)tm_buf_addf(text, "%d damaged, %d skipped", (int)reader.damage.count, (int)reader.damage.skipped_bytes);
    tm_gzip_reader_release(&reader);
    return tm_buf_cstr(text);
}

/* Places of members among 64 bytes of data: the first, the last, between them, and in none of many. */
static void test_gzip_starts(void)
{
    static const struct {
        uint64_t from, to;
        bool want;
    } questions[] = {{0, 0, true},      {1, 9, false},     {1, 10, true},    {11, 62, false},  {11, 63, true},
                     {12, 64, true},    {64, 64, true},    {65, 200, false}, {65, 201, true},  {201, 999, true},
                     {202, 999, false}, {264, 999, false}, {999, 5000, true}, {1001, 1 << 30, false}};
    static const int lengths[] = {0, 10, 53, 1, 137, 799, 0}; /* members begin at 0, 0, 10, 63, 64, 201, 1000 */
    struct tm_buf gz = {0};
    struct tm_gzip_reader reader;
    struct tm_input in, file;
    struct tm_error err = {0};
    char data[1000];
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        (void)snprintf(data, sizeof data, "%*s", lengths[i], "");
        add_gzip(&gz, "a", data);
    }
    tm_input_init_bytes(&in, gz.data, gz.len);
    is_int(tm_gzip_reader_init(&reader, &in, &err), TM_OK);
    is_int(tm_gzip_next(&reader, &file, &err), TM_OK);
    is_int(tm_input_fill(&file, 2000, &err), TM_END);
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        is_int(tm_gzip_is_start(&reader, questions[i].from, questions[i].to), questions[i].want);
    tm_input_release(&file);
    tm_gzip_reader_release(&reader);
    tm_buf_release(&gz);
}

static void test_gzip(void)
{
    struct tm_buf gz = {0}, text = {0};
    add_gzip(&gz, NULL, "one");
    add_gzip(&gz, NULL, "two");
    add_gzip(&gz, "b", "three");
    add_gzip(&gz, NULL, "four");
    add_gzip(&gz, "b", "five");
    add_gzip(&gz, "c", "");
    add_gzip(&gz, "", "six");
    is_str(files_of(&gz, TM_DAMAGE_HALT, &text), "=onetwo;b=threefourfive;start 9;c=six;");
    (void)tm_buf_add(&gz, "\0\0\0", 3);
    is_str(files_of(&gz, TM_DAMAGE_HALT, &text), "=onetwo;b=threefourfive;start 9;c=six;");
    (void)tm_buf_add(&gz, "{\"a\"", 4);
    is_str(files_of(&gz, TM_DAMAGE_HALT, &text), "=onetwo;b=threefourfive;start 9;c=six;4 left");

    tm_buf_clear(&gz);
    add_gzip(&gz, "a", "one");
    size_t second = gz.len;
    add_gzip(&gz, "b", "two");
    size_t whole = gz.len;
    for (gz.len = second + 2; gz.len < whole; gz.len++) { /* cut anywhere, it is never a short result */
        const char *got = files_of(&gz, TM_DAMAGE_HALT, &text);
        if (strstr(got, "a=one;") != got || strstr(got, "compressed byte ") == NULL || strstr(got, "cut") == NULL)
            break;
    }
    is_int(gz.len, whole);
    gz.data[second - 6] ^= 1; /* the CRC of the first */
    is_str(files_of(&gz, TM_DAMAGE_HALT, &text),
           "a=one;compressed byte 21: the gzip data is damaged (incorrect data check)");
    is_str(files_of(&gz, TM_DAMAGE_SKIP, &text), "a=one;1 damaged, 29 skipped");
    is_str(files_of(&gz, TM_DAMAGE_SALVAGE, &text), "a=one;b=two;1 damaged, 4 skipped");
    gz.data[second + 2] = 7;
    is_str(files_of(&gz, TM_DAMAGE_SALVAGE, &text), "a=one;1 damaged, 29 skipped");
    tm_buf_release(&gz);
    tm_buf_release(&text);
}

static const char *type_of(const char *head, size_t len)
{
    return tm_input_type_name(tm_file_type_sniff((const uint8_t *)head, len).input_type);
}
#define TYPE(literal) type_of(literal, sizeof literal - 1)

static void test_types(void)
{
    char tar[512] = {0};
    memcpy(tar + 257, "ustar\0", 6);
    is_str(type_of(tar, 512), "tar");
    memcpy(tar + 257, "ustar  ", 8);
    is_str(type_of(tar, 512), "tar");
    memcpy(tar + 257, "ustar x", 8);
    is_str(type_of(tar, 512), "unknown");
    is_str(TYPE("PK\3\4"), "zip");
    is_str(TYPE("\x1f\x8b"), "gzip");
    is_str(TYPE("\x28\xb5\x2f\xfd"), "zstd");
    is_str(TYPE("\x28\xb5\x2f"), "unknown");
    is_str(TYPE("{\"perfetto_manifest\""), "perfetto_manifest");
    is_str(TYPE(" \n{\t\"perfetto_manifest\" :"), "perfetto_manifest");
    ok(strcmp(TYPE("{\"perfetto_ manifest\""), "perfetto_manifest") != 0);
    ok(strcmp(TYPE("{\"perfetto_manifests\""), "perfetto_manifest") != 0);
    is_str(TYPE("TRACE:\n\x78\x9c"), "ctrace");
    is_str(TYPE("done. TRACE:\n\x78\x9c"), "ctrace");
    is_str(TYPE("TRACE:\n x"), "systrace");
    is_str(TYPE(""), "unknown");
    is_int(tm_file_type_ctrace((const uint8_t *)"a TRACE:\n\x78\x9c", 11), 9);
}

static void test_members(void)
{
    static const struct {
        const char *name;
        int priority;
    } in[] = {{"b", 2}, {"a", 2}, {"a", 2}, {"z", -1}, {"ab", 2}, {"a/b", 2}, {"a.b", 2}, {"\xff", 0}, {"B", 0}};
    static const uint32_t want[] = {3, 8, 7, 1, 2, 6, 5, 4, 0};
    struct tm_member_table table = {0};
    struct tm_error err = {0};
    for (size_t i = 0; i < sizeof in / sizeof *in; i++) {
        struct tm_member member = {.name_text = in[i].name, .type.priority = in[i].priority};
        ok(tm_member_table_add(&table, &member, &err) == TM_OK);
    }
    ok(tm_member_table_sort(&table, &err) == TM_OK && memcmp(table.order, want, sizeof want) == 0);
    tm_member_table_release(&table);
    ok(tm_member_is_hidden("._foo", 5) && tm_member_is_hidden("a/.git/b", 8) && tm_member_is_hidden("...", 3));
    ok(!tm_member_is_hidden("./a", 3) && !tm_member_is_hidden("../a.b/c", 8) && !tm_member_is_hidden("a..", 3));
    char *name = calloc(1, TM_NAME_BYTES_MAX + 2);
    memset(name, 'x', TM_NAME_BYTES_MAX + 1);
    struct tm_member member = {.name_text = name};
    ok(tm_member_table_add(&table, &member, &err) == TM_E_INPUT);
    is_str(err.text, "a name of 65537 bytes, more than the limit of 65536");
    free(name);
}

/* Returns the first call of a run with INPUT_BYTES that fails, at a sum of BYTES or more. */
static bool expands_to(uint64_t max_bytes, uint64_t input_bytes, uint64_t bytes)
{
    struct tm_expansion expansion = {.max_bytes = max_bytes, .input_bytes = input_bytes};
    struct tm_error err = {0}, more = {0};
    return tm_expansion_add(&expansion, bytes, &err) == TM_OK &&
           tm_expansion_add(&expansion, 1, &more) == TM_E_INPUT &&
           tm_expansion_add(&expansion, UINT64_MAX, &more) == TM_E_INPUT &&
           tm_expansion_add(&expansion, 0, &more) == TM_E_INPUT;
}

static void test_expansion(void)
{
    struct tm_expansion open = {.input_bytes = UINT64_MAX};
    struct tm_error err = {0};
    ok(expands_to(100, 1 << 20, 100));
    ok(expands_to(0, 17 << 10, TM_EXPANSION_BYTES_MIN));
    ok(expands_to(0, 1 << 30, (uint64_t)1000 << 30));
    ok(tm_expansion_add(&open, UINT64_MAX, &err) == TM_OK);
}

int main(void)
{
    test_expansion();
    test_pax();
    test_tar();
    test_gzip();
    test_gzip_starts();
    test_types();
    test_members();
    return tap_done();
}
