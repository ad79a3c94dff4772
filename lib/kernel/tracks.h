/* Tracks of what a kernel does that is no thread's own: interrupts of a cpu, a device's requests. Slices of ftrace
 * events name theirs by a number in column track. Types and names: importers/ftrace/ftrace_parser.cc of perfetto. */
#ifndef TM_KERNEL_TRACKS_H
#define TM_KERNEL_TRACKS_H

#include "base/text.h"
#include "stream/event.h"

/* Whose a track is. */
enum tm_track_scope { TM_TRACK_GLOBAL, TM_TRACK_THREAD, TM_TRACK_PROCESS, TM_TRACK_CPU };

enum tm_kernel_track {
    TM_KERNEL_TRACK_NONE,
    /* One a cpu: the instance is its number. */
    TM_KERNEL_TRACK_IRQ,
    TM_KERNEL_TRACK_SOFTIRQ,
    TM_KERNEL_TRACK_HRTIMER,
    TM_KERNEL_TRACK_NAPI_GRO,
    TM_KERNEL_TRACK_HOTPLUG,
    TM_KERNEL_TRACK_IDLE_FUNCGRAPH,
    /* One a thread: the instance is its tid. */
    TM_KERNEL_TRACK_FUNCGRAPH,
    /* One a device. */
    TM_KERNEL_TRACK_BLOCK_IO,
    TM_KERNEL_TRACK_DEVICE,
    TM_KERNEL_TRACK_WAKELOCK, /* called as its slices */
    TM_KERNEL_TRACK_TCP_STREAM,
    TM_KERNEL_TRACK_SUSPEND, /* one an action */
    /* One a machine: the instance is 0. */
    TM_KERNEL_TRACK_GPU_POWER,
    TM_KERNEL_TRACK_SUSPEND_MINIMAL,
    TM_KERNEL_TRACK_TCP_RETRANSMIT,
    TM_KERNEL_TRACK_INTERCONNECT,
    TM_KERNEL_TRACK_COUNT
};

/* What stands in column track, with HAS_TRACK: clear of the uuids that traces have. */
uint64_t tm_kernel_track_number(enum tm_kernel_track track, uint32_t instance);

/* The track of a slice or instant; NONE for those of other tracks. */
enum tm_kernel_track tm_kernel_track_find(const struct tm_event *event);

static inline enum tm_kernel_track tm_kernel_track_of(const struct tm_event *event)
{
    return event->flags & TM_EVENT_HAS_TRACK ? tm_kernel_track_find(event) : TM_KERNEL_TRACK_NONE;
}

static inline uint32_t tm_kernel_track_instance(const struct tm_event *event)
{
    return (uint32_t)event->track;
}

/* Whose it is: a cpu's, a thread's or nobody's. */
enum tm_track_scope tm_kernel_track_scope(enum tm_kernel_track track);

/* The word for it in the type column. */
const char *tm_kernel_track_type(enum tm_kernel_track track);

/* Its name, in TEXT, unless it is called as its slices; data is NULL where it has none. */
enum { TM_KERNEL_TRACK_NAME_MAX = 48 };
struct tm_text tm_kernel_track_name(enum tm_kernel_track track, uint32_t instance,
                                    char text[TM_KERNEL_TRACK_NAME_MAX]);

static inline bool tm_kernel_track_is_called_as_slices(enum tm_kernel_track track)
{
    return track == TM_KERNEL_TRACK_WAKELOCK;
}

#endif
