#include "model/gpus.h"

#include "stream/detail_fields.h"

#include <stdlib.h>

enum { TEXTS_MAX = 1 << 16, TEXT_BYTES_MAX = 4 << 20 };

enum tm_status tm_gpus_get(struct tm_gpus *gpus, struct tm_place place, uint32_t gpu, struct tm_gpu_row **row,
                           struct tm_error *err)
{
    const struct tm_key key = {place.machine, gpu, 0};
    int64_t i = tm_table_find(&gpus->by_number, &key);
    enum tm_status st;
    *row = NULL;
    if (i == TM_TABLE_NONE) {
        if (gpus->count == TM_GPUS_MAX)
            return tm_model_stats_add(gpus->stats, place, TM_MODEL_LEFT_OUT, 1, err);
        i = gpus->count;
        if ((st = tm_array_grow(&gpus->rows, &gpus->cap, gpus->count, sizeof *gpus->rows, err)) < 0 ||
            (st = tm_table_set(&gpus->by_number, &key, i, err)) < 0)
            return st;
        gpus->rows[gpus->count++] = (struct tm_gpu_row){.machine = place.machine, .gpu = gpu, .arg_set = -1};
    }
    *row = &gpus->rows[i];
    return TM_OK;
}

/* Sets *NUMBER to that of TEXT, which PLACE states, plus 1; 0: there are too many. */
static enum tm_status text_number(struct tm_gpus *gpus, struct tm_place place, const struct tm_pb_field *text,
                                  uint32_t *number, struct tm_error *err)
{
    if (gpus->texts.count_max == 0)
        tm_intern_init(&gpus->texts, TEXTS_MAX, TEXT_BYTES_MAX);
    enum tm_status st = tm_intern_add(&gpus->texts, text->data, text->len, number, NULL);
    *number = st == TM_OK ? *number + 1 : 0;
    if (st == TM_END)
        return tm_model_stats_add(gpus->stats, place, TM_MODEL_LEFT_OUT, 1, err);
    return st < 0 ? tm_error_nomem(err) : TM_OK;
}

enum tm_status tm_gpus_describe(struct tm_gpus *gpus, struct tm_place place, const struct tm_pb_field *description,
                                struct tm_gpu_row **row, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(description->data, description->len), look = pb;
    struct tm_pb_field f;
    uint32_t gpu = 0;
    while (tm_pb_next(&look, &f) == TM_OK)
        if (f.id == TM_GPU_DESCRIPTION_GPU)
            gpu = (uint32_t)f.value;
    enum tm_status st = tm_gpus_get(gpus, place, gpu, row, err);
    while (st == TM_OK && *row && tm_pb_next(&pb, &f) == TM_OK)
        if (f.id >= TM_GPU_DESCRIPTION_NAME && f.id <= TM_GPU_DESCRIPTION_PCI_BDF && f.type == TM_PB_LEN && f.len)
            st = text_number(gpus, place, &f, &(*row)->texts[f.id - TM_GPU_DESCRIPTION_NAME], err);
    return st;
}

struct tm_text tm_gpus_text(const struct tm_gpus *gpus, uint32_t number)
{
    struct tm_text text = {0};
    if (number)
        text.data = tm_intern_get(&gpus->texts, number - 1, &text.len);
    return text;
}

void tm_gpus_release(struct tm_gpus *gpus)
{
    free(gpus->rows);
    tm_intern_release(&gpus->texts);
    tm_table_release(&gpus->by_number);
    *gpus = (struct tm_gpus){0};
}
