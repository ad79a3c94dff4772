/* Digits of hexadecimal numbers. */
#ifndef TM_BASE_HEX_H
#define TM_BASE_HEX_H

/* Returns the value of the digit C, whose letter must be a small one. -1: C is none. */
static inline int tm_hex_value_lower(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Returns the value of the digit C. -1: C is none. */
static inline int tm_hex_value(int c)
{
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : tm_hex_value_lower(c);
}

#endif
