/* Tracks for work of the kernel that belongs to no thread, such as interrupts of a CPU or requests of a device. Column
 * track of an ftrace slice holds a number for its track. Types and names: importers/ftrace/ftrace_parser.cc of
 * Perfetto. */
#ifndef TM_KERNEL_TRACKS_H
#define TM_KERNEL_TRACKS_H

#include "base/text.h"
#include "stream/event.h"

/* The scope of a track: what it belongs to. */
enum tm_track_scope { TM_TRACK_GLOBAL, TM_TRACK_THREAD, TM_TRACK_PROCESS, TM_TRACK_CPU, TM_TRACK_GPU };

enum tm_kernel_track {
    TM_KERNEL_TRACK_NONE,
    /* One for each CPU: the instance is its number. */
    TM_KERNEL_TRACK_IRQ,
    TM_KERNEL_TRACK_SOFTIRQ,
    TM_KERNEL_TRACK_HRTIMER,
    TM_KERNEL_TRACK_NAPI_GRO,
    TM_KERNEL_TRACK_HOTPLUG,
    TM_KERNEL_TRACK_IDLE_FUNCGRAPH,
    /* One for each thread: the instance is its tid. */
    TM_KERNEL_TRACK_FUNCGRAPH,
    /* One for each device. */
    TM_KERNEL_TRACK_BLOCK_IO,
    TM_KERNEL_TRACK_DEVICE,
    TM_KERNEL_TRACK_WAKELOCK, /* has the name of its slices */
    TM_KERNEL_TRACK_TCP_STREAM,
    TM_KERNEL_TRACK_SUSPEND, /* one for each action */
    /* One for each machine: the instance is 0. */
    TM_KERNEL_TRACK_GPU_POWER,
    TM_KERNEL_TRACK_SUSPEND_MINIMAL,
    TM_KERNEL_TRACK_TCP_RETRANSMIT,
    TM_KERNEL_TRACK_INTERCONNECT,
    TM_KERNEL_TRACK_MALI_MCU,
    /* One for each CPU. */
    TM_KERNEL_TRACK_MALI_IRQ,
    /* One for each display, output or panel: the instance is its number. */
    TM_KERNEL_TRACK_DRM_VBLANK,
    TM_KERNEL_TRACK_DISPLAY_UNDERRUN,
    TM_KERNEL_TRACK_DISPLAY_LINE_UNDERRUN,
    TM_KERNEL_TRACK_DISPLAY_VBLANK_IRQ,
    TM_KERNEL_TRACK_FRAME_START_TIMEOUT,
    TM_KERNEL_TRACK_FRAME_DONE_TIMEOUT,
    TM_KERNEL_TRACK_FRAME_START_MISSING,
    TM_KERNEL_TRACK_FRAME_DONE_MISSING,
    TM_KERNEL_TRACK_PANEL_UNDERRUN,
    TM_KERNEL_TRACK_PANEL_SETTINGS_FULL,
    TM_KERNEL_TRACK_PANEL_SETTINGS_LITE,
    /* One for each CPU. */
    TM_KERNEL_TRACK_HYPERVISOR,
    TM_KERNEL_TRACK_UFS_COMMAND, /* one for each tag */
    TM_KERNEL_TRACK_COUNT
};

/* Returns the value of column track, with HAS_TRACK. It does not collide with uuids of traces. */
uint64_t tm_kernel_track_number(enum tm_kernel_track track, uint32_t instance);

/* Returns the kernel track of EVENT, a slice, args of one, or an instant. NONE if it is on another track. */
enum tm_kernel_track tm_kernel_track_find(const struct tm_event *event);

static inline enum tm_kernel_track tm_kernel_track_of(const struct tm_event *event)
{
    return event->flags & TM_EVENT_HAS_TRACK ? tm_kernel_track_find(event) : TM_KERNEL_TRACK_NONE;
}

static inline uint32_t tm_kernel_track_instance(const struct tm_event *event)
{
    return (uint32_t)event->track;
}

/* Returns the scope of TRACK: a CPU, a thread or global. */
enum tm_track_scope tm_kernel_track_scope(enum tm_kernel_track track);

/* Returns the text of TRACK in the type column. */
const char *tm_kernel_track_type(enum tm_kernel_track track);

/* Returns the name of TRACK with a part in braces in place of its instance: {#KEY} if the instance is the dimension KEY
 * by which tracks of TRACK differ, {} if that is their owner, {KEY} if it is a text. NULL: there is none. BLOCK_IO has
 * a pattern and no name. */
const char *tm_kernel_track_pattern(enum tm_kernel_track track);

/* Writes the name of a track to TEXT. Its data is NULL if the track has none. A track that is named after its slices
 * takes their name. */
enum { TM_KERNEL_TRACK_NAME_MAX = 48 };
struct tm_text tm_kernel_track_name(enum tm_kernel_track track, uint32_t instance,
                                    char text[TM_KERNEL_TRACK_NAME_MAX]);

static inline bool tm_kernel_track_is_called_as_slices(enum tm_kernel_track track)
{
    return track == TM_KERNEL_TRACK_WAKELOCK;
}

#endif
