#include "format/cpuprofile/internal.h"

#include "format/text_pid.h"

#include <inttypes.h>
#include <stdio.h>

/* Takes COUNT digits and the point after them from *S. */
static bool take_digits(const char **s, int count)
{
    const char *p = *s;
    for (int i = 0; i < count; i++)
        if (*p < '0' || *p++ > '9')
            return false;
    *s = p + 1;
    return *p == '.';
}

/* Takes a number of up to nine digits and the point after it from *S. */
static bool take_number(const char **s, int64_t *number)
{
    int digits = 0;
    *number = 0;
    for (const char *p = *s; *p >= '0' && *p <= '9' && digits < 9; p++, digits++)
        *number = *number * 10 + (*p - '0');
    return digits > 0 && take_digits(s, digits);
}

/* Parses NAME as node --cpu-prof names its files: CPU.DATE.TIME.PID.THREAD.NUMBER.cpuprofile, possibly with another
 * ending behind. THREAD counts Node's threads, from 0, the main thread. */
static bool parse_name(const char *name, int64_t *pid, int64_t *thread)
{
    static const char ending[] = "cpuprofile";
    int64_t number;
    return strncmp(name, "CPU.", 4) == 0 && (name += 4, take_digits(&name, 8)) && take_digits(&name, 6) &&
           take_number(&name, pid) && take_number(&name, thread) && take_number(&name, &number) &&
           strncmp(name, ending, sizeof ending - 1) == 0;
}

/* Sets *NUMBER to one that stands for TEXT. */
static enum tm_status number_of(const struct tm_format_context *context, const char *text, int64_t *number,
                                struct tm_error *err)
{
    return tm_text_pid(context->sink, text, strlen(text), number, err);
}

/* Puts the part of NAME after its last slash into BASE, which has room for SIZE bytes. Cuts it if it is longer. */
static void base_of(struct tm_text name, char *base, size_t size)
{
    size_t start = name.len, len;
    while (start > 0 && name.data[start - 1] != '/')
        start--;
    len = name.len - start < size ? name.len - start : size - 1;
    if (len > 0)
        memcpy(base, name.data + start, len);
    base[len] = '\0';
}

enum tm_status tm_cpuprofile_thread_find(const struct tm_format_context *context, struct tm_cpuprofile_thread *thread,
                                         struct tm_error *err)
{
    char base[sizeof thread->process_name], text[64];
    int64_t worker;
    *thread = (struct tm_cpuprofile_thread){0};
    base_of(context->name, base, sizeof base);
    /* Process 1 is that of a container; for the machine it is another one. */
    if (parse_name(base, &thread->pid, &worker) && thread->pid > 1) {
        thread->tid = thread->pid;
        if (worker == 0)
            return TM_OK;
        snprintf(thread->name, sizeof thread->name, "worker %" PRId64, worker);
        snprintf(text, sizeof text, "worker %" PRId64 " of %" PRId64, worker, thread->pid);
        return number_of(context, text, &thread->tid, err);
    }
    snprintf(thread->process_name, sizeof thread->process_name, "%s", *base ? base : "CPU profile");
    snprintf(text, sizeof text, "CPU profile, file %" PRIu32, context->sink->file);
    enum tm_status st = number_of(context, text, &thread->pid, err);
    thread->tid = thread->pid;
    return st;
}
