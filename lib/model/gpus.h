/* GPUs of machines: those that have tracks, and those that machines describe. */
#ifndef TM_MODEL_GPUS_H
#define TM_MODEL_GPUS_H

#include "base/intern.h"
#include "base/pb.h"
#include "base/text.h"
#include "model/stats.h"

/* Limit of GPUs of all machines; further ones are not shown, and counted. */
enum { TM_GPUS_MAX = 1 << 16 };

enum tm_gpu_text {
    TM_GPU_NAME,
    TM_GPU_VENDOR,
    TM_GPU_MODEL,
    TM_GPU_ARCHITECTURE,
    TM_GPU_UUID, /* in hexadecimal */
    TM_GPU_PCI_BDF,
    TM_GPU_TEXTS
};

struct tm_gpu_row {
    uint32_t machine, gpu;
    uint32_t texts[TM_GPU_TEXTS]; /* numbers of tm_gpus_text, plus 1; 0: none */
    int64_t arg_set;              /* -1: none */
};

/* Zero-initialise, then set STATS. */
struct tm_gpus {
    struct tm_model_stats *stats; /* borrowed; counts what the limits leave out */
    struct tm_gpu_row *rows;
    uint32_t count;
    /* private */
    uint32_t cap;
    struct tm_intern texts;
    struct tm_table by_number;
};

/* Sets *ROW to the row of GPU on the machine of PLACE, which is made if it is new; NULL beyond the limit. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_gpus_get(struct tm_gpus *gpus, struct tm_place place, uint32_t gpu, struct tm_gpu_row **row,
                           struct tm_error *err);

/* Takes the GpuDescription in field DESCRIPTION, which PLACE states. What it leaves out stays as it was. *ROW is set as
 * by tm_gpus_get. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_gpus_describe(struct tm_gpus *gpus, struct tm_place place, const struct tm_pb_field *description,
                                struct tm_gpu_row **row, struct tm_error *err);

/* Returns the text with number NUMBER of a row. Its data is NULL if NUMBER is 0. */
struct tm_text tm_gpus_text(const struct tm_gpus *gpus, uint32_t number);

void tm_gpus_release(struct tm_gpus *gpus);

#endif
