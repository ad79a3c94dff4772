#include "unpack/run_strings.h"

#include "base/bytes.h"

enum { STRINGS_MAX = 1 << 16, STRING_BYTES_MAX = 4 << 20 };

enum tm_status tm_run_strings_init(struct tm_run_strings *strings, struct tm_error *err)
{
    *strings = (struct tm_run_strings){0};
    tm_intern_init(&strings->texts, STRINGS_MAX, STRING_BYTES_MAX);
    int failure = pthread_mutex_init(&strings->lock, NULL);
    return failure ? tm_error_errno(err, failure, "cannot make a lock for threads") : TM_OK;
}

bool tm_run_strings_find(struct tm_run_strings *strings, struct tm_text text, uint32_t *number)
{
    uint32_t i;
    (void)pthread_mutex_lock(&strings->lock);
    bool found = tm_intern_find(&strings->texts, text.data, text.len, &i);
    if (found)
        *number = tm_get_le32(strings->numbers.data + (size_t)4 * i);
    (void)pthread_mutex_unlock(&strings->lock);
    return found;
}

void tm_run_strings_add(struct tm_run_strings *strings, struct tm_text text, uint32_t number)
{
    uint32_t i;
    bool is_new = false;
    (void)pthread_mutex_lock(&strings->lock);
    /* The number gets its room first, so that each text has one. */
    if (tm_buf_reserve(&strings->numbers, 4) == TM_OK &&
        tm_intern_add(&strings->texts, text.data, text.len, &i, &is_new) == TM_OK && is_new) {
        tm_put_le32(strings->numbers.data + strings->numbers.len, number);
        strings->numbers.len += 4;
    }
    (void)pthread_mutex_unlock(&strings->lock);
}

void tm_run_strings_release(struct tm_run_strings *strings)
{
    tm_intern_release(&strings->texts);
    tm_buf_release(&strings->numbers);
    (void)pthread_mutex_destroy(&strings->lock);
}
