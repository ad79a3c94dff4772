#include "format/text/perf_line.h"

#include "base/decimal.h"
#include "base/hex.h"
#include "format/text_lines.h"

#include <string.h>

/* simpleperf report-sample separates words by tabs. */
static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool number(const char *p, const char *end, int64_t *value)
{
    return end > p && tm_decimal_int(p, (size_t)(end - p), value) == TM_OK;
}

/* Returns the number of the digits from P to END; UINT64_MAX if it is larger. perf subtracts counters, so a period can
 * be close to that. */
static uint64_t count_at(const char *p, const char *end)
{
    uint64_t value = 0;
    for (; p < end; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return UINT64_MAX;
        value = 10 * value + digit;
    }
    return value;
}

/* Reads "[cpu]" and "seconds.fraction:" at P. Returns the byte after the colon, or NULL. */
static const char *parse_time(const char *p, const char *end, struct tm_perf_head *h)
{
    int64_t cpu;
    p = tm_text_skip_blanks(p, end);
    if (p < end && *p == '[') {
        const char *q = tm_text_skip_digits(p + 1, end);
        if (q == end || *q != ']' || !number(p + 1, q, &cpu) || cpu > UINT32_MAX)
            return NULL;
        h->has_cpu = true;
        h->cpu = (uint32_t)cpu;
        p = tm_text_skip_blanks(q + 1, end);
    }
    const char *q = tm_text_skip_digits(p, end);
    if (q == p || q == end || *q != '.')
        return NULL;
    const char *r = tm_text_skip_digits(q + 1, end);
    if (r == q + 1 || r == end || *r != ':' || tm_decimal_scale(p, (size_t)(r - p), 9, &h->time_ns) != TM_OK)
        return NULL;
    return r + 1;
}

/* Reads a number or -1. */
static const char *parse_id(const char *p, const char *end, int64_t *id)
{
    *id = TM_PERF_ENDED;
    if (end - p >= 2 && p[0] == '-' && p[1] == '1')
        return p + 2;
    const char *q = tm_text_skip_digits(p, end);
    return number(p, q, id) ? q : NULL;
}

/* Reads "pid" or "pid/tid" at P, then the time. */
static const char *parse_ids(const char *p, const char *end, struct tm_perf_head *h)
{
    const char *q = parse_id(p, end, &h->tid);
    if (q && q < end && *q == '/') {
        h->pid = h->tid;
        q = parse_id(q + 1, end, &h->tid);
        h->has_pid = h->pid != TM_PERF_ENDED || h->tid == TM_PERF_ENDED;
    }
    if (q == NULL)
        return NULL;
    return q < end && is_blank(*q) ? parse_time(q, end, h) : NULL;
}

enum tm_status tm_perf_head_parse(const char *line, size_t len, struct tm_perf_head *h)
{
    const char *end = line + len, *start = tm_text_skip_blanks(line, end), *p, *after = NULL;
    const char *id = start;
    for (p = start; p < end && after == NULL; p++) {
        if ((!tm_text_is_digit(*p) && *p != '-') || (p > start && !is_blank(p[-1])))
            continue;
        *h = (struct tm_perf_head){0};
        id = p;
        after = parse_ids(p, end, h);
    }
    if (after == NULL) {
        *h = (struct tm_perf_head){.event = start, .event_len = (size_t)(end - start), .rest = end};
        return tm_chars_begin(start, end, "instruction trace error ") ? TM_END : TM_E_INPUT;
    }
    h->comm = start;
    h->comm_len = (size_t)(id - start);
    while (h->comm_len > 0 && is_blank(h->comm[h->comm_len - 1]))
        h->comm_len--;
    p = tm_text_skip_blanks(after, end);
    const char *q = tm_text_skip_digits(p, end);
    if (q > p && q < end && is_blank(*q)) {
        h->has_period = true;
        h->period = count_at(p, q);
        p = tm_text_skip_blanks(q, end);
    }
    for (q = p; q < end && *q != ' '; q++)
        ;
    h->rest = tm_text_skip_blanks(q, end);
    h->rest_len = (size_t)(end - h->rest);
    if (tm_chars_begin(p, q, "PERF_RECORD_")) {
        h->event = p;
        h->event_len = (size_t)(q - p);
        return TM_END;
    }
    if (q == p || q[-1] != ':')
        return TM_E_INPUT;
    h->event = p;
    h->event_len = (size_t)(q - 1 - p);
    return TM_OK;
}

/* Returns the mapping, which is in the last parentheses of the text ("(/lib/x.so (deleted))"). Moves *END to the end of
 * the symbol. */
static struct tm_text cut_mapping(const char *p, const char **end)
{
    struct tm_text mapping = tm_text_at(*end, 0);
    if (*end == p || (*end)[-1] != ')')
        return mapping;
    int depth = 0;
    for (const char *open = *end - 1; open > p; open--) {
        depth += *open == ')' ? 1 : *open == '(' ? -1 : 0;
        if (depth == 0 && open[-1] == ' ') {
            mapping = tm_text_at(open + 1, (size_t)(*end - 1 - (open + 1)));
            *end = open - 1;
            break;
        }
    }
    return mapping;
}

/* Reads an address in hexadecimal digits at P, and the blanks after it. Returns the byte after these, or NULL if there
 * is none. */
static const char *parse_address(const char *p, const char *end, uint64_t *address)
{
    const char *start = p;
    *address = 0;
    for (; p < end && p - start < 16; p++) {
        int d = tm_hex_value_lower(*p);
        if (d < 0)
            break;
        *address = *address << 4 | (uint64_t)d;
    }
    return p == start || p == end || !is_blank(*p) ? NULL : tm_text_skip_blanks(p, end);
}

/* If the address before P is that of data (perf script -F addr), so that the frame's own address and a symbol follow,
 * reads that address too. A symbol can look like an address, so it must have six digits and one that is no letter.
 * Returns the byte after what it read. */
static const char *skip_data_address(const char *p, const char *end, uint64_t *pc)
{
    uint64_t own;
    bool has_digit = false;
    if (end - p < 6 || tm_hex_value_lower(p[5]) < 0)
        return p;
    const char *symbol = parse_address(p, end, &own);
    for (const char *q = p; symbol && q < symbol; q++)
        has_digit |= tm_text_is_digit(*q);
    if (symbol == NULL || own < 0x100000 || !has_digit || symbol == end || *symbol == '(')
        return p;
    *pc = own;
    return symbol;
}

const char *tm_perf_branch_skip(const char *p, const char *end)
{
    static const char *const kinds[] = {"tr strt", "tr end", "tx abrt", "hw int", "call", "return", "jcc", "jmp", "int",
                                        "iret", "syscall", "sysret", "async", "vmentry", "vmexit"};
    const char *start;
    do {
        start = p = tm_text_skip_blanks(p, end);
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds && p == start; i++) {
            size_t n = strlen(kinds[i]);
            if ((size_t)(end - p) > n && memcmp(p, kinds[i], n) == 0 && is_blank(p[n]))
                p += n;
        }
    } while (p > start);
    return p;
}

bool tm_perf_frame_parse(const char *line, size_t len, struct tm_perf_frame *f)
{
    const char *end = line + len, *p = parse_address(tm_text_skip_blanks(line, end), end, &f->pc);
    if (p == NULL)
        return false;
    p = skip_data_address(p, end, &f->pc);
    for (const char *to = p; end - to > 4; to++) {
        if (memcmp(to, " => ", 4) == 0) { /* a branch: its target is not part of the symbol */
            end = to;
            while (end > p && end[-1] == ' ')
                end--;
            break;
        }
    }
    f->mapping = cut_mapping(p, &end);
    for (const char *plus = end; plus > p; plus--) {
        if (end - plus > 2 && plus[0] == '+' && plus[1] == '0' && plus[2] == 'x') {
            end = plus;
            break;
        }
    }
    f->symbol = tm_text_at(p, (size_t)(end - p));
    return true;
}

bool tm_perf_source_parse(const char *line, size_t len, struct tm_text *file, int64_t *line_number)
{
    const char *end = line + len, *p = tm_text_skip_blanks(line, end);
    for (const char *colon = end; colon > p; colon--) {
        const char *stop = tm_text_skip_digits(colon, end);
        if (colon[-1] != ':' || colon - 1 == p || stop == colon || (stop < end && *stop != ' '))
            continue;
        *file = tm_text_at(p, (size_t)(colon - 1 - p));
        return number(colon, stop, line_number) && *line_number <= UINT32_MAX;
    }
    return false;
}
