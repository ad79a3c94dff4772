/* Large pages of memory for the programs that this one starts. Fresh memory costs a page fault for each page of
 * 4 KB. The C library can ask the kernel for pages of 2 MB instead, but only if the environment of a program says so,
 * and only for large blocks and for its main arena, not for the arenas of further threads. Programs that fill much
 * memory then take up to a fifth less time; those that end at once take a little more. */
#ifndef TM_OS_LARGE_PAGES_H
#define TM_OS_LARGE_PAGES_H

/* Sets glibc's tunables glibc.malloc.hugetlb and glibc.malloc.arena_max in this process's environment to 1: large
 * pages are asked for, and all threads allocate from the main arena. They do so seldom, so they hardly wait for each
 * other. A tunable that the user has set stays. Other C libraries ignore them. Without memory for that, nothing
 * changes. */
void tm_large_pages_for_children(void);

#endif
