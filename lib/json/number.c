#include "json/number.h"

#include "base/decimal.h"
#include "base/pb.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_TEXT_MAX = 800 }; /* more digits than any double needs to differ from its neighbours */

static bool to_double(const uint8_t *data, size_t len, double *d)
{
    char text[NUMBER_TEXT_MAX + 1];
    char *end;
    if (len == 0 || len > NUMBER_TEXT_MAX)
        return false;
    for (size_t i = 0; i < len; i++)
        if (data[i] == 0 || strchr("0123456789+-.eE", data[i]) == NULL)
            return false;
    memcpy(text, data, len);
    text[len] = '\0';
    *d = strtod(text, &end);
    return end == text + len && isfinite(*d);
}

/* Converts digits with a point among them, and an optional '-'. It does so only if the digits as an integer, and the
 * power of ten that they are divided by, are exact as doubles; then the quotient is rounded as strtod does. */
static bool short_double(const uint8_t *data, size_t len, double *d)
{
    enum { EXACT_DIGITS = 15 /* below 2^53 */ };
    static const double powers[EXACT_DIGITS + 1] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    bool is_negative = len > 0 && data[0] == '-';
    uint64_t v = 0;
    size_t i = is_negative, point = len;
    if (FLT_EVAL_METHOD != 0 || len - i > EXACT_DIGITS + 1)
        return false;
    for (; i < len; i++) {
        unsigned digit = (unsigned)data[i] - '0';
        if (data[i] == '.' && point == len)
            point = i;
        else if (digit > 9)
            return false;
        else
            v = v * 10 + digit;
    }
    if (point == len || len - is_negative < 2)
        return false;
    *d = (double)v / powers[len - point - 1];
    if (is_negative)
        *d = -*d;
    return true;
}

/* Parses up to 18 digits with an optional '-'. */
static bool small_int(const uint8_t *data, size_t len, uint64_t *bits)
{
    uint64_t v = 0;
    size_t i = len > 0 && data[0] == '-';
    if (len == i || len > 18)
        return false;
    for (; i < len; i++) {
        unsigned digit = (unsigned)data[i] - '0';
        if (digit > 9)
            return false;
        v = v * 10 + digit;
    }
    *bits = data[0] == '-' ? 0 - v : v;
    return true;
}

bool tm_json_number(const uint8_t *data, size_t len, bool *is_double, uint64_t *bits)
{
    int64_t v;
    double d;
    if (small_int(data, len, bits)) {
        *is_double = false;
        return true;
    }
    *is_double = tm_decimal_int((const char *)data, len, &v) != TM_OK;
    if (!*is_double) {
        *bits = (uint64_t)v;
        return true;
    }
    if (!short_double(data, len, &d) && !to_double(data, len, &d))
        return false;
    *bits = tm_pb_bits(d);
    return true;
}

enum tm_status tm_json_decimal(const struct tm_json_value *value, int scale, int64_t *result)
{
    if (!tm_json_is_scalar(value))
        return TM_E_INPUT;
    return tm_decimal_scale((const char *)value->data, value->len, scale, result);
}
