#include "format/art_method/facts.h"

#include "base/hex.h"
#include "base/table.h"
#include "format/art_method/art_method.h"

#include <stdlib.h>

enum { WORDS_MAX = 6 };

/* Finds the place of thread NUMBER, or adds it. TM_END: there are too many. */
static enum tm_status add_thread(struct tm_art_facts *f, uint32_t number, uint32_t *place, struct tm_error *err)
{
    if (tm_map_find(&f->thread_of_number, number, place))
        return TM_OK;
    if (f->thread_count == TM_ART_THREADS_MAX) {
        f->left_out++;
        return TM_END;
    }
    if (tm_array_grow(&f->threads, &f->thread_cap, f->thread_count, sizeof *f->threads, err) < 0)
        return TM_E_SYSTEM;
    if (tm_map_set(&f->thread_of_number, number, f->thread_count) != TM_OK)
        return tm_error_nomem(err);
    *place = f->thread_count++;
    f->threads[*place] = (struct tm_art_thread){.number = number};
    return TM_OK;
}

enum tm_status tm_art_facts_thread(struct tm_art_facts *f, uint32_t number, struct tm_text name,
                                   struct tm_error *err)
{
    uint32_t place = 0;
    enum tm_status st = add_thread(f, number, &place, err);
    if (st != TM_OK || f->threads[place].is_stated)
        return st < 0 ? st : TM_OK;
    struct tm_art_thread *thread = &f->threads[place];
    thread->is_stated = true;
    if (f->texts.len + name.len > TM_ART_NAME_BYTES_MAX) {
        f->left_out++;
        return TM_OK;
    }
    thread->at = (uint32_t)f->texts.len;
    thread->len = (uint32_t)name.len;
    return tm_buf_add(&f->texts, name.data, name.len) == TM_OK ? TM_OK : tm_error_nomem(err);
}

struct tm_art_thread *tm_art_facts_find_thread(struct tm_art_facts *f, uint32_t number, struct tm_error *err)
{
    uint32_t place = 0;
    return add_thread(f, number, &place, err) == TM_OK ? &f->threads[place] : NULL;
}

/* Splits TEXT at its tabs. Returns the number of WORDS, at most WORDS_MAX: further ones stay in the last. */
static size_t split(struct tm_text text, struct tm_text words[WORDS_MAX])
{
    size_t count = 0;
    while (count < WORDS_MAX - 1 && tm_text_cut(&text, "\t", &words[count]))
        count++;
    words[count++] = text;
    return count;
}

/* Sets the line of METHOD to the number in WORD, if it is one. */
static void set_line(struct tm_art_method *method, struct tm_text word)
{
    int64_t line;
    method->has_line = tm_text_int(word, &line) && line >= 0 && line <= UINT32_MAX;
    method->line = method->has_line ? (uint32_t)line : 0;
}

/* Returns the folder of the source file of a class: its package, if PATH is the name of a Java file alone. */
static struct tm_text folder_of(struct tm_text class_name, struct tm_text path)
{
    size_t len = class_name.len;
    while (len > 0 && class_name.data[len - 1] != '/')
        len--;
    const bool is_java = path.len >= 5 && memcmp(path.data + path.len - 5, ".java", 5) == 0;
    return tm_text_at(class_name.data, is_java ? len : 0);
}

/* Appends the texts of METHOD, which TEXT states. */
static bool put_method(struct tm_buf *out, struct tm_text text, struct tm_art_method *method)
{
    struct tm_text words[WORDS_MAX], name = {0}, signature = {0}, folder = {0}, path = {0};
    const size_t count = split(text, words);
    if (count >= 3 && (count == 5 || tm_text_begins(words[2], "("))) {
        name = words[1];
        signature = words[2];
        path = count >= 4 ? words[3] : path;
        if (count == 5) {
            folder = folder_of(words[0], path);
            set_line(method, words[4]);
        }
    } else if (count >= 3) {
        path = words[1];
        set_line(method, words[2]);
    }
    method->at = (uint32_t)out->len;
    if (tm_buf_add(out, words[0].data, words[0].len) != TM_OK || tm_buf_add_byte(out, '.') != TM_OK ||
        tm_buf_add(out, name.data, name.len) != TM_OK || tm_buf_add(out, ": ", 2) != TM_OK ||
        tm_buf_add(out, signature.data, signature.len) != TM_OK)
        return false;
    method->name_len = (uint32_t)out->len - method->at;
    method->path_len = (uint32_t)(folder.len + path.len);
    return tm_buf_add(out, folder.data, folder.len) == TM_OK && tm_buf_add(out, path.data, path.len) == TM_OK;
}

enum tm_status tm_art_facts_method(struct tm_art_facts *f, uint64_t id, struct tm_text text, struct tm_error *err)
{
    uint32_t place;
    if (tm_map_find(&f->method_of_id, id, &place))
        return TM_OK;
    if (f->method_count == TM_ART_METHODS_MAX || f->texts.len + text.len > TM_ART_NAME_BYTES_MAX) {
        f->left_out++;
        return TM_OK;
    }
    struct tm_art_method method = {0};
    if (tm_array_grow(&f->methods, &f->method_cap, f->method_count, sizeof *f->methods, err) < 0)
        return TM_E_SYSTEM;
    if (!put_method(&f->texts, text, &method) || tm_map_set(&f->method_of_id, id, f->method_count) != TM_OK)
        return tm_error_nomem(err);
    f->methods[f->method_count++] = method;
    return TM_OK;
}

bool tm_art_facts_have_own_numbers(const struct tm_art_facts *f)
{
    for (uint32_t i = 0; i < f->thread_count; i++)
        if (f->threads[i].number == f->pid)
            return false;
    return f->has_pid;
}

struct tm_art_method *tm_art_facts_find_method(const struct tm_art_facts *f, uint64_t id)
{
    uint32_t place;
    return tm_map_find(&f->method_of_id, id, &place) ? &f->methods[place] : NULL;
}

struct tm_text tm_art_method_name(const struct tm_art_facts *f, const struct tm_art_method *method)
{
    return tm_text_at(f->texts.data + method->at, method->name_len);
}

struct tm_text tm_art_method_path(const struct tm_art_facts *f, const struct tm_art_method *method)
{
    return tm_text_at(f->texts.data + method->at + method->name_len, method->path_len);
}

struct tm_text tm_art_thread_name(const struct tm_art_facts *f, const struct tm_art_thread *thread)
{
    return tm_text_at(f->texts.data + thread->at, thread->len);
}

/* Reads a line that names a section. */
static enum tm_status begin_section(struct tm_art_facts *f, struct tm_text line, struct tm_error *err)
{
    static const struct {
        const char *line;
        enum tm_art_section section;
    } sections[] = {{"*version", TM_ART_SECTION_VERSION},
                    {"*threads", TM_ART_SECTION_THREADS},
                    {"*methods", TM_ART_SECTION_METHODS},
                    {"*end", TM_ART_SECTION_END}};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (tm_text_is(line, sections[i].line)) {
            f->section = sections[i].section;
            return TM_OK;
        }
    return tm_error_set(err, TM_E_INPUT, "no line of a method trace");
}

static enum tm_status read_option(struct tm_art_facts *f, struct tm_text line, struct tm_error *err)
{
    struct tm_text key;
    if (!tm_text_cut(&line, "=", &key))
        return tm_error_set(err, TM_E_INPUT, "no option (NAME=VALUE) of a method trace");
    if (tm_text_is(key, "clock"))
        f->clock = tm_text_is(line, "dual")         ? TM_ART_CLOCK_DUAL
                   : tm_text_is(line, "thread-cpu") ? TM_ART_CLOCK_CPU
                                                    : TM_ART_CLOCK_WALL;
    else if (tm_text_is(key, "data-file-overflow"))
        f->has_overflow = tm_text_is(line, "true");
    else if (tm_text_is(key, "pid"))
        f->has_pid = tm_text_int(line, &f->pid) && f->pid > 0 && f->pid <= INT32_MAX;
    return TM_OK;
}

static enum tm_status read_thread(struct tm_art_facts *f, struct tm_text line, struct tm_error *err)
{
    struct tm_text word;
    int64_t number;
    if (!tm_text_cut(&line, "\t", &word) || !tm_text_int(word, &number) || number < 0 || number > INT32_MAX)
        return tm_error_set(err, TM_E_INPUT, "no thread (NUMBER, a tab, NAME) of a method trace");
    return tm_art_facts_thread(f, (uint32_t)number, line, err);
}

/* Sets *VALUE to the hexadecimal number in WORD, which may begin with 0x. */
static bool read_hex(struct tm_text word, uint64_t *value)
{
    if (tm_text_begins(word, "0x"))
        word = tm_text_after(word, 2);
    *value = 0;
    for (size_t i = 0; i < word.len; i++) {
        const int digit = tm_hex_value(word.data[i]);
        if (digit < 0)
            return false;
        *value = *value << 4 | (uint64_t)digit;
    }
    return word.len > 0 && word.len <= 16;
}

static enum tm_status read_method(struct tm_art_facts *f, struct tm_text line, struct tm_error *err)
{
    struct tm_text word;
    uint64_t id;
    while (line.len > 0 && (line.data[line.len - 1] == '\n' || line.data[line.len - 1] == '\r'))
        line.len--;
    if (!tm_text_cut(&line, "\t", &word) || !read_hex(word, &id))
        return tm_error_set(err, TM_E_INPUT, "no method (NUMBER, a tab, CLASS) of a method trace");
    return tm_art_facts_method(f, id, line, err);
}

enum tm_status tm_art_facts_line(struct tm_art_facts *f, struct tm_text line, struct tm_error *err)
{
    int64_t version = 0;
    if (line.len > 0 && line.data[0] == '*')
        return begin_section(f, line, err);
    switch (f->section) {
    case TM_ART_SECTION_VERSION:
        f->section = TM_ART_SECTION_OPTIONS;
        f->version = tm_text_int(line, &version) && version > 0 && version < 256 ? (uint32_t)version : 0;
        return f->version ? TM_OK : tm_error_set(err, TM_E_INPUT, "no version of a method trace");
    case TM_ART_SECTION_OPTIONS: return read_option(f, line, err);
    case TM_ART_SECTION_THREADS: return read_thread(f, line, err);
    case TM_ART_SECTION_METHODS: return read_method(f, line, err);
    default: return tm_error_set(err, TM_E_INPUT, "no line of a method trace");
    }
}

void tm_art_facts_release(struct tm_art_facts *f)
{
    free(f->threads);
    free(f->methods);
    tm_map_release(&f->thread_of_number);
    tm_map_release(&f->method_of_id);
    tm_buf_release(&f->texts);
}
