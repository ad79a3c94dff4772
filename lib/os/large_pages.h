/* Large pages of memory for the programs that this one starts. Each stage asks for those of its first heap itself
 * (tm_compat_prepare_heap). For what it adds later, and for large blocks, only the C library can ask, and it does so
 * only if the environment of a program says so. */
#ifndef TM_OS_LARGE_PAGES_H
#define TM_OS_LARGE_PAGES_H

/* Sets glibc's tunable glibc.malloc.hugetlb in this process's environment to 1, unless the user has set it. Other C
 * libraries ignore it. Without memory for that, nothing changes. */
void tm_large_pages_for_children(void);

#endif
