#include "container/zlib_reader.h"

static enum tm_status inflate_some(struct tm_zlib_reader *reader, uint8_t *data, size_t len, size_t *got,
                                   struct tm_error *err)
{
    struct tm_input *in = reader->in;
    z_stream *z = &reader->z;
    enum tm_status st = tm_input_fill(in, 1, err);
    if (st < 0)
        return st;
    if (st == TM_END)
        return tm_error_set(err, TM_E_INPUT, "compressed byte %llu: the zlib data is cut short",
                            (unsigned long long)in->offset);
    z->next_in = (Bytef *)(uintptr_t)in->data;
    z->avail_in = in->len < UINT32_MAX ? (uInt)in->len : UINT32_MAX;
    z->next_out = data;
    z->avail_out = len < UINT32_MAX ? (uInt)len : UINT32_MAX;
    uInt before_in = z->avail_in, before_out = z->avail_out;
    int answer = inflate(z, Z_NO_FLUSH);
    *got = before_out - z->avail_out;
    tm_input_skip(in, before_in - z->avail_in);
    if (answer == Z_MEM_ERROR)
        return tm_error_nomem(err);
    if (answer == Z_STREAM_END)
        reader->ended = true;
    else if (answer != Z_OK && !(answer == Z_BUF_ERROR && (*got > 0 || before_in > z->avail_in)))
        return tm_error_set(err, TM_E_INPUT, "compressed byte %llu: the zlib data is damaged (%s)",
                            (unsigned long long)in->offset, z->msg ? z->msg : "unknown cause");
    return TM_OK;
}

/* After damage: all that is left is passed over, as a zlib stream has nothing to find its way by. */
static enum tm_status give_up(struct tm_zlib_reader *reader, struct tm_error *err)
{
    struct tm_input *in = reader->in;
    uint64_t start = in->offset;
    enum tm_status st;
    tm_damage_add(&reader->damage, start, err);
    while ((st = tm_input_fill(in, 1, err)) == TM_OK)
        tm_input_skip(in, in->len);
    reader->damage.skipped_bytes += in->offset - start;
    reader->ended = true;
    return st < 0 ? st : TM_OK;
}

static enum tm_status zlib_read(void *source, uint8_t *data, size_t len, size_t *got, struct tm_error *err)
{
    struct tm_zlib_reader *reader = source;
    enum tm_status st = TM_OK;
    *got = 0;
    while (st == TM_OK && *got == 0) {
        if (reader->ended)
            return TM_END;
        st = inflate_some(reader, data, len, got, err);
        if (st == TM_E_INPUT && reader->on_damage != TM_DAMAGE_HALT)
            st = give_up(reader, err);
    }
    return st;
}

enum tm_status tm_zlib_reader_init(struct tm_zlib_reader *reader, struct tm_input *in, struct tm_input *input,
                                   struct tm_error *err)
{
    static const struct tm_input_ops ops = {.read = zlib_read};
    *reader = (struct tm_zlib_reader){.in = in};
    if (inflateInit(&reader->z) != Z_OK)
        return tm_error_nomem(err);
    reader->opened = true;
    tm_input_init(input, &ops, reader);
    return TM_OK;
}

void tm_zlib_reader_release(struct tm_zlib_reader *reader)
{
    if (reader->opened)
        inflateEnd(&reader->z);
    reader->opened = false;
}
