#include "sort/union/stream_ids.h"

#include "base/bytes.h"
#include "stream/event.h"

enum { ID_BYTES = 4 };

static enum tm_status unknown(const char *what, uint32_t id, struct tm_error *err)
{
    return tm_error_set(err, TM_E_INPUT, "refers to %s %u, which is not known", what, id);
}

enum tm_status tm_stream_ids_file(const struct tm_stream_ids *ids, uint32_t *id, struct tm_error *err)
{
    if (*id >= ids->file_count)
        return unknown("file", *id, err);
    *id = ids->is_merge && *id == 0 ? 0 : *id + ids->file_base;
    return TM_OK;
}

enum tm_status tm_stream_ids_machine(const struct tm_stream_ids *ids, uint32_t *id, struct tm_error *err)
{
    if (*id >= ids->machines.len / ID_BYTES)
        return unknown("machine", *id, err);
    *id = tm_get_le32(ids->machines.data + (size_t)ID_BYTES * *id);
    return TM_OK;
}

enum tm_status tm_stream_ids_generation(const struct tm_stream_ids *ids, uint32_t *id, struct tm_error *err)
{
    if (*id > ids->generation_count)
        return unknown("generation", *id, err);
    *id += *id ? ids->generation_base : 0;
    return TM_OK;
}

enum tm_status tm_stream_ids_string(const struct tm_stream_ids *ids, uint32_t *id, struct tm_error *err)
{
    if (*id == 0 || *id & TM_STRING_INLINE)
        return TM_OK;
    if (*id > ids->strings.len / ID_BYTES)
        return unknown("string", *id, err);
    *id = tm_get_le32(ids->strings.data + (size_t)ID_BYTES * (*id - 1));
    return TM_OK;
}

static enum tm_status add(struct tm_buf *list, uint32_t number, struct tm_error *err)
{
    uint8_t bytes[ID_BYTES];
    tm_put_le32(bytes, number);
    return tm_buf_add(list, bytes, sizeof bytes) == TM_OK ? TM_OK : tm_error_nomem(err);
}

enum tm_status tm_stream_ids_add_machine(struct tm_stream_ids *ids, uint32_t number, struct tm_error *err)
{
    return add(&ids->machines, number, err);
}

enum tm_status tm_stream_ids_add_string(struct tm_stream_ids *ids, uint32_t number, struct tm_error *err)
{
    ids->has_extra_strings |= (number & TM_STRING_INLINE) != 0;
    return add(&ids->strings, number, err);
}

uint32_t tm_stream_ids_string_count(const struct tm_stream_ids *ids)
{
    return (uint32_t)(ids->strings.len / ID_BYTES);
}

enum tm_status tm_stream_ids_begin(struct tm_stream_ids *ids, uint32_t file, struct tm_error *err)
{
    if (file >= ids->file_count)
        return unknown("file", file, err);
    while (ids->begun.len <= file)
        if (tm_buf_add_byte(&ids->begun, 0) != TM_OK)
            return tm_error_nomem(err);
    ids->begun.data[file] = 1;
    return TM_OK;
}

bool tm_stream_ids_has_begun(const struct tm_stream_ids *ids, uint32_t file)
{
    return file < ids->begun.len && ids->begun.data[file];
}

void tm_stream_ids_release(struct tm_stream_ids *ids)
{
    tm_buf_release(&ids->machines);
    tm_buf_release(&ids->strings);
    tm_buf_release(&ids->begun);
    *ids = (struct tm_stream_ids){0};
}
