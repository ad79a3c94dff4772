/* Names of the states of Windows' threads, and of the reasons for which they wait. Numbers: CSwitch of
 * learn.microsoft.com/windows/win32/etw; names: those of the reference importer. */
#ifndef TM_KERNEL_WINDOWS_STATES_H
#define TM_KERNEL_WINDOWS_STATES_H

#include <stdbool.h>
#include <stdint.h>

enum { TM_WINDOWS_STATE_WAITING = 5 };

/* Returns the name of STATE, or NULL if the number is not known. */
const char *tm_windows_state_name(uint32_t state);

/* Returns the name of the wait reason REASON, or NULL if the number is not known. */
const char *tm_windows_wait_name(uint32_t reason);

/* True if a thread that waits for REASON waits for input or output, according to the reference importer. */
bool tm_windows_wait_is_io(uint32_t reason);

#endif
