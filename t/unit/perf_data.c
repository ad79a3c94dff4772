/* Unit tests of perf.data: mappings and names by time, fields of tracepoints. */
#include "format/perf_data/mappings.h"
#include "format/perf_data/task_names.h"
#include "format/perf_data/tracepoints.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

static struct tm_error err;

static void map(struct tm_perf_mappings *m, int64_t pid, uint64_t time, uint64_t start, uint64_t end, const char *name)
{
    struct tm_perf_mapping mapping = {.start = start, .end = end, .time = time, .build_id = TM_PERF_NO_TEXT};
    if (tm_perf_mappings_text(m, tm_text_str(name), &mapping.name, &err) != TM_OK ||
        tm_perf_mappings_add(m, pid, &mapping, &err) != TM_OK)
        abort();
}

/* Returns the name of the mapping at ADDRESS, or "-". */
static const char *at(const struct tm_perf_mappings *m, int64_t pid, uint64_t time, uint64_t address)
{
    static char name[64];
    size_t len = 0;
    const struct tm_perf_mapping *mapping = tm_perf_mappings_find(m, pid, time, address);
    const uint8_t *text = mapping ? tm_intern_get(&m->texts, mapping->name, &len) : (const uint8_t *)"-";
    snprintf(name, sizeof name, "%.*s", mapping ? (int)len : 1, (const char *)text);
    return name;
}

static void test_mappings(void)
{
    struct tm_perf_mappings m = {0};
    tm_perf_mappings_init(&m);
    map(&m, 1, 50, 150, 249, "late");
    map(&m, 1, 0, 100, 199, "early");
    map(&m, 1, 0, 300, UINT64_MAX, "rest");
    map(&m, TM_PERF_KERNEL_PID, 0, 0, UINT64_MAX, "kernel");
    ok(tm_perf_mappings_space(&m, 2, 1, 40, &err) == TM_OK);
    ok(tm_perf_mappings_space(&m, 3, 2, 60, &err) == TM_OK);
    map(&m, 2, 45, 100, 109, "own");
    ok(tm_perf_mappings_settle(&m, &err) == TM_OK);
    is_str(at(&m, 1, 10, 160), "early");
    is_str(at(&m, 1, 50, 160), "late");
    is_str(at(&m, 1, 50, 149), "early");
    is_str(at(&m, 1, 50, 249), "late");
    is_str(at(&m, 1, 50, 250), "-");
    is_str(at(&m, 1, 50, 99), "-");
    is_str(at(&m, 1, 50, UINT64_MAX), "rest");
    is_str(at(&m, 2, 30, 160), "-");
    is_str(at(&m, 2, 70, 160), "early");
    is_str(at(&m, 2, 44, 100), "early");
    is_str(at(&m, 2, 45, 100), "own");
    is_str(at(&m, 2, 45, 110), "early");
    is_str(at(&m, 3, 70, 100), "own");
    is_str(at(&m, 3, 70, 240), "-");
    is_str(at(&m, 4, 70, 100), "-");
    is_str(at(&m, TM_PERF_KERNEL_PID, 0, 5), "kernel");
    tm_perf_mappings_release(&m);
}

/* Overlapping mappings of many processes, compared with a plain implementation of the rule. */
static void test_many_mappings(void)
{
    enum { COUNT = 600, PIDS = 3 };
    struct tm_perf_mapping plain[COUNT];
    struct tm_perf_mappings m = {0};
    uint64_t seed = 7;
    bool good = true;
    tm_perf_mappings_init(&m);
    for (int i = 0; i < COUNT; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        plain[i] = (struct tm_perf_mapping){.start = seed >> 33 & 255, .time = seed >> 50 & 63, .offset = (uint64_t)i,
                                            .name = TM_PERF_NO_TEXT, .build_id = TM_PERF_NO_TEXT};
        plain[i].end = plain[i].start + (seed >> 42 & 31);
        good = good && tm_perf_mappings_add(&m, i % PIDS, &plain[i], &err) == TM_OK;
    }
    good = good && tm_perf_mappings_settle(&m, &err) == TM_OK;
    for (int n = 0; n < PIDS * 64 * 300 && good; n++) {
        int pid = n % PIDS, best = -1;
        uint64_t time = (uint64_t)n / PIDS % 64, address = (uint64_t)n / PIDS / 64;
        for (int i = pid; i < COUNT; i += PIDS)
            if (plain[i].start <= address && address <= plain[i].end && plain[i].time <= time &&
                (best < 0 || plain[i].time >= plain[best].time))
                best = i;
        const struct tm_perf_mapping *got = tm_perf_mappings_find(&m, pid, time, address);
        good = best < 0 ? got == NULL : got && got->offset == (uint64_t)best;
    }
    ok_named(good, "each address has the latest mapping that covers it");
    tm_perf_mappings_release(&m);
}

static void name_is(const struct tm_perf_task_names *names, int64_t tid, uint64_t time, const char *want)
{
    char got[32];
    struct tm_text name = tm_perf_task_names_find(names, tid, time);
    snprintf(got, sizeof got, "%.*s", (int)name.len, tm_text_chars(name));
    is_str(got, want);
}

static void test_names(void)
{
    struct tm_perf_task_names names = {0};
    tm_perf_task_names_init(&names);
    ok(tm_perf_task_names_inherit(&names, 2, 1, 20, &err) == TM_OK);
    ok(tm_perf_task_names_add(&names, 1, 10, tm_text_str("new"), &err) == TM_OK);
    ok(tm_perf_task_names_add(&names, 1, 0, tm_text_str("old"), &err) == TM_OK);
    ok(tm_perf_task_names_inherit(&names, 3, 9, 20, &err) == TM_OK);
    ok(tm_perf_task_names_add(&names, 1, 30, tm_text_str("newest"), &err) == TM_OK);
    ok(tm_perf_task_names_settle(&names, &err) == TM_OK);
    name_is(&names, 1, 9, "old");
    name_is(&names, 1, 10, "new");
    name_is(&names, 2, 19, "");
    name_is(&names, 2, 40, "new");
    name_is(&names, 3, 40, "");
    tm_perf_task_names_release(&names);
}

/* Makes the formats of one system "s" with the event FORMAT. */
static void put_formats(struct tm_buf *out, const char *format)
{
    static const uint8_t head[] = "\x17\x08\x44tracing0.6\0\0\x08\0\x10\0\0header_page\0\0\0\0\0\0\0\0\0header_event\0"
                                  "\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0s\0\1\0\0";
    uint8_t len[8];
    tm_put_le64(len, strlen(format));
    if (tm_buf_add(out, head, sizeof head) != TM_OK || tm_buf_add(out, len, sizeof len) != TM_OK ||
        tm_buf_add_str(out, format) != TM_OK)
        abort();
}

static void test_fields(void)
{
    static const char format[] = "name: e\nID: 5\nformat:\n"
                                 "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
                                 "\n\tfield:char comm[4];\toffset:2;\tsize:4;\tsigned:0;\n"
                                 "\tfield:short low;\toffset:6;\tsize:2;\tsigned:1;\n"
                                 "\tfield:void * p;\toffset:8;\tsize:8;\tsigned:0;\n"
                                 "\tfield:__data_loc char[] text;\toffset:16;\tsize:4;\tsigned:0;\n"
                                 "\tfield:__rel_loc char[] near;\toffset:20;\tsize:4;\tsigned:0;\n"
                                 "\tfield:u8 bytes[2];\toffset:24;\tsize:2;\tsigned:0;\n"
                                 "\tfield:u64 outside;\toffset:100;\tsize:8;\tsigned:0;\n"
                                 "\nprint fmt: \"%d\", REC->low\n";
    static const uint8_t raw[] = "\5\0ab\0x\xfe\xff\0\x10\0\0\0\0\0\0\x1a\0\3\0\2\0\3\0\1\xffhi";
    struct tm_tracepoints points = {0};
    struct tm_buf data = {0}, out = {0};
    put_formats(&data, format);
    ok(tm_tracepoints_read(&points, data.data, data.len, &err) == TM_OK);
    const struct tm_tracepoint *point = tm_tracepoints_find(&points, 5);
    ok(point && point->name.len == 1 && point->system.data[0] == 's');
    ok(tm_tracepoints_find(&points, 6) == NULL);
    struct tm_tracepoint_event event = {point, raw, sizeof raw, 0};
    ok(tm_tracepoints_put(&points, &event, &out) == TM_OK);
    is_str(tm_buf_cstr(&out), "comm=ab low=-2 p=0x1000 text=hi near=hi bytes=01ff");
    tm_buf_clear(&out);
    event.len = 7;
    ok(tm_tracepoints_put(&points, &event, &out) == TM_OK);
    is_str(tm_buf_cstr(&out), "comm=ab");
    tm_tracepoints_release(&points);
    tm_buf_release(&data);
    tm_buf_release(&out);
}

int main(void)
{
    test_mappings();
    test_many_mappings();
    test_names();
    test_fields();
    return tap_done();
}
