#include "container/zlib_reader.h"

/* After damage: skips the rest, because a zlib stream has no marks at which reading could continue. */
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
        st = tm_inflater_read(&reader->inflater, data, len, got, err);
        if (st == TM_END) {
            reader->ended = true;
            st = TM_OK;
        }
        if (st == TM_E_INPUT && reader->on_damage != TM_DAMAGE_HALT)
            st = give_up(reader, err);
    }
    return st < 0 ? tm_error_recoverable(err) : st;
}

enum tm_status tm_zlib_reader_init(struct tm_zlib_reader *reader, struct tm_input *in, struct tm_input *input,
                                   struct tm_error *err)
{
    static const struct tm_input_ops ops = {.read = zlib_read};
    *reader = (struct tm_zlib_reader){.in = in};
    enum tm_status st = tm_inflater_init(&reader->inflater, TM_INFLATER_ZLIB, in, err);
    if (st == TM_OK)
        tm_input_init(input, &ops, reader);
    return st;
}

void tm_zlib_reader_release(struct tm_zlib_reader *reader)
{
    tm_inflater_release(&reader->inflater);
}
