/* The order in which people count: "rank2" before "rank10". */
#ifndef TM_BASE_NATURAL_H
#define TM_BASE_NATURAL_H

/* Below, at or above 0 as A comes before, with or after B: bytewise, but runs of digits by the numbers that they are.
 * Names that differ in leading zeros alone are in the order of their bytes; 0 is for equal names only. */
int tm_natural_compare(const char *a, const char *b);

#endif
