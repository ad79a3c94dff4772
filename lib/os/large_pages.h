/* Large pages of memory for the programs that this one starts. Fresh memory costs a page fault for each page of
 * 4 KB. The C library can ask the kernel for pages of 2 MB instead, but only if the environment of a program says so,
 * and only for large blocks and for its main arena, not for the arenas of further threads. */
#ifndef TM_OS_LARGE_PAGES_H
#define TM_OS_LARGE_PAGES_H

/* Sets tunables of glibc in this process's environment. Large pages are asked for, and all threads allocate from the
 * main arena: they do so seldom, so they hardly wait for each other. The heap grows by 32 MB at a time, and smaller
 * blocks come from it. Ends of the heap and blocks that are mapped on their own lie within a page of 2 MB, so memory
 * there gets small pages. Only pages that are used take memory. Up to 32 MB of freed memory are kept. A tunable that
 * the user has set stays. Other C libraries ignore them. Without memory for that, nothing changes. */
void tm_large_pages_for_children(void);

/* Has the C library read its tunables for this process. If they ask for large pages, its first malloc reads in /sys how
 * large these are. Without those files it does without large pages, so this must come before the sandbox. */
void tm_large_pages_decide(void);

#endif
