/* Digits of hexadecimal numbers. */
#ifndef TM_BASE_HEX_H
#define TM_BASE_HEX_H

/* Returns the value of the digit C: 0 to 9 or a to f. Returns -1 for other characters. */
static inline int tm_hex_value_lower(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Returns the value of the digit C, with letters in either case. Returns -1 for other characters. */
static inline int tm_hex_value(int c)
{
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : tm_hex_value_lower(c);
}

#endif
