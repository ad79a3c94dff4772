/* The few things beyond POSIX.1-2008, each behind one name and with a way to do without. */
#ifndef TM_BASE_COMPAT_H
#define TM_BASE_COMPAT_H

/* Asks the kernel for a pipe buffer of BYTES on FD, which may be no pipe at all. */
void tm_compat_widen_pipe(int fd, int bytes);

#endif
