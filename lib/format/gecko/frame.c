#include "format/gecko/frame.h"

#include "base/bytes.h"
#include "base/hex.h"
#include "base/pb.h"
#include "stream/detail_fields.h"

enum { RECORD_HEAD = 9, HAS_ADDRESS = 1, IS_RETURN = 2 };

static const char no_mapping[] = "gecko";

void tm_gecko_frame_name(struct tm_gecko_frame *frame, struct tm_text name)
{
    struct tm_text rest = name, function;
    frame->function = name;
    frame->mapping = tm_text_at(no_mapping, sizeof no_mapping - 1);
    if (!tm_text_cut(&rest, " (in ", &function))
        return;
    const uint8_t *close = rest.len ? memchr(rest.data, ')', rest.len) : NULL;
    frame->function = function;
    frame->mapping = tm_text_at(rest.data, close ? (size_t)(close - rest.data) : rest.len);
}

/* Reads "0x" and up to 16 hexadecimal digits. */
static bool hex(struct tm_text s, uint64_t *value)
{
    *value = 0;
    if (s.len < 3 || s.len > 18 || s.data[0] != '0' || s.data[1] != 'x')
        return false;
    for (size_t i = 2; i < s.len; i++) {
        int d = tm_hex_value_lower(s.data[i]);
        if (d < 0)
            return false;
        *value = *value << 4 | (uint64_t)d;
    }
    return true;
}

/* Removes the digits at the end of TEXT and the colon before them. False: there are none. */
static bool cut_number(struct tm_text *text, uint32_t *number)
{
    size_t i = text->len;
    int64_t v;
    while (i > 0 && text->data[i - 1] >= '0' && text->data[i - 1] <= '9')
        i--;
    struct tm_text digits = {text->data + i, text->len - i};
    if (i == 0 || text->data[i - 1] != ':' || !tm_text_int(digits, &v) || v > UINT32_MAX)
        return false;
    *number = (uint32_t)v;
    text->len = i - 1;
    return true;
}

/* Finds file and line in "function (file:line)" or "function (file:line:column)". */
static void find_file(struct tm_gecko_frame *frame, struct tm_text location)
{
    uint32_t last, before;
    if (location.len < 2 || location.data[location.len - 1] != ')')
        return;
    size_t open = location.len - 1;
    while (open > 0 && !(location.data[open] == '(' && location.data[open - 1] == ' '))
        open--;
    struct tm_text file = {location.data + open + 1, location.len - open - 2};
    if (open == 0 || !cut_number(&file, &last))
        return;
    frame->line = cut_number(&file, &before) ? before : last;
    frame->file = file;
}

void tm_gecko_frame_location(struct tm_gecko_frame *frame, struct tm_text location,
                             const struct tm_gecko_process *process)
{
    uint64_t address;
    tm_gecko_frame_name(frame, location);
    if (!hex(location, &address)) {
        find_file(frame, location);
        return;
    }
    const struct tm_gecko_lib *lib = tm_gecko_process_lib_at(process, address);
    frame->has_address = true;
    frame->is_return = true;
    frame->address = lib ? address - lib->base : address;
    if (lib) {
        size_t len = 0;
        const uint8_t *name = tm_gecko_names_get(&process->lib_names, lib->name, &len);
        if (len)
            frame->mapping = tm_text_at(name, len);
    }
}

enum tm_status tm_gecko_frame_put(const struct tm_gecko_frame *frame, struct tm_buf *out)
{
    uint8_t head[RECORD_HEAD] = {
        (uint8_t)((frame->has_address ? HAS_ADDRESS : 0) | (frame->is_return ? IS_RETURN : 0))};
    tm_put_le64(head + 1, frame->address);
    if (tm_buf_add(out, head, sizeof head) != TM_OK ||
        tm_pb_put_bytes(out, TM_STACK_FRAME_FUNCTION, frame->function.data, frame->function.len) != TM_OK ||
        (frame->mapping.len &&
         tm_pb_put_bytes(out, TM_STACK_FRAME_MAPPING, frame->mapping.data, frame->mapping.len) != TM_OK) ||
        (frame->file.len && tm_pb_put_bytes(out, TM_STACK_FRAME_FILE, frame->file.data, frame->file.len) != TM_OK) ||
        (frame->line && tm_pb_put_varint(out, TM_STACK_FRAME_LINE, frame->line) != TM_OK))
        return TM_E_SYSTEM;
    return TM_OK;
}

enum tm_status tm_gecko_frame_add(const uint8_t *record, size_t len, bool is_leaf, uint32_t field, struct tm_buf *out)
{
    size_t mark;
    uint64_t pc = tm_get_le64(record + 1);
    if ((record[0] & IS_RETURN) && !is_leaf && pc)
        pc--;
    if (tm_pb_begin(out, field, &mark) != TM_OK || tm_buf_add(out, record + RECORD_HEAD, len - RECORD_HEAD) != TM_OK ||
        ((record[0] & HAS_ADDRESS) && tm_pb_put_varint(out, TM_STACK_FRAME_REL_PC, pc) != TM_OK))
        return TM_E_SYSTEM;
    return tm_pb_end(out, mark);
}
