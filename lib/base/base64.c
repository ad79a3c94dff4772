#include "base/base64.h"

enum tm_status tm_base64_add(struct tm_buf *out, const uint8_t *data, size_t len)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    enum tm_status st = TM_OK;
    for (size_t i = 0; i < len && st == TM_OK; i += 3) {
        size_t left = len - i;
        uint32_t second = left > 1 ? data[i + 1] : 0, third = left > 2 ? data[i + 2] : 0;
        uint32_t word = (uint32_t)data[i] << 16 | second << 8 | third;
        char four[4] = {digits[word >> 18], digits[word >> 12 & 63], digits[word >> 6 & 63], digits[word & 63]};
        if (left < 3)
            four[3] = '=';
        if (left < 2)
            four[2] = '=';
        st = tm_buf_add(out, four, sizeof four);
    }
    return st;
}
