#include "kernel/windows_states.h"

#include <stddef.h>

static const char *const states[] = {"Initialized", "Ready",   "Running",    "Standby",
                                     "Terminated",  "Waiting", "Transition", "DeferredReady"};

enum { WAIT_PAGE_IN = 2, WAIT_FIRST_OF_QUEUES = 7 };

static const char *const waits[] = {
    "Executive",        "FreePage",       "PageIn",       "PoolAllocation",   "DelayExecution",   "Suspended",
    "UserRequest",      "WrExecutive",    "WrFreePage",   "WrPageIn",         "WrPoolAllocation", "WrDelayExecution",
    "WrSuspended",      "WrUserRequest",  "WrEventPair",  "WrQueue",          "WrLpcReceive",     "WrLpcReply",
    "WrVirtualMemory",  "WrPageOut",      "WrRendezvous", "WrKeyedEvent",     "WrTerminated",     "WrProcessInSwap",
    "WrCpuRateControl", "WrCalloutStack", "WrKernel",     "WrResource",       "WrPushLock",       "WrMutex",
    "WrQuantumEnd",     "WrDispatchInt",  "WrPreempted",  "WrYieldExecution", "WrFastMutex",      "WrGuardedMutex",
    "WrRundown"};

enum { STATES = sizeof states / sizeof *states, WAITS = sizeof waits / sizeof *waits };

const char *tm_windows_state_name(uint32_t state)
{
    return state < STATES ? states[state] : NULL;
}

const char *tm_windows_wait_name(uint32_t reason)
{
    return reason < WAITS ? waits[reason] : NULL;
}

bool tm_windows_wait_is_io(uint32_t reason)
{
    return reason == WAIT_PAGE_IN || (reason >= WAIT_FIRST_OF_QUEUES && reason < WAITS);
}
