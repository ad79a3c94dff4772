/* Field numbers of the Detail message and of the messages in it (proto/tm_stream.proto). t/unit/stream compares them
 * with the schema. */
#ifndef TM_STREAM_DETAIL_FIELDS_H
#define TM_STREAM_DETAIL_FIELDS_H

enum tm_detail_field {
    TM_DETAIL_ARGS = 1,
    TM_DETAIL_FLOW_IDS = 2,
    TM_DETAIL_TERMINATING_FLOW_IDS = 3,
    TM_DETAIL_TEXT = 4,
    TM_DETAIL_TRACK = 5,
    TM_DETAIL_PROCESS = 6,
    TM_DETAIL_THREAD = 7,
    TM_DETAIL_MACHINE = 8,
    TM_DETAIL_INNER_TIMES = 9,
    TM_DETAIL_FRAMES = 10,
    TM_DETAIL_ID = 11,
    TM_DETAIL_JSON = 12,
    TM_DETAIL_BIND_OUT = 13,
    TM_DETAIL_BIND_STEP = 14,
    TM_DETAIL_BIND_IN = 15,
    TM_DETAIL_THREAD_TIME = 16,
    TM_DETAIL_THREAD_DUR = 17,
    TM_DETAIL_FLOW_TRACK = 18
};

/* Arg. The type of an argument is the number of its value's field. */
enum tm_arg {
    TM_ARG_KEY = 1,
    TM_ARG_INT = 2,
    TM_ARG_UINT = 3,
    TM_ARG_DOUBLE = 4,
    TM_ARG_STRING = 5,
    TM_ARG_BOOL = 6,
    TM_ARG_POINTER = 7,
    TM_ARG_JSON = 8,
    TM_ARG_NULL = 9
};

enum tm_track_description_field {
    TM_TRACK_DESCRIPTION_UUID = 1,
    TM_TRACK_DESCRIPTION_PARENT_UUID = 2,
    TM_TRACK_DESCRIPTION_NAME = 3,
    TM_TRACK_DESCRIPTION_PID = 4,
    TM_TRACK_DESCRIPTION_TID = 5,
    TM_TRACK_DESCRIPTION_IS_THREAD = 14,
    TM_TRACK_DESCRIPTION_IS_PROCESS = 15,
    TM_TRACK_DESCRIPTION_SIBLING_MERGE_BEHAVIOR = 16
};

enum tm_process_description_field {
    TM_PROCESS_DESCRIPTION_PID = 1,
    TM_PROCESS_DESCRIPTION_PARENT_PID = 2,
    TM_PROCESS_DESCRIPTION_NAME = 3,
    TM_PROCESS_DESCRIPTION_CMDLINE = 4,
    TM_PROCESS_DESCRIPTION_UID = 5,
    TM_PROCESS_DESCRIPTION_START_NS = 6,
    TM_PROCESS_DESCRIPTION_LABELS = 7,
    TM_PROCESS_DESCRIPTION_SORT_INDEX = 8
};

enum tm_thread_description_field {
    TM_THREAD_DESCRIPTION_TID = 1,
    TM_THREAD_DESCRIPTION_PID = 2,
    TM_THREAD_DESCRIPTION_NAME = 3,
    TM_THREAD_DESCRIPTION_IS_MAIN = 4,
    TM_THREAD_DESCRIPTION_SORT_INDEX = 5
};

enum tm_machine_description_field {
    TM_MACHINE_DESCRIPTION_CPUS = 11,
    TM_MACHINE_DESCRIPTION_PAGE_SIZE = 12
};

/* CpuDescription. Its args are numbered as those of Detail. */
enum tm_cpu_description_field {
    TM_CPU_DESCRIPTION_CPU = 2,
    TM_CPU_DESCRIPTION_PROCESSOR = 3,
    TM_CPU_DESCRIPTION_CLUSTER = 4,
    TM_CPU_DESCRIPTION_CAPACITY = 5,
    TM_CPU_DESCRIPTION_FREQUENCY = 6
};

enum tm_stack_frame_field {
    TM_STACK_FRAME_FUNCTION = 1,
    TM_STACK_FRAME_MAPPING = 2,
    TM_STACK_FRAME_REL_PC = 3,
    TM_STACK_FRAME_FILE = 4,
    TM_STACK_FRAME_LINE = 5,
    TM_STACK_FRAME_BUILD_ID = 6
};

#endif
