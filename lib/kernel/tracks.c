#include "kernel/tracks.h"

#include <stdio.h>
#include <string.h>

/* The top bits of all numbers. The lower bits hold the track and the instance. */
#define KERNEL_TRACKS UINT64_C(0x6b72)

static const struct {
    const char *type;
    const char *name; /* a pattern; NULL: there is none */
    enum tm_track_scope scope;
    bool is_nameless; /* the pattern is not the name's */
} tracks[TM_KERNEL_TRACK_COUNT] = {
    [TM_KERNEL_TRACK_IRQ] = {"cpu_irq", "Irq Cpu {}", TM_TRACK_CPU, false},
    [TM_KERNEL_TRACK_SOFTIRQ] = {"cpu_softirq", "SoftIrq Cpu {}", TM_TRACK_CPU, false},
    [TM_KERNEL_TRACK_HRTIMER] = {"cpu_hrtimer", "Hrtimer Cpu {}", TM_TRACK_CPU, false},
    [TM_KERNEL_TRACK_NAPI_GRO] = {"cpu_napi_gro", "Napi Gro Cpu {}", TM_TRACK_CPU, false},
    [TM_KERNEL_TRACK_HOTPLUG] = {"cpu_hotplug", "CPU Hotplug {}", TM_TRACK_CPU, false},
    [TM_KERNEL_TRACK_IDLE_FUNCGRAPH] = {"cpu_funcgraph", "swapper{} -funcgraph", TM_TRACK_CPU, false},
    [TM_KERNEL_TRACK_FUNCGRAPH] = {"thread_funcgraph", "Funcgraph", TM_TRACK_THREAD, false},
    [TM_KERNEL_TRACK_BLOCK_IO] = {"block_io", "{#block_device}", TM_TRACK_GLOBAL, true},
    [TM_KERNEL_TRACK_DEVICE] = {"linux_rpm", NULL, TM_TRACK_GLOBAL, false},
    [TM_KERNEL_TRACK_WAKELOCK] = {"wakesource_wakelock", "Wakelock({wakelock_event})", TM_TRACK_GLOBAL, true},
    [TM_KERNEL_TRACK_TCP_STREAM] = {"net_socket_set_state", "TCP stream#{#tcp_stream_idx}", TM_TRACK_GLOBAL, false},
    [TM_KERNEL_TRACK_SUSPEND] = {"suspend_resume", "Suspend/Resume Latency", TM_TRACK_GLOBAL, false},
    [TM_KERNEL_TRACK_GPU_POWER] = {"powervr_gpu_power_state", "powervr_gpu_power_state", TM_TRACK_GLOBAL, false},
    [TM_KERNEL_TRACK_SUSPEND_MINIMAL] = {"suspend_resume_minimal", "Suspend/Resume Minimal", TM_TRACK_GLOBAL, false},
    [TM_KERNEL_TRACK_TCP_RETRANSMIT] = {"net_tcp_retransmit_skb", "TCP Retransmit Skb", TM_TRACK_GLOBAL, false},
    [TM_KERNEL_TRACK_INTERCONNECT] = {"interconnect_events", "Interconnect Events", TM_TRACK_GLOBAL, false},
    [TM_KERNEL_TRACK_MALI_MCU] = {"mali_mcu_state", NULL, TM_TRACK_GLOBAL, false},
    [TM_KERNEL_TRACK_MALI_IRQ] = {"cpu_mali_irq", "Mali Irq Cpu {}", TM_TRACK_CPU, false},
    [TM_KERNEL_TRACK_HYPERVISOR] = {"pkvm_hypervisor", "pkVM Hypervisor CPU {}", TM_TRACK_CPU, false},
    [TM_KERNEL_TRACK_DRM_VBLANK] = {"drm_vblank", "vblank-{#drm_crtc}", TM_TRACK_GLOBAL, false},
    [TM_KERNEL_TRACK_DISPLAY_UNDERRUN] = {"disp_dpu_underrun", "underrun[{#display_id}]", TM_TRACK_GLOBAL, false},
    [TM_KERNEL_TRACK_DISPLAY_LINE_UNDERRUN] = {"disp_dpu_line_underrun", "line_underrun[{#display_id}]",
                                               TM_TRACK_GLOBAL, false},
    [TM_KERNEL_TRACK_DISPLAY_VBLANK_IRQ] = {"disp_vblank_irq_enable", "vblank_irq_en[{#display_id}]",
                                            TM_TRACK_GLOBAL, false},
    [TM_KERNEL_TRACK_FRAME_START_TIMEOUT] = {"disp_frame_start_timeout", "frame_start_timeout[{#panel_index}]",
                                             TM_TRACK_GLOBAL, false},
    [TM_KERNEL_TRACK_FRAME_DONE_TIMEOUT] = {"disp_frame_done_timeout", "frame_done_timeout[{#panel_index}]",
                                            TM_TRACK_GLOBAL, false},
    [TM_KERNEL_TRACK_FRAME_START_MISSING] = {"disp_frame_start_missing", "frame_start_missing[{#panel_index}]",
                                             TM_TRACK_GLOBAL, false},
    [TM_KERNEL_TRACK_FRAME_DONE_MISSING] = {"disp_frame_done_missing", "frame_done_missing[{#panel_index}]",
                                            TM_TRACK_GLOBAL, false},
    [TM_KERNEL_TRACK_PANEL_UNDERRUN] = {"ddic_underrun", "ddic_underrun[{#panel_index}]", TM_TRACK_GLOBAL, false},
    [TM_KERNEL_TRACK_PANEL_SETTINGS_FULL] = {"panel_settings_full", "panel_settings_full[{#panel_index}]",
                                             TM_TRACK_GLOBAL, false},
    [TM_KERNEL_TRACK_PANEL_SETTINGS_LITE] = {"panel_settings_lite", "panel_settings_lite[{#panel_index}]",
                                             TM_TRACK_GLOBAL, false},
    [TM_KERNEL_TRACK_UFS_COMMAND] = {"ufs_command_tag", "io.ufs.command.tag[{#ufs_tag}]", TM_TRACK_GLOBAL, false},
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

const char *tm_kernel_track_pattern(enum tm_kernel_track track)
{
    return tracks[track].name;
}

struct tm_text tm_kernel_track_name(enum tm_kernel_track track, uint32_t instance, char text[TM_KERNEL_TRACK_NAME_MAX])
{
    const char *name = tracks[track].name;
    if (name == NULL || tracks[track].is_nameless)
        return (struct tm_text){0};
    size_t before = strcspn(name, "{");
    const char *after = strchr(name, '}');
    const int digits = track == TM_KERNEL_TRACK_UFS_COMMAND ? 3 : 1;
    int len = after ? snprintf(text, TM_KERNEL_TRACK_NAME_MAX, "%.*s%0*u%s", (int)before, name, digits, instance,
                               after + 1)
                    : snprintf(text, TM_KERNEL_TRACK_NAME_MAX, "%s", name);
    return tm_text_at(text, (size_t)len);
}
