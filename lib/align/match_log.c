#include "align/match_log.h"

enum { TAIL_BYTES = 1 << 20, WINDOW_BYTES = 1 << 20 };

struct head {
    uint64_t rule, form, count; /* 24 bytes, like a member */
};

static enum tm_status write_tail(struct tm_match_log *log, struct tm_error *err)
{
    enum tm_status st = tm_temporary_file_add(&log->file, log->tail.data, log->tail.len, err);
    tm_buf_clear(&log->tail);
    return st;
}

enum tm_status tm_match_log_add(struct tm_match_log *log, const struct tm_match *match, struct tm_error *err)
{
    const struct head head = {match->rule, match->form, match->count};
    if (log->tail.len >= TAIL_BYTES && write_tail(log, err) < 0)
        return err->status;
    if (tm_buf_add(&log->tail, &head, sizeof head) != TM_OK ||
        tm_buf_add(&log->tail, match->members, match->count * sizeof *match->members) != TM_OK)
        return tm_error_nomem(err);
    log->count++;
    return TM_OK;
}

void tm_match_log_rewind(struct tm_match_log *log)
{
    log->read_at = 0;
    log->window_at = 0;
    tm_buf_clear(&log->window);
}

/* Reads until the window has NEED bytes from window_at on. TM_END if there are no more. */
static enum tm_status fill(struct tm_match_log *log, size_t need, struct tm_error *err)
{
    uint64_t end = log->file.len + log->tail.len;
    if (log->window.len - log->window_at >= need)
        return TM_OK;
    tm_buf_consume(&log->window, log->window_at);
    log->window_at = 0;
    while (log->window.len < need) {
        if (log->read_at == end)
            return TM_END;
        bool in_file = log->read_at < log->file.len;
        uint64_t left = in_file ? log->file.len - log->read_at : end - log->read_at;
        size_t len = left < WINDOW_BYTES ? (size_t)left : WINDOW_BYTES;
        if (tm_buf_reserve(&log->window, len) != TM_OK)
            return tm_error_nomem(err);
        uint8_t *to = log->window.data + log->window.len;
        if (!in_file)
            memcpy(to, log->tail.data + (log->read_at - log->file.len), len);
        else if (tm_temporary_file_read(&log->file, to, len, log->read_at, err) < 0)
            return err->status;
        log->window.len += len;
        log->read_at += len;
    }
    return TM_OK;
}

enum tm_status tm_match_log_next(struct tm_match_log *log, struct tm_match *match, struct tm_error *err)
{
    struct head head;
    enum tm_status st = fill(log, sizeof head, err);
    if (st != TM_OK)
        return st;
    memcpy(&head, log->window.data + log->window_at, sizeof head);
    log->window_at += sizeof head;
    size_t bytes = (size_t)head.count * sizeof *match->members;
    if ((st = fill(log, bytes, err)) != TM_OK)
        return st;
    *match = (struct tm_match){.rule = (uint8_t)head.rule, .form = (uint8_t)head.form, .count = (uint32_t)head.count};
    match->members = (struct tm_match_member *)(void *)(log->window.data + log->window_at);
    log->window_at += bytes;
    return TM_OK;
}

void tm_match_log_release(struct tm_match_log *log)
{
    tm_temporary_file_release(&log->file);
    tm_buf_release(&log->tail);
    tm_buf_release(&log->window);
    *log = (struct tm_match_log){0};
}
