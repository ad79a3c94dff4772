/* Field numbers of bundles of Windows' events, which reader and writer share. Source: protos/perfetto/trace/etw of
 * google/perfetto. */
#ifndef TM_PERFETTO_ETW_FIELDS_H
#define TM_PERFETTO_ETW_FIELDS_H

/* EtwTraceEventBundle */
enum { TM_ETW_BUNDLE_CPU = 1, TM_ETW_BUNDLE_EVENT = 2 };

/* EtwTraceEvent */
enum tm_etw_event_field {
    TM_ETW_EVENT_TIMESTAMP = 1,
    TM_ETW_EVENT_SWITCH = 2,
    TM_ETW_EVENT_READY = 3,
    TM_ETW_EVENT_CPU = 4,
    TM_ETW_EVENT_THREAD = 5,
    TM_ETW_EVENT_MEMORY = 6,
    TM_ETW_EVENT_FILE_CREATE = 7,
    TM_ETW_EVENT_FILE_LIST = 8,
    TM_ETW_EVENT_FILE_INFO = 9,
    TM_ETW_EVENT_FILE_TRANSFER = 10,
    TM_ETW_EVENT_FILE_SIMPLE = 11,
    TM_ETW_EVENT_FILE_END = 12,
    TM_ETW_EVENT_FILE_PATH = 14,
    TM_ETW_EVENT_DISK = 15
};

#endif
