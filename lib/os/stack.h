/* The stack of a program and of its threads. */
#ifndef TM_OS_STACK_H
#define TM_OS_STACK_H

#include "base/status.h"

/* What each thread may need: twice what archives that are nested as deep as they may be take. */
enum { TM_STACK_BYTES = 512 << 10 };

/* Sees to it that the main thread, and the programs that it starts, may use TM_STACK_BYTES of stack: raises a lower
 * soft limit. Call it first in main. TM_OK, or TM_E_SYSTEM if the hard limit is lower. */
enum tm_status tm_stack_raise(struct tm_error *err);

#endif
