/* Limits by name. Those of lib/clocks are in a file of their own, because its headers and those of lib/format share
 * names. */
#ifndef TM_T_UNIT_LIMITS_H
#define TM_T_UNIT_LIMITS_H

struct limit {
    const char *name;
    unsigned long long value;
};

#define LIMIT(name) {#name, (unsigned long long)(name)}

extern const struct limit clock_limits[]; /* ends with a NULL name */

#endif
