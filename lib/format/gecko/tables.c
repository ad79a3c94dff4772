#include "format/gecko/tables.h"

#include "format/gecko/gecko.h"
#include "format/gecko/frame.h"
#include "stream/detail_fields.h"

enum { BYTES_MEMORY = 16 << 20, ROWS_MEMORY = 4 << 20 };

enum { STACK_PREFIX = 0, STACK_FRAME = 4, STACK_BYTES = 8 };

static const struct tm_gecko_field stack_fields[] = {
    {TM_GP_STACKS_PREFIX, "prefix", TM_GF_INDEX, STACK_PREFIX},
    {TM_GP_STACKS_FRAME, "frame", TM_GF_INDEX, STACK_FRAME},
};
static const struct tm_gecko_table stack_table = {stack_fields, 2, STACK_BYTES, TM_GP_STACKS_SCHEMA,
                                                  TM_GP_STACKS_DATA, false};

enum { FRAME_ADDRESS = 0, FRAME_FUNC = 8, FRAME_SYMBOL = 12, FRAME_LINE = 16, FRAME_LOCATION = 20, FRAME_BYTES = 24 };

static const struct tm_gecko_field frame_fields[] = {
    {TM_GP_FRAMES_ADDRESS, "", TM_GF_WIDE, FRAME_ADDRESS},
    {TM_GP_FRAMES_FUNC, "", TM_GF_INDEX, FRAME_FUNC},
    {TM_GP_FRAMES_SYMBOL, "", TM_GF_INDEX, FRAME_SYMBOL},
    {TM_GP_FRAMES_LINE, "line", TM_GF_INDEX, FRAME_LINE},
    {TM_GP_COUNT, "location", TM_GF_INDEX, FRAME_LOCATION},
};
static const struct tm_gecko_table frame_table = {frame_fields, 5, FRAME_BYTES, TM_GP_FRAMES_SCHEMA,
                                                  TM_GP_FRAMES_DATA, false};

enum { FUNC_NAME = 0, FUNC_RESOURCE = 4, FUNC_FILE = 8, FUNC_SOURCE = 12, FUNC_BYTES = 16 };

static const struct tm_gecko_field func_fields[] = {
    {TM_GP_FUNCS_NAME, "", TM_GF_INDEX, FUNC_NAME},
    {TM_GP_FUNCS_RESOURCE, "", TM_GF_INDEX, FUNC_RESOURCE},
    {TM_GP_FUNCS_FILE, "", TM_GF_INDEX, FUNC_FILE},
    {TM_GP_FUNCS_SOURCE, "", TM_GF_INDEX, FUNC_SOURCE},
};
static const struct tm_gecko_table func_table = {func_fields, 4, FUNC_BYTES, 0, 0, false};

enum { RESOURCE_LIB = 0, RESOURCE_NAME = 4, RESOURCE_BYTES = 8, INDEX_BYTES = 4 };

static const struct tm_gecko_field resource_fields[] = {
    {TM_GP_RESOURCES_LIB, "", TM_GF_INDEX, RESOURCE_LIB},
    {TM_GP_RESOURCES_NAME, "", TM_GF_INDEX, RESOURCE_NAME},
};
static const struct tm_gecko_table resource_table = {resource_fields, 2, RESOURCE_BYTES, 0, 0, false};

static const struct tm_gecko_field symbol_fields[] = {{TM_GP_SYMBOLS_LIB, "", TM_GF_INDEX, 0}};
static const struct tm_gecko_table symbol_table = {symbol_fields, 1, INDEX_BYTES, 0, 0, false};
static const struct tm_gecko_field source_fields[] = {{TM_GP_SOURCES_FILE, "", TM_GF_INDEX, 0}};
static const struct tm_gecko_table source_table = {source_fields, 1, INDEX_BYTES, 0, 0, false};

void tm_gecko_tables_init(struct tm_gecko_tables *t, const char *dir)
{
    *t = (struct tm_gecko_tables){.stack_bytes = TM_GECKO_STACK_BYTES};
    tm_paged_file_init(&t->strings.bytes, dir, BYTES_MEMORY);
    tm_paged_file_init(&t->frames.bytes, dir, BYTES_MEMORY);
    struct tm_paged_file *rows[] = {&t->strings.ends, &t->frames.ends,     &t->stacks.paged,  &t->raw_frames.paged,
                                    &t->funcs.paged,  &t->resources.paged, &t->symbols.paged, &t->sources.paged};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        tm_paged_file_init(rows[i], dir, ROWS_MEMORY);
}

void tm_gecko_tables_release(struct tm_gecko_tables *t)
{
    struct tm_paged_file *paged[] = {&t->strings.bytes, &t->frames.bytes,     &t->strings.ends, &t->frames.ends,
                                     &t->stacks.paged,  &t->raw_frames.paged, &t->funcs.paged,  &t->resources.paged,
                                     &t->symbols.paged, &t->sources.paged};
    for (size_t i = 0; i < sizeof paged / sizeof *paged; i++)
        tm_paged_file_release(paged[i]);
    tm_buf_release(&t->text);
    tm_buf_release(&t->name);
    tm_buf_release(&t->record);
}

static enum tm_status add_string(struct tm_gecko_strings *s, const void *data, size_t len, struct tm_error *err)
{
    uint8_t end[8];
    enum tm_status st = tm_paged_file_write(&s->bytes, s->bytes.end, data, len, err);
    tm_put_le64(end, s->bytes.end);
    return st < 0 ? st : tm_paged_file_write(&s->ends, (uint64_t)s->count++ * sizeof end, end, sizeof end, err);
}

static void clear_strings(struct tm_gecko_strings *s)
{
    s->present = false;
    s->count = 0;
    tm_paged_file_clear(&s->bytes);
    tm_paged_file_clear(&s->ends);
}

/* Sets *START and *LEN to the place of string I in its bytes. TM_END: there is no such string. */
static enum tm_status find_string(struct tm_gecko_strings *s, uint32_t i, uint64_t *start, size_t *len,
                                  struct tm_error *err)
{
    uint8_t ends[16] = {0};
    *start = *len = 0;
    if (i >= s->count)
        return TM_END;
    const size_t before = i ? 8 : 0; /* bytes of the end of the string before, which is 0 for the first */
    enum tm_status st = tm_paged_file_read(&s->ends, (uint64_t)i * 8 - before, ends + 8 - before, 8 + before, err);
    if (st != TM_OK)
        return st;
    *start = tm_get_le64(ends);
    *len = (size_t)(tm_get_le64(ends + 8) - *start);
    return TM_OK;
}

enum tm_status tm_gecko_strings_get(struct tm_gecko_strings *s, uint32_t i, size_t max, struct tm_buf *out,
                                    struct tm_error *err)
{
    uint64_t start;
    size_t len;
    enum tm_status st = find_string(s, i, &start, &len, err);
    len = len < max ? len : max;
    if (st == TM_OK && tm_buf_reserve(out, len) != TM_OK)
        return tm_error_nomem(err);
    if (st != TM_OK || len == 0)
        return st;
    st = tm_paged_file_read(&s->bytes, start, out->data + out->len, len, err);
    out->len += len;
    return st;
}

static enum tm_status read_strings(struct tm_gecko_tables *t, const struct tm_gecko_source *source,
                                   struct tm_error *err)
{
    struct tm_gecko_reader reader;
    struct tm_json_value value;
    const uint8_t *s;
    size_t len;
    tm_gecko_reader_init(&reader, source->text_file, source->parts, TM_GP_STRINGS);
    enum tm_status st = tm_json_cursor_enter(&reader.cursor, err);
    while (st == TM_OK && (st = tm_json_cursor_element(&reader.cursor, err)) == TM_OK &&
           (st = tm_json_cursor_value(&reader.cursor, &value, err)) == TM_OK) {
        s = NULL;
        len = 0;
        if (t->strings.count == UINT32_MAX - 1)
            break;
        if (value.type == TM_JSON_STRING && !tm_json_text(&value, &t->text, &s, &len))
            st = tm_error_nomem(err);
        if (st == TM_OK)
            st = add_string(&t->strings, s, len, err);
    }
    t->torn |= st == TM_E_INPUT;
    st = tm_gecko_salvage(source, TM_GP_STRINGS, st, err);
    tm_gecko_reader_release(&reader);
    t->strings.present = true;
    return st == TM_END ? TM_OK : st;
}

/* Rows with the form of TABLE. */
struct form_rows {
    struct tm_gecko_rows *rows;
    const struct tm_gecko_table *table;
};

static struct form_rows funcs_of(struct tm_gecko_tables *t)
{
    return (struct form_rows){&t->funcs, &func_table};
}

static struct form_rows resources_of(struct tm_gecko_tables *t)
{
    return (struct form_rows){&t->resources, &resource_table};
}

/* Reads field FIELD, an index, of row I of FROM. False: there is none. Sets t->lost if damage may have removed the
 * row. */
static bool index_of(struct tm_gecko_tables *t, struct form_rows from, uint32_t i, uint32_t field, uint32_t *index)
{
    struct tm_gecko_rows *rows = from.rows;
    struct tm_error ignored = {0};
    uint8_t row[TM_GECKO_ROW_MAX];
    t->lost |= t->torn && i >= rows->count && i != UINT32_MAX;
    return i < rows->count && tm_gecko_row_get(rows, from.table, i, row, &ignored) == TM_OK &&
           tm_gecko_index_get(row + field, index);
}

/* Sets OUT to string I, cut to TM_GECKO_NAME_BYTES; empty if there is no such string. Sets t->lost if damage may have
 * removed it. */
static enum tm_status frame_string(struct tm_gecko_tables *t, struct tm_gecko_strings *strings, uint32_t i,
                                   struct tm_buf *out, struct tm_error *err)
{
    tm_buf_clear(out);
    t->lost |= i != UINT32_MAX && (strings ? strings->torn && i >= strings->count : t->torn);
    enum tm_status st = strings ? tm_gecko_strings_get(strings, i, TM_GECKO_NAME_BYTES, out, err) : TM_END;
    t->names_cut += out->len == TM_GECKO_NAME_BYTES;
    return st < 0 ? st : TM_OK;
}

/* What names frames: the strings of their table, and the libraries of their process. */
struct naming {
    struct tm_gecko_strings *strings; /* NULL: none */
    const struct tm_gecko_process *process;
};

/* Puts the name of the library or resource of function FUNC, or of the frame's native symbol, into t->text. */
static enum tm_status find_mapping(struct tm_gecko_tables *t, const uint8_t *row, uint32_t func, struct naming by,
                                   struct tm_error *err)
{
    uint32_t resource, lib, name, symbol;
    const uint8_t *s = NULL;
    size_t len = 0;
    tm_buf_clear(&t->text);
    bool has_resource = index_of(t, funcs_of(t), func, FUNC_RESOURCE, &resource);
    if ((has_resource && index_of(t, resources_of(t), resource, RESOURCE_LIB, &lib)) ||
        (tm_gecko_index_get(row + FRAME_SYMBOL, &symbol) &&
         index_of(t, (struct form_rows){&t->symbols, &symbol_table}, symbol, 0, &lib)))
        s = tm_gecko_names_get(&by.process->lib_names, lib, &len);
    if (s)
        return tm_buf_add(&t->text, s, len) == TM_OK ? TM_OK : tm_error_nomem(err);
    if (has_resource && index_of(t, resources_of(t), resource, RESOURCE_NAME, &name))
        return frame_string(t, by.strings, name, &t->text, err);
    return TM_OK;
}

/* Writes a frame of the preprocessed format: function, mapping, file, line and address. */
static enum tm_status put_func_frame(struct tm_gecko_tables *t, const uint8_t *row, struct naming by,
                                     struct tm_error *err)
{
    struct tm_gecko_frame frame = {0};
    uint32_t func = UINT32_MAX, name, file, source;
    struct tm_buf path = {0};
    tm_gecko_index_get(row + FRAME_FUNC, &func);
    tm_buf_clear(&t->name);
    enum tm_status st = TM_OK;
    if (index_of(t, funcs_of(t), func, FUNC_NAME, &name))
        st = frame_string(t, by.strings, name, &t->name, err);
    if (st == TM_OK)
        st = find_mapping(t, row, func, by, err);
    if (st == TM_OK && (index_of(t, funcs_of(t), func, FUNC_FILE, &file) ||
                        (index_of(t, funcs_of(t), func, FUNC_SOURCE, &source) &&
                         index_of(t, (struct form_rows){&t->sources, &source_table}, source, 0, &file))))
        st = frame_string(t, by.strings, file, &path, err);
    if (st == TM_OK) {
        tm_gecko_frame_name(&frame, tm_text_at(t->name.data, t->name.len));
        if (t->text.len)
            frame.mapping = tm_text_at(t->text.data, t->text.len);
        frame.file = tm_text_at(path.data, path.len);
        tm_gecko_index_get(row + FRAME_LINE, &frame.line);
        frame.line += frame.line == UINT32_MAX;
        uint64_t address = tm_get_le64(row + FRAME_ADDRESS);
        frame.has_address = address != 0;
        frame.address = address - 1;
        st = tm_gecko_frame_put(&frame, &t->record) == TM_OK ? TM_OK : tm_error_nomem(err);
    }
    tm_buf_release(&path);
    return st;
}

/* Writes a frame of the Gecko format. The text of its location states all but the line. */
static enum tm_status put_location_frame(struct tm_gecko_tables *t, const uint8_t *row, struct naming by,
                                         struct tm_error *err)
{
    struct tm_gecko_frame frame = {0};
    uint32_t location = UINT32_MAX, line;
    tm_gecko_index_get(row + FRAME_LOCATION, &location);
    enum tm_status st = frame_string(t, by.strings, location, &t->name, err);
    if (st < 0)
        return st;
    tm_gecko_frame_location(&frame, tm_text_at(t->name.data, t->name.len), by.process);
    if (tm_gecko_index_get(row + FRAME_LINE, &line))
        frame.line = line;
    return tm_gecko_frame_put(&frame, &t->record) == TM_OK ? TM_OK : tm_error_nomem(err);
}

static enum tm_status make_frames(struct tm_gecko_tables *t, bool is_location, struct naming by, struct tm_error *err)
{
    uint8_t row[FRAME_BYTES];
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; st == TM_OK && i < t->raw_frames.count; i++) {
        tm_buf_clear(&t->record);
        t->lost = false;
        st = tm_gecko_row_get(&t->raw_frames, &frame_table, i, row, err);
        if (st == TM_OK)
            st = is_location ? put_location_frame(t, row, by, err) : put_func_frame(t, row, by, err);
        if (st == TM_OK)
            st = add_string(&t->frames, t->record.data, t->lost ? 0 : t->record.len, err);
    }
    return st;
}

enum tm_status tm_gecko_tables_read(struct tm_gecko_tables *t, const struct tm_gecko_source *source,
                                    struct tm_gecko_strings *shared, const struct tm_gecko_process *process,
                                    struct tm_error *err)
{
    const struct {
        const struct tm_gecko_table *table;
        struct tm_gecko_rows *rows;
    } all[] = {{&stack_table, &t->stacks},       {&frame_table, &t->raw_frames}, {&func_table, &t->funcs},
               {&resource_table, &t->resources}, {&symbol_table, &t->symbols},   {&source_table, &t->sources}};
    enum tm_status st = TM_OK;
    clear_strings(&t->strings);
    clear_strings(&t->frames);
    t->torn = source->parts->torn;
    if (tm_gecko_has(source->parts, TM_GP_STRINGS))
        st = read_strings(t, source, err);
    for (size_t i = 0; st == TM_OK && i < sizeof all / sizeof *all; i++) {
        st = tm_gecko_rows_read(source, all[i].table, all[i].rows, err);
        t->torn |= all[i].rows->whole != UINT32_MAX;
    }
    t->strings.torn = t->torn;
    t->has_stacks = t->stacks.count > 0;
    const struct naming by = {t->strings.present ? &t->strings : shared, process};
    return st < 0 ? st : make_frames(t, tm_gecko_has(source->parts, TM_GP_FRAMES_DATA), by, err);
}

/* The frames of a stack, innermost first. */
struct stack_frames {
    uint32_t frames[TM_GECKO_FRAMES_MAX], count;
    bool is_cut; /* the stack has more */
};

/* Sets STACK to the frames of stack I. A row of the table without a frame counts as one, because many samples can use
 * the same rows. TM_END: damage removed a frame. */
static enum tm_status walk(struct tm_gecko_tables *t, uint32_t i, struct stack_frames *stack, struct tm_error *err)
{
    uint8_t row[STACK_BYTES];
    stack->count = 0;
    stack->is_cut = false;
    for (uint32_t depth = 0; depth < TM_GECKO_FRAMES_MAX; depth++) {
        uint32_t frame, prefix;
        enum tm_status st = tm_gecko_row_get(&t->stacks, &stack_table, i, row, err);
        if (st < 0)
            return st;
        bool has_frame = tm_gecko_index_get(row + STACK_FRAME, &frame);
        if (has_frame && frame < t->frames.count)
            stack->frames[stack->count++] = frame;
        else if (has_frame && t->torn)
            return TM_END;
        if (!tm_gecko_index_get(row + STACK_PREFIX, &prefix))
            return TM_OK;
        if (prefix >= i) {
            t->broken_stacks++;
            return TM_OK;
        }
        i = prefix;
    }
    stack->is_cut = true;
    return TM_OK;
}

static enum tm_status put_frame(struct tm_gecko_tables *t, uint32_t frame, bool is_leaf, struct tm_buf *out,
                                struct tm_error *err)
{
    tm_buf_clear(&t->record);
    enum tm_status st = tm_gecko_strings_get(&t->frames, frame, SIZE_MAX, &t->record, err);
    if (st < 0)
        return st;
    return tm_gecko_frame_add(t->record.data, t->record.len, is_leaf, TM_DETAIL_FRAMES, out) == TM_OK
               ? TM_OK
               : tm_error_nomem(err);
}

enum tm_status tm_gecko_tables_stack(struct tm_gecko_tables *t, uint32_t i, struct tm_buf *out, bool *is_cut,
                                     struct tm_error *err)
{
    struct stack_frames stack;
    uint32_t fit;
    uint64_t start;
    size_t len, bytes = 0;
    tm_buf_clear(out);
    if (i >= t->stacks.count)
        return TM_END;
    enum tm_status st = walk(t, i, &stack, err);
    for (fit = 0; st == TM_OK && fit < stack.count; fit++) {
        st = find_string(&t->frames, stack.frames[fit], &start, &len, err);
        if (st == TM_OK && len == 0)
            return TM_END;
        bytes += len + 2 * TM_VARINT_MAX;
        if (bytes > t->stack_bytes)
            break;
    }
    *is_cut = stack.is_cut || fit < stack.count;
    while (st == TM_OK && fit-- > 0)
        st = put_frame(t, stack.frames[fit], fit == 0, out, err);
    return st;
}
