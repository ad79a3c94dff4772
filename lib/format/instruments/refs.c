#include "format/instruments/refs.h"

#include "base/bytes.h"

enum { IDS_MEMORY = 16 << 20, RECORDS_MEMORY = 32 << 20, HEAD_BYTES = 5 };
enum { ID_SLACK = 1 << 20, ID_SPARSE = 64 }; /* real ids count up from 1 without a gap */

void tm_instruments_refs_init(struct tm_instruments_refs *r, const char *dir)
{
    *r = (struct tm_instruments_refs){0};
    tm_paged_file_init(&r->ids, dir, IDS_MEMORY);
    tm_paged_file_init(&r->records, dir, RECORDS_MEMORY);
}

void tm_instruments_refs_release(struct tm_instruments_refs *r)
{
    tm_paged_file_release(&r->ids);
    tm_paged_file_release(&r->records);
}

enum tm_status tm_instruments_refs_add(struct tm_instruments_refs *r, uint8_t kind, const struct tm_buf *payload,
                                       uint64_t *place, struct tm_error *err)
{
    uint8_t head[HEAD_BYTES];
    *place = r->records.end ? r->records.end : 1;
    tm_put_le32(head, (uint32_t)payload->len);
    head[4] = kind;
    enum tm_status st = tm_paged_file_write(&r->records, *place, head, sizeof head, err);
    return st < 0 ? st : tm_paged_file_write(&r->records, *place + sizeof head, payload->data, payload->len, err);
}

enum tm_status tm_instruments_refs_bind(struct tm_instruments_refs *r, uint64_t id, uint64_t place,
                                        struct tm_error *err)
{
    uint8_t bytes[8];
    if (id / ID_SPARSE > r->id_count + ID_SLACK / ID_SPARSE)
        return TM_END;
    r->id_count++;
    tm_put_le64(bytes, place);
    return tm_paged_file_write(&r->ids, id * sizeof bytes, bytes, sizeof bytes, err);
}

static enum tm_status get_head(struct tm_instruments_refs *r, uint64_t place, uint32_t *len, uint8_t *kind,
                               struct tm_error *err)
{
    uint8_t head[HEAD_BYTES];
    enum tm_status st = tm_paged_file_read(&r->records, place, head, sizeof head, err);
    *len = tm_get_le32(head);
    *kind = head[4];
    return st;
}

enum tm_status tm_instruments_refs_find(struct tm_instruments_refs *r, uint64_t id, uint8_t kind, uint64_t *place,
                                        struct tm_error *err)
{
    uint8_t bytes[8], found;
    uint32_t len;
    if (id > r->ids.end / sizeof bytes)
        return TM_END;
    enum tm_status st = tm_paged_file_read(&r->ids, id * sizeof bytes, bytes, sizeof bytes, err);
    *place = tm_get_le64(bytes);
    if (st < 0 || *place == 0)
        return st < 0 ? st : TM_END;
    st = get_head(r, *place, &len, &found, err);
    return st < 0 || found == kind ? st : TM_END;
}

enum tm_status tm_instruments_refs_get(struct tm_instruments_refs *r, uint64_t place, struct tm_buf *out,
                                       struct tm_error *err)
{
    uint32_t len;
    uint8_t kind;
    enum tm_status st = get_head(r, place, &len, &kind, err);
    if (st < 0)
        return st;
    if (tm_buf_reserve(out, len) != TM_OK)
        return tm_error_nomem(err);
    st = tm_paged_file_read(&r->records, place + HEAD_BYTES, out->data + out->len, len, err);
    out->len += len;
    return st;
}

enum tm_status tm_instruments_refs_mark(struct tm_instruments_refs *r, uint64_t place, uint8_t byte,
                                        struct tm_error *err)
{
    return tm_paged_file_write(&r->records, place + HEAD_BYTES, &byte, 1, err);
}
