/* The few things beyond POSIX.1-2008, each behind one name and with a way to do without. */
#ifndef TM_BASE_COMPAT_H
#define TM_BASE_COMPAT_H

/* A signed integer of 128 bits, for sums of times: an extension that every compiler for 64-bit
 * machines has. */
#if defined(__SIZEOF_INT128__)
__extension__ typedef __int128 tm_wide;
#else
#error "a compiler with 128-bit integers is needed"
#endif

/* Asks the kernel for a pipe buffer of BYTES on FD, which may be no pipe at all. */
void tm_compat_widen_pipe(int fd, int bytes);

#endif
