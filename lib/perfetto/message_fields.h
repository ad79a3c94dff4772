/* Field numbers of messages inside packets that readers and writers share.
 * Source: protos/perfetto/trace of google/perfetto. */
#ifndef TM_PERFETTO_MESSAGE_FIELDS_H
#define TM_PERFETTO_MESSAGE_FIELDS_H

enum { TM_TRACE_UUID_MSB = 1, TM_TRACE_UUID_LSB = 2 };

enum { TM_SYSTEM_INFO_MACHINE_NAME = 17 };

enum { TM_PROCESS_TREE_PROCESSES = 1, TM_PROCESS_TREE_THREADS = 2 };

/* ProcessTree.Thread */
enum { TM_TREE_THREAD_TID = 1, TM_TREE_THREAD_NAME = 2, TM_TREE_THREAD_TGID = 3 };

enum {
    TM_COUNTER_DESCRIPTOR_TYPE = 1,
    TM_COUNTER_DESCRIPTOR_CATEGORIES = 2,
    TM_COUNTER_DESCRIPTOR_UNIT = 3,
    TM_COUNTER_DESCRIPTOR_UNIT_MULTIPLIER = 4,
    TM_COUNTER_DESCRIPTOR_IS_INCREMENTAL = 5,
    TM_COUNTER_DESCRIPTOR_UNIT_NAME = 6
};

enum { TM_ANDROID_LOG_EVENTS = 1 };

/* AndroidLogPacket.LogEvent */
enum {
    TM_LOG_EVENT_PID = 2,
    TM_LOG_EVENT_TID = 3,
    TM_LOG_EVENT_UID = 4,
    TM_LOG_EVENT_TIMESTAMP = 5,
    TM_LOG_EVENT_TAG = 6,
    TM_LOG_EVENT_PRIORITY = 7,
    TM_LOG_EVENT_MESSAGE = 8,
    TM_LOG_EVENT_ARGS = 9
};

#endif
