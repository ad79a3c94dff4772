#include "format/trace_dat/facts.h"

#include "base/checked.h"
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

enum { VERSION_SECTIONS = 7, TYPE_BYTES = 10, PLACE_BYTES = 16, TEXT_MAX = 64, OPTION_BYTES_MAX = 4096 };
enum { OPTIONS_MAX = 1 << 16 }; /* of a file */
enum { SECTION_COMPRESSED = 1, USEC = 1000 };

/* The numbers of options. */
enum {
    OPTION_DONE = 0,
    OPTION_DATE = 1,
    OPTION_BUFFER = 3,
    OPTION_TRACECLOCK = 4,
    OPTION_OFFSET = 7,
    OPTION_TRACEID = 11,
    OPTION_TIME_SHIFT = 12,
    OPTION_GUEST = 13,
    OPTION_TSC2NSEC = 14
};

const uint8_t tm_trace_dat_magic[TM_TRACE_DAT_MAGIC_LEN] = {0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g'};

/* A position in the file. After a failure it reads only zeros. */
struct place {
    const struct tm_extent *whole;
    uint64_t at;
    bool is_big;
    enum tm_status status;
    struct tm_error *err;
};

/* The parts of a file that its options lead to. */
struct lists {
    bool has_sections;   /* version 7: each states the next one */
    int left;            /* options that may follow */
    uint64_t bytes;      /* of all lists that were read; more than the file has if they overlap */
    struct tm_map begun; /* their offsets */
    uint64_t cpus;       /* of a buffer of version 6 */
    uint64_t places;     /* of the events of a cpu in a buffer */
    uint64_t data_bytes; /* of the events of all buffers; more than the file has if they overlap */
};

static void take(struct place *p, void *data, size_t len)
{
    memset(data, 0, len);
    if (p->status < 0)
        return;
    if (p->at > p->whole->len || len > p->whole->len - p->at)
        p->status = tm_error_set(p->err, TM_E_INPUT, "byte %llu: the header of trace.dat is cut short",
                                 (unsigned long long)p->at);
    else if ((p->status = tm_extent_read(p->whole, p->at, data, len, p->err)) == TM_OK)
        p->at += len;
}

static uint64_t number_at(const uint8_t *data, size_t len, bool is_big)
{
    uint64_t v = 0;
    for (size_t i = 0; i < len; i++)
        v |= (uint64_t)data[i] << 8 * (is_big ? len - 1 - i : i);
    return v;
}

static uint64_t take_number(struct place *p, size_t len)
{
    uint8_t data[8];
    take(p, data, len);
    return number_at(data, len, p->is_big);
}

static void skip(struct place *p, uint64_t len)
{
    if (p->status == TM_OK && len > p->whole->len - p->at)
        p->status = tm_error_set(p->err, TM_E_INPUT, "byte %llu: a section of trace.dat is cut short",
                                 (unsigned long long)p->at);
    if (p->status == TM_OK)
        p->at += len;
}

/* Takes a text that ends with a NUL. */
static void take_text(struct place *p, char text[TEXT_MAX])
{
    size_t len = 0;
    do
        take(p, &text[len], 1);
    while (text[len] != '\0' && ++len < TEXT_MAX);
    if (len == TEXT_MAX && p->status == TM_OK)
        p->status = tm_error_set(p->err, TM_E_INPUT, "byte %llu: a text of trace.dat's header is too long",
                                 (unsigned long long)p->at);
    text[TEXT_MAX - 1] = '\0';
}

/* Skips COUNT parts, each preceded by its length in LEN bytes. */
static void skip_parts(struct place *p, uint64_t count, size_t len)
{
    for (uint64_t i = 0; i < count && p->status == TM_OK; i++)
        skip(p, take_number(p, len));
}

/* Skips what a file of version 6 has before the options. Returns the number of processors. */
static uint64_t skip_headers(struct place *p)
{
    char text[TEXT_MAX];
    for (int i = 0; i < 2; i++) { /* header_page, header_event */
        take_text(p, text);
        skip_parts(p, 1, 8);
    }
    skip_parts(p, take_number(p, 4), 8); /* formats of ftrace's own events */
    uint64_t systems = take_number(p, 4);
    for (uint64_t i = 0; i < systems && p->status == TM_OK; i++) {
        take_text(p, text);
        skip_parts(p, take_number(p, 4), 8);
    }
    skip_parts(p, 2, 4);      /* addresses of functions, formats of trace_printk */
    skip_parts(p, 1, 8);      /* names of tasks */
    return take_number(p, 4);
}

/* Reads the word in brackets of "local [mono] boot". */
static void read_clock(struct tm_trace_dat_facts *facts, const char *text)
{
    const char *from = strchr(text, '['), *to = from ? strchr(from, ']') : NULL;
    size_t len = to ? (size_t)(to - from) - 1 : 0;
    if (len == 0 || len >= sizeof facts->clock)
        return;
    memcpy(facts->clock, from + 1, len);
    facts->clock[len] = '\0';
}

/* Sets the fact that option ID states. DATA has LEN bytes and a NUL after them. */
static void read_option(struct tm_trace_dat_facts *facts, uint64_t id, const uint8_t *data, size_t len, bool is_big)
{
    const char *text = (const char *)data;
    switch (id) {
    case OPTION_DATE: /* microseconds, "0x…" */
        facts->has_date = tm_mul_i64(strtoll(text, NULL, 0), USEC, &facts->date_ns);
        break;
    case OPTION_OFFSET:
        facts->offset_ns = strtoll(text, NULL, 0);
        break;
    case OPTION_TRACECLOCK:
        read_clock(facts, text);
        break;
    case OPTION_TRACEID:
        facts->trace_id = len >= 8 ? number_at(data, 8, is_big) : 0;
        break;
    case OPTION_TIME_SHIFT:
        facts->is_shifted = len >= 16;
        facts->host_trace_id = len >= 16 ? number_at(data, 8, is_big) : 0;
        break;
    case OPTION_GUEST:
        facts->has_guests = true;
        break;
    case OPTION_TSC2NSEC:
        facts->is_scaled = len >= 16 && number_at(data, 4, is_big) != 0;
        break;
    default:
        break;
    }
}

static void refuse(struct tm_trace_dat_facts *facts, struct place *p, const char *cause)
{
    facts->is_endless = true;
    if (p->status == TM_OK)
        p->status = tm_error_at(p->err, p->at, "%s", cause);
}

/* Takes the place of the events of a cpu. */
static void take_data(struct tm_trace_dat_facts *facts, struct place *p, struct lists *lists)
{
    const uint64_t from = take_number(p, 8), bytes = take_number(p, 8), file_bytes = p->whole->len;
    const bool is_there = p->status == TM_OK && from <= file_bytes && bytes <= file_bytes - from;
    if (++lists->places > file_bytes / PLACE_BYTES || (is_there && bytes > file_bytes - lists->data_bytes))
        refuse(facts, p, "the events of the buffers of trace.dat overlap");
    else
        lists->data_bytes += is_there ? bytes : 0; /* libtracecmd does not read what is not there */
}

/* Takes the table of a buffer of version 6. TYPE tells what it has. */
static void take_table(struct tm_trace_dat_facts *facts, struct place *p, struct lists *lists, const char *type)
{
    static const char with_pages[] = "flyrecord";
    for (uint64_t i = 0; memcmp(type, with_pages, sizeof with_pages) == 0 && i < lists->cpus && p->status == TM_OK; i++)
        take_data(facts, p, lists);
}

/* Skips a text with the NUL at its end, no farther than to END. */
static void skip_text(struct place *p, uint64_t end)
{
    uint8_t byte = 1;
    while (byte != '\0' && p->at < end && p->status == TM_OK)
        take(p, &byte, 1);
}

/* Reads the option that places a buffer, which has LEN bytes from START on. What is missing there is not damage of the
 * list. */
static void read_buffer(struct tm_trace_dat_facts *facts, const struct place *list, uint64_t start, uint64_t len,
                        struct lists *lists)
{
    struct tm_error ignored = {0};
    struct place p = *list;
    char type[TYPE_BYTES] = "";
    p.at = start;
    p.err = &ignored;
    const uint64_t at = take_number(&p, 8);
    if (!lists->has_sections) {
        p.at = at;
        take(&p, type, TYPE_BYTES);
        take_table(facts, &p, lists, type);
    } else {
        skip_text(&p, start + len); /* its name */
        skip_text(&p, start + len); /* its clock */
        (void)take_number(&p, 4);   /* bytes of a page */
        const uint64_t cpus = take_number(&p, 4);
        for (uint64_t i = 0; i < cpus && p.status == TM_OK; i++) {
            (void)take_number(&p, 4);
            take_data(facts, &p, lists);
        }
    }
}

/* Reads one list of options. Returns the offset of the next list; 0: none. */
static uint64_t read_options(struct tm_trace_dat_facts *facts, struct place *p, struct lists *lists)
{
    uint8_t data[OPTION_BYTES_MAX + 1];
    const uint64_t start = p->at;
    while (p->status == TM_OK) {
        uint64_t id = take_number(p, 2);
        if (id == OPTION_DONE && !lists->has_sections)
            return 0;
        uint64_t len = take_number(p, 4);
        uint64_t end = p->at + len;
        size_t have = len < OPTION_BYTES_MAX ? (size_t)len : OPTION_BYTES_MAX;
        take(p, data, have);
        if (p->status < 0)
            return 0;
        if (lists->left-- == 0)
            refuse(facts, p, "trace.dat has too many options");
        if (end - start > p->whole->len - lists->bytes)
            refuse(facts, p, "lists of options of trace.dat overlap");
        if (id == OPTION_DONE) {
            lists->bytes += end - start;
            return have >= 8 ? number_at(data, 8, p->is_big) : 0;
        }
        data[have] = '\0';
        if (id == OPTION_BUFFER)
            read_buffer(facts, p, end - len, len, lists);
        else
            read_option(facts, id, data, have, p->is_big);
        if (facts->is_endless)
            refuse(facts, p, "the events of the buffers of trace.dat overlap");
        p->at = end;
    }
    return 0;
}

/* Reads the lists of options of version 7. */
static void read_sections(struct tm_trace_dat_facts *facts, struct place *p, struct lists *lists)
{
    uint64_t next = take_number(p, 8);
    while (next != 0 && p->status == TM_OK) {
        enum tm_status added = tm_map_add(&lists->begun, next, 1);
        if (added < 0)
            p->status = tm_error_nomem(p->err);
        else if (added == TM_END)
            refuse(facts, p, "the lists of options of trace.dat form a circle");
        p->at = next;
        (void)take_number(p, 2);
        uint64_t flags = take_number(p, 2);
        (void)take_number(p, 4);
        (void)take_number(p, 8);
        if (flags & SECTION_COMPRESSED) /* no recorder does that */
            refuse(facts, p, "the options of trace.dat are compressed");
        next = read_options(facts, p, lists);
    }
}

enum tm_status tm_trace_dat_facts_read(struct tm_trace_dat_facts *facts, const struct tm_extent *whole,
                                       struct tm_error *err)
{
    static const char options[] = "options  ";
    struct place p = {.whole = whole, .at = TM_TRACE_DAT_MAGIC_LEN, .err = err};
    char text[TEXT_MAX];
    struct lists lists = {.left = OPTIONS_MAX};
    *facts = (struct tm_trace_dat_facts){0};
    take_text(&p, text);
    long version = strtol(text, NULL, 10);
    p.is_big = take_number(&p, 1) != 0;
    (void)take_number(&p, 1); /* bytes of a long */
    (void)take_number(&p, 4); /* bytes of a page */
    lists.has_sections = version >= VERSION_SECTIONS;
    if (lists.has_sections) {
        take_text(&p, text); /* compression algorithm */
        take_text(&p, text); /* its version */
        read_sections(facts, &p, &lists);
        tm_map_release(&lists.begun);
        return p.status;
    }
    lists.cpus = skip_headers(&p);
    take(&p, text, TYPE_BYTES);
    if (p.status == TM_OK && memcmp(text, options, sizeof options) == 0) {
        (void)read_options(facts, &p, &lists);
        take(&p, text, TYPE_BYTES);
    }
    take_table(facts, &p, &lists, text);
    return p.status;
}
