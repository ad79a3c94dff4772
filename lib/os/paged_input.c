#include "os/paged_input.h"

static enum tm_status read_paged(void *source, uint8_t *data, size_t len, size_t *got, struct tm_error *err)
{
    struct tm_paged_input *p = source;
    uint64_t left = p->end - p->at;
    *got = left < len ? (size_t)left : len;
    if (*got == 0)
        return TM_END;
    enum tm_status st = tm_paged_file_read(p->paged, p->at, data, *got, err);
    p->at += *got;
    return st;
}

void tm_paged_input_init(struct tm_paged_input *p, struct tm_paged_file *paged, uint64_t at, uint64_t len,
                         uint64_t offset)
{
    static const struct tm_input_ops ops = {.read = read_paged};
    *p = (struct tm_paged_input){.paged = paged, .at = at, .end = at + len};
    tm_input_init(&p->in, &ops, p);
    p->in.offset = offset;
}

void tm_paged_input_release(struct tm_paged_input *p)
{
    tm_input_release(&p->in);
}
