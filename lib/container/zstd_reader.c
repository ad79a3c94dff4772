#include "container/zstd_reader.h"

#include "base/bytes.h"

#include <zstd.h>
#include <zstd_errors.h>

enum { ZSTD_FRAME = 0xfd2fb528, ZSTD_SKIPPABLE = 0x184d2a50 };

/* Between frames: checks whether another one follows. */
static enum tm_status next_frame(struct tm_zstd_reader *reader, struct tm_error *err)
{
    enum tm_status st = tm_input_fill(reader->in, 4, err);
    uint32_t magic = reader->in->len >= 4 ? tm_get_le32(reader->in->data) : 0;
    reader->in_frame = magic == (uint32_t)ZSTD_FRAME || (magic & 0xfffffff0) == ZSTD_SKIPPABLE;
    reader->ended = !reader->in_frame;
    return st < 0 ? st : TM_OK;
}

static enum tm_status decompress_some(struct tm_zstd_reader *reader, uint8_t *data, size_t len, size_t *got,
                                      struct tm_error *err)
{
    struct tm_input *in = reader->in;
    enum tm_status st = tm_input_fill(in, 1, err);
    if (st < 0)
        return st;
    ZSTD_inBuffer from = {.src = in->data, .size = in->len};
    ZSTD_outBuffer to = {.dst = data, .size = len};
    size_t answer = ZSTD_decompressStream(reader->stream, &to, &from);
    *got = to.pos;
    tm_input_skip(in, from.pos);
    if (ZSTD_getErrorCode(answer) == ZSTD_error_memory_allocation)
        return tm_error_nomem(err);
    if (ZSTD_isError(answer))
        return tm_error_set(err, TM_E_INPUT, "compressed byte %llu: the zstd data is damaged (%s)",
                            (unsigned long long)in->offset, ZSTD_getErrorName(answer));
    reader->in_frame = answer != 0;
    if (answer != 0 && st == TM_END && to.pos == 0)
        return tm_error_set(err, TM_E_INPUT, "compressed byte %llu: the zstd data is cut short",
                            (unsigned long long)in->offset);
    return TM_OK;
}

/* After damage: skips to the next frame that can be found, or to the end. */
static enum tm_status recover(struct tm_zstd_reader *reader, struct tm_error *err)
{
    struct tm_input *in = reader->in;
    uint64_t start = in->offset;
    enum tm_status st;
    tm_damage_add(&reader->damage, start, err);
    ZSTD_initDStream(reader->stream);
    reader->in_frame = false;
    reader->ended = true;
    for (bool first = true; reader->ended && (st = tm_input_fill(in, 4, err)) == TM_OK; first = false) {
        size_t at = first ? 1 : 0; /* the damaged frame may begin here */
        while (at + 4 <= in->len && tm_get_le32(in->data + at) != (uint32_t)ZSTD_FRAME)
            at++;
        reader->ended = at + 4 > in->len || reader->on_damage != TM_DAMAGE_SALVAGE;
        tm_input_skip(in, reader->ended && at + 4 <= in->len ? in->len : at);
    }
    if (reader->ended && st == TM_END)
        tm_input_skip(in, in->len);
    reader->damage.skipped_bytes += in->offset - start;
    return st < 0 ? st : TM_OK;
}

static enum tm_status zstd_read(void *source, uint8_t *data, size_t len, size_t *got, struct tm_error *err)
{
    struct tm_zstd_reader *reader = source;
    enum tm_status st = TM_OK;
    *got = 0;
    while (st == TM_OK && *got == 0) {
        if (reader->ended)
            return TM_END;
        st = reader->in_frame ? decompress_some(reader, data, len, got, err) : next_frame(reader, err);
        if (st == TM_E_INPUT && reader->on_damage != TM_DAMAGE_HALT)
            st = recover(reader, err);
    }
    return st < 0 ? tm_error_recoverable(err) : st;
}

enum tm_status tm_zstd_reader_init(struct tm_zstd_reader *reader, struct tm_input *in, struct tm_input *input,
                                   struct tm_error *err)
{
    static const struct tm_input_ops ops = {.read = zstd_read};
    *reader = (struct tm_zstd_reader){.in = in, .stream = ZSTD_createDStream()};
    if (reader->stream == NULL)
        return tm_error_nomem(err);
    tm_input_init(input, &ops, reader);
    return TM_OK;
}

void tm_zstd_reader_release(struct tm_zstd_reader *reader)
{
    ZSTD_freeDStream(reader->stream);
    reader->stream = NULL;
}
