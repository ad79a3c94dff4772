#include "format/ftrace/process_dump.h"

#include "base/pb.h"
#include "stream/detail_fields.h"
#include "stream/task_description.h"

enum { WORDS_MAX = 10 };

/* Splits LINE into at most MAX words. The last one extends to the end of the line. */
static int split(struct tm_text line, struct tm_text *words, int max)
{
    int n = 0;
    size_t i = 0;
    while (n < max) {
        while (i < line.len && line.data[i] == ' ')
            i++;
        if (i == line.len)
            break;
        size_t start = i;
        while (i < line.len && (line.data[i] != ' ' || n == max - 1))
            i++;
        words[n++] = tm_text_at(line.data + start, i - start);
    }
    return n;
}

static bool parse_pid(struct tm_text w, int64_t *pid)
{
    return tm_text_int(w, pid) && *pid >= 0 && *pid <= UINT32_MAX;
}

static enum tm_status add(struct tm_process_dump *d, struct tm_event_sink *sink, struct tm_event *event,
                          struct tm_error *err)
{
    event->detail = d->detail.data;
    event->detail_bytes = (uint32_t)d->detail.len;
    return tm_event_sink_add(sink, event, err);
}

/* USER PID PPID VSZ RSS WCHAN PC S NAME COMM… */
static enum tm_status add_process(struct tm_process_dump *d, struct tm_event_sink *sink, const struct tm_text *words,
                                  struct tm_error *err)
{
    struct tm_event event = {.kind = TM_KIND_PROCESS,
                             .flags = TM_EVENT_UNTIMED | TM_EVENT_DEFINITION | TM_EVENT_HAS_PID};
    int64_t parent;
    size_t mark;
    if (!parse_pid(words[1], &event.pid) || !parse_pid(words[2], &parent))
        return TM_OK;
    tm_buf_clear(&d->detail);
    if (tm_pb_begin(&d->detail, TM_DETAIL_PROCESS, &mark) != TM_OK ||
        tm_task_description_numbers(&d->detail, &event) != TM_OK ||
        tm_pb_put_varint(&d->detail, TM_PROCESS_DESCRIPTION_PARENT_PID, tm_zigzag(parent)) != TM_OK ||
        tm_pb_put_bytes(&d->detail, TM_PROCESS_DESCRIPTION_NAME, words[8].data, words[8].len) != TM_OK ||
        tm_pb_end(&d->detail, mark) != TM_OK)
        return tm_error_nomem(err);
    return add(d, sink, &event, err);
}

/* USER PID TID CMD… */
static enum tm_status add_thread(struct tm_process_dump *d, struct tm_event_sink *sink, const struct tm_text *words,
                                 struct tm_error *err)
{
    struct tm_event event = {.kind = TM_KIND_THREAD, .flags = TM_EVENT_UNTIMED | TM_EVENT_DEFINITION |
                                                              TM_EVENT_HAS_PID | TM_EVENT_HAS_TID};
    if (!parse_pid(words[1], &event.pid) || !parse_pid(words[2], &event.tid))
        return TM_OK;
    tm_buf_clear(&d->detail);
    if (tm_task_description_put(&d->detail, &event, words[3]) != TM_OK)
        return tm_error_nomem(err);
    return add(d, sink, &event, err);
}

enum tm_status tm_process_dump_line(struct tm_process_dump *dump, struct tm_event_sink *sink, struct tm_text line,
                                    struct tm_error *err)
{
    struct tm_text words[WORDS_MAX];
    int n = split(line, words, dump->is_short ? 4 : WORDS_MAX);
    if (n >= 4 && tm_text_is(words[0], "USER") && tm_text_is(words[1], "PID")) {
        dump->is_short = tm_text_is(words[2], "TID");
        return TM_OK;
    }
    if (dump->is_short)
        return n == 4 ? add_thread(dump, sink, words, err) : TM_OK;
    return n == WORDS_MAX ? add_process(dump, sink, words, err) : TM_OK;
}

void tm_process_dump_release(struct tm_process_dump *dump)
{
    tm_buf_release(&dump->detail);
}
