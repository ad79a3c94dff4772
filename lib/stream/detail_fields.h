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
    TM_DETAIL_FLOW_TRACK = 18,
    TM_DETAIL_CPU_MODE = 19,
    TM_DETAIL_HEAP_GRAPH = 20,
    TM_DETAIL_LEGACY_PHASE = 21,
    TM_DETAIL_ADDRESS_SPACE = 22,
    TM_DETAIL_TRANSLATION = 23,
    TM_DETAIL_DEOBFUSCATION = 24,
    TM_DETAIL_ID_SCOPE = 25,
    TM_DETAIL_THREAD_INSTRUCTION_DELTA = 26,
    TM_DETAIL_KERNEL_FUNCTION = 27,
    TM_DETAIL_PACKAGES = 28
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
    TM_TRACK_DESCRIPTION_IS_COUNTER = 6,
    TM_TRACK_DESCRIPTION_UNIT = 7,
    TM_TRACK_DESCRIPTION_IS_INCREMENTAL = 8,
    TM_TRACK_DESCRIPTION_UNIT_MULTIPLIER = 9,
    TM_TRACK_DESCRIPTION_CATEGORIES = 10,
    TM_TRACK_DESCRIPTION_CHILD_ORDERING = 11,
    TM_TRACK_DESCRIPTION_SIBLING_ORDER_RANK = 12,
    TM_TRACK_DESCRIPTION_DESCRIPTION = 13,
    TM_TRACK_DESCRIPTION_IS_THREAD = 14,
    TM_TRACK_DESCRIPTION_IS_PROCESS = 15,
    TM_TRACK_DESCRIPTION_SIBLING_MERGE_BEHAVIOR = 16,
    TM_TRACK_DESCRIPTION_SIBLING_MERGE_KEY = 17,
    TM_TRACK_DESCRIPTION_IS_STATE = 18,
    TM_TRACK_DESCRIPTION_NAMED_TRACK = 19,
    TM_TRACK_DESCRIPTION_GPU = 20,
    TM_TRACK_DESCRIPTION_DIMENSIONS = 21,
    TM_TRACK_DESCRIPTION_BUILTIN_COUNTER = 22,
    TM_TRACK_DESCRIPTION_Y_AXIS_SHARE_KEY = 23,
    TM_TRACK_DESCRIPTION_SOURCE = 24
};

enum tm_process_description_field {
    TM_PROCESS_DESCRIPTION_PID = 1,
    TM_PROCESS_DESCRIPTION_PARENT_PID = 2,
    TM_PROCESS_DESCRIPTION_NAME = 3,
    TM_PROCESS_DESCRIPTION_CMDLINE = 4,
    TM_PROCESS_DESCRIPTION_UID = 5,
    TM_PROCESS_DESCRIPTION_START_NS = 6,
    TM_PROCESS_DESCRIPTION_LABELS = 7,
    TM_PROCESS_DESCRIPTION_SORT_INDEX = 8,
    TM_PROCESS_DESCRIPTION_IS_KTHREAD = 9,
    TM_PROCESS_DESCRIPTION_NAME_PRIORITY = 10,
    TM_PROCESS_DESCRIPTION_ARGS = 11,
    TM_PROCESS_DESCRIPTION_IS_ALONE = 12
};

enum tm_thread_description_field {
    TM_THREAD_DESCRIPTION_TID = 1,
    TM_THREAD_DESCRIPTION_PID = 2,
    TM_THREAD_DESCRIPTION_NAME = 3,
    TM_THREAD_DESCRIPTION_IS_MAIN = 4,
    TM_THREAD_DESCRIPTION_SORT_INDEX = 5,
    TM_THREAD_DESCRIPTION_NAME_PRIORITY = 6,
    TM_THREAD_DESCRIPTION_IS_IDLE = 7
};

/* The priority of a thread's name by its source. A name replaces one of the same or a lower priority. */
enum tm_thread_name_priority {
    TM_THREAD_NAME_OTHER = 0,        /* metadata event of Chrome JSON, files of other formats without sources below */
    TM_THREAD_NAME_SCHED = 1,        /* scheduling events, task names on lines of text */
    TM_THREAD_NAME_PROCESS_TREE = 2,
    TM_THREAD_NAME_KIND = 3,         /* the kind that a descriptor states, legacy metadata event of a Perfetto trace */
    TM_THREAD_NAME_DESCRIPTOR = 4,
    TM_THREAD_NAME_MODEL = 5
};

/* The priority of a process's name by its source. A name replaces one of the same or a lower priority. */
enum tm_process_name_priority {
    TM_PROCESS_NAME_KIND = 1,       /* the kind that a descriptor states, Firefox profile, Instruments */
    TM_PROCESS_NAME_DESCRIPTOR = 2, /* a descriptor, legacy metadata event of a Perfetto trace */
    TM_PROCESS_NAME_RENDERER = 3,   /* the kind, if it is Chrome's renderer */
    TM_PROCESS_NAME_SYSTEM = 4      /* process tree, scheduling events, metadata event of Chrome JSON, other formats */
};

/* InnerTime. tm-clocks puts the converted time in the place of the recorded one and sets the state. */
enum tm_inner_time_field {
    TM_INNER_TIME_FIELD = 1,
    TM_INNER_TIME_CLOCK = 2,
    TM_INNER_TIME_VALUE = 3,
    TM_INNER_TIME_STATE = 4
};
enum tm_inner_time_state { TM_INNER_TIME_RECORDED = 0, TM_INNER_TIME_CONVERTED = 1, TM_INNER_TIME_FAILED = 2 };

enum tm_machine_description_field {
    TM_MACHINE_DESCRIPTION_NAME = 1,
    TM_MACHINE_DESCRIPTION_RELEASE = 3,
    TM_MACHINE_DESCRIPTION_CPUS = 11,
    TM_MACHINE_DESCRIPTION_PAGE_SIZE = 12,
    TM_MACHINE_DESCRIPTION_GPUS = 13
};

/* CpuDescription. Its args are numbered as those of Detail. */
enum tm_cpu_description_field {
    TM_CPU_DESCRIPTION_CPU = 2,
    TM_CPU_DESCRIPTION_PROCESSOR = 3,
    TM_CPU_DESCRIPTION_CLUSTER = 4,
    TM_CPU_DESCRIPTION_CAPACITY = 5,
    TM_CPU_DESCRIPTION_FREQUENCY = 6
};

/* GpuDescription. Its args are numbered as those of Detail. */
enum tm_gpu_description_field {
    TM_GPU_DESCRIPTION_GPU = 2,
    TM_GPU_DESCRIPTION_NAME = 3, /* from here on the texts, in the order of enum tm_gpu_text (model/gpus.h) */
    TM_GPU_DESCRIPTION_VENDOR = 4,
    TM_GPU_DESCRIPTION_MODEL = 5,
    TM_GPU_DESCRIPTION_ARCHITECTURE = 6,
    TM_GPU_DESCRIPTION_UUID = 7,
    TM_GPU_DESCRIPTION_PCI_BDF = 8
};

enum tm_stack_frame_field {
    TM_STACK_FRAME_FUNCTION = 1,
    TM_STACK_FRAME_MAPPING = 2,
    TM_STACK_FRAME_REL_PC = 3,
    TM_STACK_FRAME_FILE = 4,
    TM_STACK_FRAME_LINE = 5,
    TM_STACK_FRAME_BUILD_ID = 6,
    TM_STACK_FRAME_MAPPING_START = 7,
    TM_STACK_FRAME_MAPPING_END = 8,
    TM_STACK_FRAME_MAPPING_EXACT_OFFSET = 9,
    TM_STACK_FRAME_MAPPING_START_OFFSET = 10,
    TM_STACK_FRAME_MAPPING_LOAD_BIAS = 11
};

#endif
