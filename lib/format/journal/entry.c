#include "format/journal/entry.h"

#include "base/decimal.h"
#include "base/hex.h"
#include "format/journal/journal.h"
#include "stream/detail_arg.h"

enum { FIELD_NAME_MAX = 64 /* systemd.journal-fields(7) */, BOOT_DIGITS = 32 };

void tm_journal_entry_clear(struct tm_journal_entry *e)
{
    e->has_realtime = e->has_monotonic = e->has_boot = e->has_pid = e->has_tid = false;
    e->priority = -1;
    e->left_out = 0;
    tm_buf_clear(&e->message);
    tm_buf_clear(&e->tag);
    tm_buf_clear(&e->comm);
    tm_buf_clear(&e->args);
}

bool tm_journal_is_field(struct tm_text name)
{
    if (name.len == 0 || name.len > FIELD_NAME_MAX || (name.data[0] >= '0' && name.data[0] <= '9'))
        return false;
    for (size_t i = 0; i < name.len; i++)
        if (!((name.data[i] >= 'A' && name.data[i] <= 'Z') || (name.data[i] >= '0' && name.data[i] <= '9') ||
              name.data[i] == '_'))
            return false;
    return true;
}

static bool number(const uint8_t *value, size_t len, int64_t max, int64_t *result)
{
    return len > 0 && *value >= '0' && *value <= '9' &&
           tm_decimal_int((const char *)value, len, result) == TM_OK && *result <= max;
}

/* Reads the id of a boot, 128 bits in hexadecimal. */
static bool boot(const uint8_t *value, size_t len, struct tm_key *key)
{
    uint64_t half[2] = {0};
    if (len != BOOT_DIGITS)
        return false;
    for (size_t i = 0; i < len; i++) {
        int digit = tm_hex_value_lower(value[i]);
        if (digit < 0)
            return false;
        half[i / 16] = half[i / 16] << 4 | (uint64_t)digit;
    }
    *key = (struct tm_key){half[0], half[1], 0};
    return true;
}

/* Reads a field that states a time. False if NAME is a different field. */
static bool take_time(struct tm_journal_entry *e, struct tm_text name, const uint8_t *value, size_t len)
{
    const int64_t max = INT64_MAX / 1000;
    if (tm_text_is(name, "__REALTIME_TIMESTAMP"))
        e->has_realtime = number(value, len, max, &e->realtime_us);
    else if (tm_text_is(name, "__MONOTONIC_TIMESTAMP"))
        e->has_monotonic = number(value, len, max, &e->monotonic_us);
    else if (tm_text_is(name, "_BOOT_ID"))
        e->has_boot = boot(value, len, &e->boot);
    else
        return false;
    return true;
}

/* If a field is repeated, its first value counts. */
static enum tm_status store_first(struct tm_buf *buf, const uint8_t *value, size_t len)
{
    return buf->len || len == 0 ? TM_OK : tm_buf_add(buf, value, len);
}

static enum tm_status put_arg(struct tm_journal_entry *e, struct tm_text name, const uint8_t *value, size_t len)
{
    char key[FIELD_NAME_MAX + 1];
    int64_t numeral;
    if (len > TM_JOURNAL_FIELD_MAX) {
        e->left_out++;
        return TM_OK;
    }
    memcpy(key, name.data, name.len);
    key[name.len] = '\0';
    bool is_number = tm_text_is(name, "_UID") || tm_text_is(name, "_GID") || tm_text_is(name, "PRIORITY");
    return is_number && number(value, len, UINT32_MAX, &numeral) ? tm_detail_arg_int(&e->args, key, numeral)
                                                                : tm_detail_arg_text(&e->args, key, value, len);
}

enum tm_status tm_journal_entry_add(struct tm_journal_entry *e, struct tm_text name, const uint8_t *value, size_t len)
{
    bool is_time = take_time(e, name, value, len);
    if (e->is_brief || (is_time && !tm_text_is(name, "_BOOT_ID")))
        return TM_OK;
    if (tm_text_is(name, "MESSAGE"))
        return store_first(&e->message, value, len);
    if (tm_text_is(name, "SYSLOG_IDENTIFIER"))
        return store_first(&e->tag, value, len);
    if (tm_text_is(name, "_PID") && number(value, len, UINT32_MAX, &e->pid)) {
        e->has_pid = true;
        return TM_OK;
    }
    if (tm_text_is(name, "_TID") && number(value, len, UINT32_MAX, &e->tid)) {
        e->has_tid = true;
        return TM_OK;
    }
    if (tm_text_is(name, "PRIORITY") && !number(value, len, 7, &e->priority))
        e->priority = -1;
    enum tm_status st = tm_text_is(name, "_COMM") ? store_first(&e->comm, value, len) : TM_OK;
    /* address fields: they locate the entry in its journal */
    bool is_address = name.len > 2 && name.data[0] == '_' && name.data[1] == '_';
    return st < 0 || is_address ? st : put_arg(e, name, value, len);
}

void tm_journal_entry_release(struct tm_journal_entry *e)
{
    tm_buf_release(&e->message);
    tm_buf_release(&e->tag);
    tm_buf_release(&e->comm);
    tm_buf_release(&e->args);
}
