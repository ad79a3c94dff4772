/* The order in which people count: "rank2" before "rank10". */
#ifndef TM_BASE_NATURAL_H
#define TM_BASE_NATURAL_H

/* Returns a number below, equal to or above 0 if A comes before, with or after B. Compares byte by byte, but runs of
 * digits by their numbers. Names that differ only in leading zeros are ordered by their bytes. Returns 0 only for equal
 * names. */
int tm_natural_compare(const char *a, const char *b);

#endif
