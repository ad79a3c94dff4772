#include "clocks/deferral.h"

static enum tm_status write_batch(struct tm_deferral *deferral, const struct tm_batch *batch, const char *temporary_dir,
                                  struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (!deferral->file.has_begun)
        st = tm_temporary_stream_begin(&deferral->file, temporary_dir, err);
    deferral->state = TM_DEFERRAL_SPILLED;
    return st == TM_OK ? tm_stream_write_batch(&deferral->file.writer, batch, err) : st;
}

/* Writes the rows that are in memory. */
static enum tm_status spill(struct tm_deferral *deferral, const char *temporary_dir, struct tm_error *err)
{
    struct tm_batch batch;
    tm_batch_builder_view(&deferral->rows, &batch);
    enum tm_status st = write_batch(deferral, &batch, temporary_dir, err);
    tm_batch_builder_clear(&deferral->rows);
    return st;
}

enum tm_status tm_deferral_add(struct tm_deferral *deferral, const struct tm_event *event, const char *temporary_dir,
                               struct tm_error *err)
{
    if (tm_batch_builder_full(&deferral->rows)) {
        enum tm_status st = spill(deferral, temporary_dir, err);
        if (st < 0)
            return st;
    }
    deferral->count++;
    return tm_batch_builder_add(&deferral->rows, event) == TM_OK ? TM_OK : tm_error_nomem(err);
}

/* Appends the rows of BATCH to those in memory. */
static enum tm_status add_rows(struct tm_deferral *deferral, const struct tm_batch *batch, const char *temporary_dir,
                               struct tm_error *err)
{
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_event event;
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_batch_next(&walk, &event))
        st = tm_deferral_add(deferral, &event, temporary_dir, err);
    return st;
}

enum tm_status tm_deferral_add_batch(struct tm_deferral *deferral, const struct tm_batch *batch,
                                     const char *temporary_dir, struct tm_error *err)
{
    if (deferral->count == 0) /* most files have one batch at most, and need no temporary file */
        return add_rows(deferral, batch, temporary_dir, err);
    enum tm_status st = deferral->rows.count ? spill(deferral, temporary_dir, err) : TM_OK;
    deferral->count += batch->count;
    return st == TM_OK ? write_batch(deferral, batch, temporary_dir, err) : st;
}

enum tm_status tm_deferral_next(struct tm_deferral *deferral, struct tm_batch *batch, struct tm_error *err)
{
    if (deferral->state == TM_DEFERRAL_SPILLED) {
        enum tm_status st = tm_temporary_stream_read(&deferral->file, err);
        if (st < 0)
            return st;
        deferral->state = TM_DEFERRAL_READING;
    }
    if (deferral->state == TM_DEFERRAL_READING) {
        struct tm_frame frame;
        enum tm_status st = tm_stream_reader_next(&deferral->file.reader, &frame, batch, err);
        if (st != TM_END)
            return st;
    }
    if (deferral->state == TM_DEFERRAL_LAST || deferral->rows.count == 0)
        return TM_END;
    deferral->state = TM_DEFERRAL_LAST;
    tm_batch_builder_view(&deferral->rows, batch);
    return TM_OK;
}

void tm_deferral_release(struct tm_deferral *deferral)
{
    tm_temporary_stream_release(&deferral->file);
    tm_batch_builder_release(&deferral->rows);
    *deferral = (struct tm_deferral){0};
}
