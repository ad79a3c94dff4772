#include "kernel/tracks.h"

#include <stdio.h>

/* The top bits of all numbers. The lower bits hold the track and the instance. */
#define KERNEL_TRACKS UINT64_C(0x6b72)

static const struct {
    const char *type;
    const char *name;  /* text before the instance; NULL: no name */
    const char *after; /* text after the instance; NULL: the name omits the instance */
    enum tm_track_scope scope;
    const char *key; /* the dimension that the instance is; NULL: none, or that of the scope */
} tracks[TM_KERNEL_TRACK_COUNT] = {
    [TM_KERNEL_TRACK_IRQ] = {"cpu_irq", "Irq Cpu ", "", TM_TRACK_CPU, NULL},
    [TM_KERNEL_TRACK_SOFTIRQ] = {"cpu_softirq", "SoftIrq Cpu ", "", TM_TRACK_CPU, NULL},
    [TM_KERNEL_TRACK_HRTIMER] = {"cpu_hrtimer", "Hrtimer Cpu ", "", TM_TRACK_CPU, NULL},
    [TM_KERNEL_TRACK_NAPI_GRO] = {"cpu_napi_gro", "Napi Gro Cpu ", "", TM_TRACK_CPU, NULL},
    [TM_KERNEL_TRACK_HOTPLUG] = {"cpu_hotplug", "CPU Hotplug ", "", TM_TRACK_CPU, NULL},
    [TM_KERNEL_TRACK_IDLE_FUNCGRAPH] = {"cpu_funcgraph", "swapper", " -funcgraph", TM_TRACK_CPU, NULL},
    [TM_KERNEL_TRACK_FUNCGRAPH] = {"thread_funcgraph", "Funcgraph", NULL, TM_TRACK_THREAD, NULL},
    [TM_KERNEL_TRACK_BLOCK_IO] = {"block_io", NULL, NULL, TM_TRACK_GLOBAL, NULL},
    [TM_KERNEL_TRACK_DEVICE] = {"linux_rpm", NULL, NULL, TM_TRACK_GLOBAL, NULL},
    [TM_KERNEL_TRACK_WAKELOCK] = {"wakesource_wakelock", NULL, NULL, TM_TRACK_GLOBAL, NULL},
    [TM_KERNEL_TRACK_TCP_STREAM] = {"net_socket_set_state", "TCP stream#", "", TM_TRACK_GLOBAL, NULL},
    [TM_KERNEL_TRACK_SUSPEND] = {"suspend_resume", "Suspend/Resume Latency", NULL, TM_TRACK_GLOBAL, NULL},
    [TM_KERNEL_TRACK_GPU_POWER] = {"powervr_gpu_power_state", "powervr_gpu_power_state", NULL, TM_TRACK_GLOBAL, NULL},
    [TM_KERNEL_TRACK_SUSPEND_MINIMAL] = {"suspend_resume_minimal", "Suspend/Resume Minimal", NULL, TM_TRACK_GLOBAL,
                                         NULL},
    [TM_KERNEL_TRACK_TCP_RETRANSMIT] = {"net_tcp_retransmit_skb", "TCP Retransmit Skb", NULL, TM_TRACK_GLOBAL, NULL},
    [TM_KERNEL_TRACK_INTERCONNECT] = {"interconnect_events", "Interconnect Events", NULL, TM_TRACK_GLOBAL, NULL},
    [TM_KERNEL_TRACK_MALI_MCU] = {"mali_mcu_state", NULL, NULL, TM_TRACK_GLOBAL, NULL},
    [TM_KERNEL_TRACK_MALI_IRQ] = {"cpu_mali_irq", "Mali Irq Cpu ", "", TM_TRACK_CPU, NULL},
    [TM_KERNEL_TRACK_HYPERVISOR] = {"pkvm_hypervisor", "pkVM Hypervisor CPU ", "", TM_TRACK_CPU, NULL},
    [TM_KERNEL_TRACK_DRM_VBLANK] = {"drm_vblank", "vblank-", "", TM_TRACK_GLOBAL, "drm_crtc"},
    [TM_KERNEL_TRACK_DISPLAY_UNDERRUN] = {"disp_dpu_underrun", "underrun[", "]", TM_TRACK_GLOBAL, "display_id"},
    [TM_KERNEL_TRACK_DISPLAY_LINE_UNDERRUN] = {"disp_dpu_line_underrun", "line_underrun[", "]", TM_TRACK_GLOBAL,
                                               "display_id"},
    [TM_KERNEL_TRACK_DISPLAY_VBLANK_IRQ] = {"disp_vblank_irq_enable", "vblank_irq_en[", "]", TM_TRACK_GLOBAL,
                                            "display_id"},
    [TM_KERNEL_TRACK_FRAME_START_TIMEOUT] = {"disp_frame_start_timeout", "frame_start_timeout[", "]", TM_TRACK_GLOBAL,
                                             "panel_index"},
    [TM_KERNEL_TRACK_FRAME_DONE_TIMEOUT] = {"disp_frame_done_timeout", "frame_done_timeout[", "]", TM_TRACK_GLOBAL,
                                            "panel_index"},
    [TM_KERNEL_TRACK_FRAME_START_MISSING] = {"disp_frame_start_missing", "frame_start_missing[", "]", TM_TRACK_GLOBAL,
                                             "panel_index"},
    [TM_KERNEL_TRACK_FRAME_DONE_MISSING] = {"disp_frame_done_missing", "frame_done_missing[", "]", TM_TRACK_GLOBAL,
                                            "panel_index"},
    [TM_KERNEL_TRACK_PANEL_UNDERRUN] = {"ddic_underrun", "ddic_underrun[", "]", TM_TRACK_GLOBAL, "panel_index"},
    [TM_KERNEL_TRACK_PANEL_SETTINGS_FULL] = {"panel_settings_full", "panel_settings_full[", "]", TM_TRACK_GLOBAL,
                                             "panel_index"},
    [TM_KERNEL_TRACK_PANEL_SETTINGS_LITE] = {"panel_settings_lite", "panel_settings_lite[", "]", TM_TRACK_GLOBAL,
                                             "panel_index"},
};

uint64_t tm_kernel_track_number(enum tm_kernel_track track, uint32_t instance)
{
    return KERNEL_TRACKS << 48 | (uint64_t)track << 32 | instance;
}

enum tm_kernel_track tm_kernel_track_find(const struct tm_event *e)
{
    bool is_slice = e->kind == TM_KIND_SLICE_BEGIN || e->kind == TM_KIND_SLICE_END || e->kind == TM_KIND_INSTANT ||
                    e->kind == TM_KIND_SLICE_ARGS;
    uint32_t track = e->track >> 32 & UINT16_MAX;
    if (!is_slice || e->flags & TM_EVENT_ASYNC || tm_event_scope(e->flags) == TM_SCOPE_TRACK ||
        e->track >> 48 != KERNEL_TRACKS || track >= TM_KERNEL_TRACK_COUNT)
        return TM_KERNEL_TRACK_NONE;
    return (enum tm_kernel_track)track;
}

enum tm_track_scope tm_kernel_track_scope(enum tm_kernel_track track)
{
    return tracks[track].scope;
}

const char *tm_kernel_track_type(enum tm_kernel_track track)
{
    return tracks[track].type;
}

struct tm_kernel_track_dimension tm_kernel_track_dimension(enum tm_kernel_track track)
{
    return (struct tm_kernel_track_dimension){tracks[track].key, tracks[track].name, tracks[track].after};
}

struct tm_text tm_kernel_track_name(enum tm_kernel_track track, uint32_t instance, char text[TM_KERNEL_TRACK_NAME_MAX])
{
    const char *name = tracks[track].name, *after = tracks[track].after;
    if (name == NULL)
        return (struct tm_text){0};
    int len = after ? snprintf(text, TM_KERNEL_TRACK_NAME_MAX, "%s%u%s", name, instance, after)
                    : snprintf(text, TM_KERNEL_TRACK_NAME_MAX, "%s", name);
    return (struct tm_text){(const uint8_t *)text, (size_t)len};
}
