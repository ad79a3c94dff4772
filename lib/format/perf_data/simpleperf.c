/* What simpleperf states in features of its own. Source: record_file.h, record_file_writer.cpp and record_file.proto of
 * simpleperf. */
#include "format/perf_data/internal.h"

#include "base/pb.h"

/* What a file with functions is. */
enum dso { DSO_KERNEL, DSO_KERNEL_MODULE, DSO_ELF, DSO_DEX };

/* Fields of a message FileFeature. */
enum { FILE_PATH = 1, FILE_DSO = 2, FILE_MIN_ADDRESS = 3, FILE_SYMBOL = 4, FILE_ELF = 6, FILE_KERNEL_MODULE = 7 };
enum { FILE_OFFSET = 1 };
enum { SYMBOL_ADDRESS = 1, SYMBOL_LEN = 2, SYMBOL_NAME = 3 };

struct file {
    struct tm_text path;
    uint64_t dso, min_address, offset; /* OFFSET: of min_address in the file */
};

/* Adds F, whose functions follow. TM_END: it is of a kind without addresses of functions. */
static enum tm_status add_file(struct tm_perf *p, const struct file *f, struct tm_error *err)
{
    struct tm_perf_symbol_file file = {.bias = f->dso == DSO_DEX ? 0 : f->min_address - f->offset};
    if (f->dso > DSO_DEX || f->path.len == 0)
        return TM_END;
    file.is_absolute = f->dso == DSO_KERNEL || tm_text_find(f->path, "jit_app_cache") ||
                       tm_text_find(f->path, "jit_zygote_cache");
    enum tm_status st = tm_perf_mappings_text(&p->mappings, f->path, &file.name, err);
    return st < 0 ? st : tm_perf_symbols_file(&p->symbols, &file, err);
}

static enum tm_status add_symbol(struct tm_perf *p, struct tm_perf_symbol symbol, struct tm_text name,
                                 struct tm_error *err)
{
    enum tm_status st = tm_perf_mappings_text(&p->mappings, name, &symbol.name, err);
    return st < 0 ? st : tm_perf_symbols_add(&p->symbols, &symbol, err);
}

static enum tm_status read_symbol(struct tm_perf *p, struct tm_pb pb, struct tm_error *err)
{
    struct tm_perf_symbol symbol = {0};
    struct tm_text name = tm_text_str("");
    struct tm_pb_field field;
    enum tm_status st;
    while ((st = tm_pb_next(&pb, &field)) == TM_OK)
        if (field.id == SYMBOL_ADDRESS && field.type == TM_PB_VARINT)
            symbol.start = field.value;
        else if (field.id == SYMBOL_LEN && field.type == TM_PB_VARINT)
            symbol.len = field.value;
        else if (field.id == SYMBOL_NAME && field.type == TM_PB_LEN)
            name = tm_text_at(field.data, field.len);
    return st == TM_END ? add_symbol(p, symbol, name, err) : TM_END;
}

/* Returns the number in the message of LEN bytes at DATA that states where the file's first address is. */
static uint64_t offset_of(const uint8_t *data, size_t len)
{
    struct tm_pb pb = tm_pb_of(data, len);
    struct tm_pb_field field;
    while (tm_pb_next(&pb, &field) == TM_OK)
        if (field.id == FILE_OFFSET && field.type == TM_PB_VARINT)
            return field.value;
    return 0;
}

/* Reads a message FileFeature. TM_END: it is damaged. */
static enum tm_status read_message(struct tm_perf *p, struct tm_pb pb, struct tm_error *err)
{
    struct file file = {.path = tm_text_str("")};
    struct tm_pb_field field;
    struct tm_pb again = pb;
    enum tm_status st;
    while ((st = tm_pb_next(&pb, &field)) == TM_OK)
        if (field.id == FILE_PATH && field.type == TM_PB_LEN)
            file.path = tm_text_at(field.data, field.len);
        else if (field.id == FILE_DSO && field.type == TM_PB_VARINT)
            file.dso = field.value;
        else if (field.id == FILE_MIN_ADDRESS && field.type == TM_PB_VARINT)
            file.min_address = field.value;
        else if ((field.id == FILE_ELF || field.id == FILE_KERNEL_MODULE) && field.type == TM_PB_LEN)
            file.offset = offset_of(field.data, field.len);
    if (st != TM_END)
        return TM_END;
    st = add_file(p, &file, err);
    while (st == TM_OK && tm_pb_next(&again, &field) == TM_OK)
        if (field.id == FILE_SYMBOL && field.type == TM_PB_LEN)
            st = read_symbol(p, tm_pb_of(field.data, field.len), err);
    return st < 0 ? st : TM_OK;
}

/* Takes a text up to a NUL, which must be there. */
static struct tm_text take_text(struct tm_perf_cursor *c)
{
    const uint8_t *nul = memchr(c->p, 0, (size_t)(c->end - c->p));
    if (nul)
        return tm_perf_text(c, (uint64_t)(nul - c->p) + 1);
    c->failed = true;
    return tm_text_at("", 0);
}

/* Reads a file in the form that FILE has. TM_END: it is damaged. */
static enum tm_status read_struct(struct tm_perf *p, struct tm_perf_cursor c, struct tm_error *err)
{
    struct file file = {.path = take_text(&c)};
    file.dso = tm_perf_u32(&c);
    file.min_address = tm_perf_u64(&c);
    uint32_t count = tm_perf_u32(&c);
    struct tm_perf_cursor first = c;
    for (uint32_t i = 0; i < count && !c.failed; i++) {
        (void)tm_perf_take(&c, 8 + 4);
        (void)take_text(&c);
    }
    if (c.failed)
        return TM_END;
    if (file.dso <= DSO_ELF && c.end - c.p >= 8)
        file.offset = tm_perf_u64(&c);
    enum tm_status st = add_file(p, &file, err);
    for (uint32_t i = 0; i < count && st == TM_OK; i++) {
        struct tm_perf_symbol symbol = {.start = tm_perf_u64(&first)};
        symbol.len = tm_perf_u32(&first);
        st = add_symbol(p, symbol, take_text(&first), err);
    }
    return st < 0 ? st : TM_OK;
}

/* Reads the files of FILE or FILE2, each after its length. */
static enum tm_status read_files(struct tm_perf *p, uint32_t id, struct tm_perf_cursor c, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    while (st == TM_OK && c.p < c.end) {
        uint32_t len = tm_perf_u32(&c);
        const uint8_t *data = tm_perf_take(&c, len);
        if (data == NULL)
            return TM_END;
        st = id == TM_PERF_FEATURE_SIMPLEPERF_FILE2
                 ? read_message(p, tm_pb_of(data, len), err)
                 : read_struct(p, (struct tm_perf_cursor){data, data + len, c.is_big, false}, err);
    }
    return st;
}

/* Names the events of a line "name,type,config". */
static enum tm_status name_events(struct tm_perf *p, struct tm_text line, struct tm_error *err)
{
    struct tm_text name, type_text;
    int64_t type, config;
    enum tm_status st = TM_OK;
    if (!tm_text_cut(&line, ",", &name) || !tm_text_cut(&line, ",", &type_text) || !tm_text_int(type_text, &type) ||
        !tm_text_int(line, &config))
        return TM_OK;
    for (uint32_t i = 0; i < p->attrs.count && st == TM_OK; i++)
        if (p->attrs.list[i].type == (uint64_t)type && p->attrs.list[i].config == (uint64_t)config)
            st = tm_perf_attrs_name(&p->attrs, &p->attrs.list[i], name, err);
    return st;
}

/* Reads META_INFO: names and values in turn. */
static enum tm_status read_meta(struct tm_perf *p, struct tm_perf_cursor c, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    while (st == TM_OK && c.p < c.end) {
        struct tm_text name = take_text(&c), value = c.failed ? name : take_text(&c), line;
        if (c.failed)
            return TM_END;
        if (!tm_text_is(name, "event_type_info"))
            continue;
        while (st == TM_OK && tm_text_cut(&value, "\n", &line))
            st = name_events(p, line, err);
        if (st == TM_OK)
            st = name_events(p, value, err);
    }
    return st;
}

enum tm_status tm_perf_simpleperf_read(struct tm_perf *p, uint32_t id, struct tm_perf_cursor c, struct tm_error *err)
{
    p->has_call_addresses |= id != TM_PERF_FEATURE_SIMPLEPERF_FILE;
    return id == TM_PERF_FEATURE_SIMPLEPERF_META_INFO ? read_meta(p, c, err) : read_files(p, id, c, err);
}
