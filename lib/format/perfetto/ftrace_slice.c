/* Kernel events that are the begin or end of a slice, or an instant. Rules and names: importers/ftrace/ftrace_parser.cc
 * of perfetto. */
#include "stream/detail_arg.h"
#include "format/perfetto/ftrace_event.h"
#include "format/perfetto/sequence.h"
#include "kernel/tracks.h"
#include "perfetto/ftrace_event_fields.h"

#include <inttypes.h>
#include <stdio.h>

/* How the name is made of the text or the number in field NAME_FIELD. */
enum name_rule {
    NAME_NONE,
    NAME_FIXED,   /* the rule's name */
    NAME_TEXT,    /* the text */
    NAME_IRQ,     /* "IRQ (TEXT)" */
    NAME_SYMBOL,  /* the function whose symbol has the number */
    NAME_SOFTIRQ, /* the softirq with the number */
    NAME_SCM,     /* "scm id=NUMBER" */
    NAME_HOTPLUG, /* "cpuhp(NUMBER)" */
    NAME_PORTS    /* "sport=SOURCE,dport=DESTINATION", of fields 6 and 2 */
};

enum arg_rule {
    ARG_INT32,
    ARG_INT64,
    ARG_UINT,
    ARG_UINT_STATED, /* only if the event states the field */
    ARG_BOOL,
    ARG_RECLAIMED, /* field 2 as a percentage of field 1, if the event states both */
    ARG_SYMBOL,
    ARG_HANDLED, /* whether the handler handled the interrupt */
    ARG_CPU,     /* the cpu of the event */
    ARG_UINT_CPU /* the cpu of the event, unsigned */
};

struct arg {
    const char *key; /* NULL: no more arguments */
    uint8_t field;
    uint8_t rule;
};

/* What distinguishes the track from others of its type. */
enum track_rule { TRACK_OF_MACHINE, TRACK_OF_CPU, TRACK_OF_TASK, TRACK_OF_FIELD };

/* Makes a row of an event. TM_END: the reference importer makes no slice of it. */
typedef enum tm_status reader(struct tm_proto_rows *rows, const struct tm_pb_field *f, struct tm_event *row,
                              struct tm_error *err);

/* A reader whose row depends on what the kernel stated before. */
typedef enum tm_status kernel_reader(struct tm_proto_kernels *kernels, struct tm_proto_rows *rows,
                                     const struct tm_pb_field *f, struct tm_event *row, struct tm_error *err);

struct rule {
    reader *read;  /* reads the whole event in place of the rest of the rule; NULL: none */
    kernel_reader *read_of_kernel; /* reads the whole event if read is NULL; NULL: none */
    uint8_t kind;  /* enum tm_kind; 0: not a slice */
    uint8_t track; /* enum tm_kernel_track; NONE: the thread's own track */
    uint8_t track_rule, track_field;
    uint8_t name_rule, name_field;
    const char *name;
    const char *category;
    const char *reason; /* first argument: why the machine is in its hypervisor; NULL: none */
    const struct arg *args;
};

enum { B = TM_KIND_SLICE_BEGIN, E = TM_KIND_SLICE_END, I = TM_KIND_INSTANT, A = TM_KIND_SLICE_ARGS };

/* Kinds that depend on the event. */
enum {
    BY_TYPE = 100, /* on field 2 */
    BY_START,      /* on whether field 1 is 0 */
    BY_ENABLE      /* on whether field 3 is 0 */
};

#define ARGS(...) (const struct arg[]){__VA_ARGS__, {NULL, 0, 0}}
#define OF_CPU(which) .track = TM_KERNEL_TRACK_##which, .track_rule = TRACK_OF_CPU
#define OF_TASK(which) .track = TM_KERNEL_TRACK_##which, .track_rule = TRACK_OF_TASK
#define OF_FIELD(which, id) .track = TM_KERNEL_TRACK_##which, .track_rule = TRACK_OF_FIELD, .track_field = (id)
#define OF_MACHINE(which) .track = TM_KERNEL_TRACK_##which
#define NAMED(text) .name_rule = NAME_FIXED, .name = (text)
#define NAMED_BY(which, id) .name_rule = NAME_##which, .name_field = (id)
#define ON(event) [TM_FTRACE_EVENT_##event]
#define OF_FRAME                                                                                                       \
    {"display_id", 1, ARG_INT32}, {"output_id", 2, ARG_INT64}, {"frames_pending", 3, ARG_INT32},                       \
    {                                                                                                                  \
        "te_count", 4, ARG_INT32                                                                                       \
    }

#define IN_HYPERVISOR(why, ...)                                                                                        \
    {                                                                                                                  \
        .kind = A, OF_CPU(HYPERVISOR), .category = "pkvm_hyp", NAMED("hyp"), .reason = (why),                          \
        .args = ARGS(__VA_ARGS__)                                                                                      \
    }
#define HOST_HCALL IN_HYPERVISOR("host_hcall", {"id", 1, ARG_UINT}, {"invalid", 2, ARG_UINT})
#define HOST_SMC IN_HYPERVISOR("host_smc", {"id", 1, ARG_UINT}, {"forwarded", 2, ARG_UINT})
#define HOST_MEM_ABORT IN_HYPERVISOR("host_mem_abort", {"esr", 1, ARG_UINT}, {"addr", 2, ARG_UINT})
#define IOMMU_IDMAP IN_HYPERVISOR("iommu_idmap", {"from", 1, ARG_UINT}, {"to", 2, ARG_UINT}, {"prot", 3, ARG_INT32})
#define PSCI_MEM_PROTECT IN_HYPERVISOR("psci_mem_protect", {"count", 1, ARG_UINT}, {"was", 2, ARG_UINT})
#define HYP_ENTER                                                                                                      \
    {                                                                                                                  \
        .kind = B, OF_CPU(HYPERVISOR), .category = "pkvm_hyp", NAMED("hyp")                                            \
    }
#define HYP_EXIT                                                                                                       \
    {                                                                                                                  \
        .kind = E, OF_CPU(HYPERVISOR)                                                                                  \
    }

static const struct rule rules[] = {
    ON(HYP_ENTER) = HYP_ENTER,
    ON(HYPERVISOR_HYP_ENTER) = HYP_ENTER,
    ON(HYP_EXIT) = HYP_EXIT,
    ON(HYPERVISOR_HYP_EXIT) = HYP_EXIT,
    ON(HOST_HCALL) = HOST_HCALL,
    ON(HYPERVISOR_HOST_HCALL) = HOST_HCALL,
    ON(HOST_SMC) = HOST_SMC,
    ON(HYPERVISOR_HOST_SMC) = HOST_SMC,
    ON(HOST_MEM_ABORT) = HOST_MEM_ABORT,
    ON(HYPERVISOR_HOST_MEM_ABORT) = HOST_MEM_ABORT,
    ON(HOST_FFA_CALL) = IN_HYPERVISOR("host_ffa_call", {"func_id", 1, ARG_UINT}, {"handled", 6, ARG_INT32},
                                      {"err", 7, ARG_INT32}),
    ON(IOMMU_IDMAP) = IOMMU_IDMAP,
    ON(HYPERVISOR_IOMMU_IDMAP) = IOMMU_IDMAP,
    ON(PSCI_MEM_PROTECT) = PSCI_MEM_PROTECT,
    ON(HYPERVISOR_PSCI_MEM_PROTECT) = PSCI_MEM_PROTECT,
    ON(HYPERVISOR_IOMMU_IDMAP_COMPLETE) = IN_HYPERVISOR("iommu_idmap_complete", {"map", 1, ARG_BOOL}),
    ON(HYPERVISOR_VCPU_ILLEGAL_TRAP) = IN_HYPERVISOR("vcpu_illegal_trap", {"esr", 1, ARG_UINT}),
    ON(IRQ_HANDLER_ENTRY) = {.kind = B, OF_CPU(IRQ), .category = "irq", NAMED_BY(IRQ, 2)},
    ON(IRQ_HANDLER_EXIT) = {.kind = E, OF_CPU(IRQ), .category = "irq", .args = ARGS({"ret", 2, ARG_HANDLED})},
    ON(LOCAL_TIMER_ENTRY) = {.kind = B, OF_CPU(IRQ), .category = "irq", NAMED("IRQ (LocalTimer)")},
    ON(LOCAL_TIMER_EXIT) = {.kind = E, OF_CPU(IRQ), .category = "irq"},
    ON(SOFTIRQ_ENTRY) = {.kind = B, OF_CPU(SOFTIRQ), .category = "irq", NAMED_BY(SOFTIRQ, 1)},
    ON(SOFTIRQ_EXIT) = {.kind = E, OF_CPU(SOFTIRQ), .category = "irq", .args = ARGS({"vec", 1, ARG_INT64})},
    ON(HRTIMER_EXPIRE_ENTRY) = {.kind = B, OF_CPU(HRTIMER), .category = "hrtimer", NAMED_BY(SYMBOL, 3)},
    ON(HRTIMER_EXPIRE_EXIT) = {.kind = E, OF_CPU(HRTIMER), .category = "hrtimer"},
    ON(NAPI_GRO_RECEIVE_ENTRY) = {.kind = B, OF_CPU(NAPI_GRO), .category = "napi_gro", NAMED_BY(TEXT, 10),
                                  .args = ARGS({"len", 7, ARG_INT64})},
    ON(NAPI_GRO_RECEIVE_EXIT) = {.kind = E, OF_CPU(NAPI_GRO), .category = "napi_gro",
                                 .args = ARGS({"ret", 1, ARG_INT32})},
    ON(CPUHP_ENTER) = {.kind = B, OF_FIELD(HOTPLUG, 1), .category = "cpu", NAMED_BY(HOTPLUG, 3),
                       .args = ARGS({"action_cpu", 0, ARG_UINT_CPU}, {"cpuhp_idx", 3, ARG_INT32})},
    ON(CPUHP_MULTI_ENTER) = {.kind = B, OF_FIELD(HOTPLUG, 1), .category = "cpu", NAMED_BY(HOTPLUG, 3),
                             .args = ARGS({"action_cpu", 0, ARG_UINT_CPU}, {"cpuhp_idx", 3, ARG_INT32})},
    ON(CPUHP_EXIT) = {.kind = E, OF_FIELD(HOTPLUG, 1)},
    ON(WORKQUEUE_EXECUTE_START) = {.kind = B, .category = "workqueue", NAMED_BY(SYMBOL, 2),
                                   .args = ARGS({"cpu", 0, ARG_CPU})},
    ON(WORKQUEUE_EXECUTE_END) = {.kind = E, .category = "workqueue"},
    ON(FUNCGRAPH_ENTRY) = {.kind = B, OF_TASK(FUNCGRAPH), NAMED_BY(SYMBOL, 2)},
    ON(FUNCGRAPH_EXIT) = {.kind = E, OF_TASK(FUNCGRAPH), NAMED_BY(SYMBOL, 3)},
    ON(KPROBE_EVENT) = {.kind = BY_TYPE, NAMED_BY(TEXT, 1)},
    ON(MM_VMSCAN_DIRECT_RECLAIM_BEGIN) = {.kind = B, NAMED("mm_vmscan_direct_reclaim"),
        .args = ARGS({"direct_reclaim_order", 1, ARG_INT32}, {"direct_reclaim_may_writepage", 2, ARG_INT32},
                     {"direct_reclaim_gfp_flags", 3, ARG_UINT})},
    ON(MM_VMSCAN_DIRECT_RECLAIM_END) = {.kind = E, .args = ARGS({"direct_reclaim_nr_reclaimed", 1, ARG_UINT})},
    ON(MM_VMSCAN_MEMCG_RECLAIM_BEGIN) = {.kind = B, NAMED("mm_vmscan_memcg_reclaim"),
        .args = ARGS({"memcg_reclaim_order", 1, ARG_INT32}, {"memcg_reclaim_may_writepage", 2, ARG_INT32},
                     {"memcg_reclaim_gfp_flags", 3, ARG_UINT})},
    ON(MM_VMSCAN_MEMCG_RECLAIM_END) = {.kind = E, .args = ARGS({"memcg_reclaim_nr_reclaimed", 1, ARG_UINT})},
    ON(MM_SHRINK_SLAB_START) = {.kind = B, NAMED("mm_vmscan_shrink_slab"),
        .args = ARGS({"shrink_name", 8, ARG_SYMBOL}, {"total_scan", 9, ARG_UINT}, {"priority", 11, ARG_INT32})},
    ON(MM_SHRINK_SLAB_END) = {.kind = E, .args = ARGS({"freed", 2, ARG_INT32})},
    ON(SCM_CALL_START) = {.kind = B, NAMED_BY(SCM, 2)},
    ON(SCM_CALL_END) = {.kind = E},
    ON(BLOCK_IO_START) = {.kind = B, OF_FIELD(BLOCK_IO, 1), NAMED("block_io"), .args = ARGS({"sector", 2, ARG_UINT})},
    ON(BLOCK_IO_DONE) = {.kind = E, OF_FIELD(BLOCK_IO, 1), NAMED("block_io"), .args = ARGS({"sector", 2, ARG_UINT})},
    ON(BINDER_TRANSACTION) = {.read = tm_proto_ftrace_binder},
    ON(BINDER_TRANSACTION_RECEIVED) = {.read = tm_proto_ftrace_binder},
    ON(BINDER_LOCK) = {.read = tm_proto_ftrace_binder},
    ON(BINDER_LOCKED) = {.read = tm_proto_ftrace_binder},
    ON(BINDER_UNLOCK) = {.read = tm_proto_ftrace_binder},
    ON(BINDER_TRANSACTION_ALLOC_BUF) = {.read = tm_proto_ftrace_binder},
    ON(BINDER_COMMAND) = {.read = tm_proto_ftrace_binder},
    ON(BINDER_RETURN) = {.read = tm_proto_ftrace_binder},
    ON(SYS_ENTER) = {.read_of_kernel = tm_proto_ftrace_syscall},
    ON(SYS_EXIT) = {.read_of_kernel = tm_proto_ftrace_syscall},
    ON(SUSPEND_RESUME) = {.read = tm_proto_ftrace_suspend},
    ON(DEVICE_PM_CALLBACK_START) = {.read = tm_proto_ftrace_suspend},
    ON(DEVICE_PM_CALLBACK_END) = {.read = tm_proto_ftrace_suspend},
    ON(NETIF_RECEIVE_SKB) = {.read = tm_proto_ftrace_kernel},
    ON(NET_DEV_XMIT) = {.read = tm_proto_ftrace_kernel},
    ON(INET_SOCK_SET_STATE) = {.read = tm_proto_ftrace_kernel},
    ON(KFREE_SKB) = {.read = tm_proto_ftrace_kernel},
    ON(WAKEUP_SOURCE_ACTIVATE) = {.read = tm_proto_ftrace_kernel},
    ON(WAKEUP_SOURCE_DEACTIVATE) = {.read = tm_proto_ftrace_kernel},
    ON(RPM_STATUS) = {.read = tm_proto_ftrace_kernel},
    ON(GPU_POWER_STATE) = {.read = tm_proto_ftrace_kernel},
    ON(DRM_VBLANK_EVENT) = {.kind = I, OF_FIELD(DRM_VBLANK, 1), NAMED("signal"),
                            .args = ARGS({"vblank seqno", 3, ARG_UINT})},
    ON(DRM_VBLANK_EVENT_DELIVERED) = {.kind = I, OF_FIELD(DRM_VBLANK, 1), NAMED("deliver"),
                                      .args = ARGS({"vblank seqno", 3, ARG_UINT})},
    ON(DMA_FENCE_WAIT_START) = {.kind = B, NAMED("dma_fence_wait"),
                                .args = ARGS({"fence context", 1, ARG_UINT}, {"fence seqno", 3, ARG_UINT})},
    ON(DMA_FENCE_WAIT_END) = {.kind = E},
    ON(MALI_MALI_CSF_INTERRUPT_START) = {.kind = B, OF_CPU(MALI_IRQ), NAMED("mali_CSF_INTERRUPT"),
                                         .args = ARGS({"info_val", 3, ARG_UINT})},
    ON(MALI_MALI_CSF_INTERRUPT_END) = {.kind = E, OF_CPU(MALI_IRQ), NAMED("mali_CSF_INTERRUPT"),
                                       .args = ARGS({"info_val", 3, ARG_UINT})},
    ON(PIXEL_MM_KSWAPD_WAKE) = {.kind = B, NAMED("kswapd_efficiency")},
    ON(PIXEL_MM_KSWAPD_DONE) = {.kind = E, NAMED("kswapd_efficiency"),
        .args = ARGS({"pages scanned", 1, ARG_UINT_STATED}, {"pages reclaimed", 2, ARG_UINT_STATED},
                     {"efficiency %", 2, ARG_RECLAIMED}, {"pages allocated", 3, ARG_UINT_STATED})},
    ON(DPU_DISP_DPU_UNDERRUN) = {.kind = I, OF_FIELD(DISPLAY_UNDERRUN, 1), NAMED("disp_dpu_underrun"),
                                 .args = ARGS({"vsync_count", 3, ARG_INT32}, {"pending_frame", 2, ARG_INT32})},
    ON(DPU_DISP_DPU_LINE_UNDERRUN) = {.kind = I, OF_FIELD(DISPLAY_LINE_UNDERRUN, 1), NAMED("disp_line_dpu_underrun"),
                                      .args = ARGS({"vsync_count", 3, ARG_INT32}, {"frames_pending", 2, ARG_INT32})},
    ON(DPU_DISP_VBLANK_IRQ_ENABLE) = {.kind = BY_ENABLE, OF_FIELD(DISPLAY_VBLANK_IRQ, 2),
                                      NAMED("disp_vblank_irq_enable"),
                                      .args = ARGS({"display_id", 1, ARG_INT32}, {"output_id", 2, ARG_INT32})},
    ON(DPU_DISP_FRAME_START_TIMEOUT) = {.kind = I, OF_FIELD(FRAME_START_TIMEOUT, 2), NAMED("frame_start_timeout"),
                                        .args = ARGS(OF_FRAME)},
    ON(DPU_DISP_FRAME_DONE_TIMEOUT) = {.kind = I, OF_FIELD(FRAME_DONE_TIMEOUT, 2), NAMED("frame_done_timeout"),
                                       .args = ARGS(OF_FRAME, {"during_disable", 5, ARG_INT64})},
    ON(DPU_DISP_FRAME_START_MISSING) = {.kind = I, OF_FIELD(FRAME_START_MISSING, 2), NAMED("frame_start_missing"),
                                        .args = ARGS(OF_FRAME)},
    ON(DPU_DISP_FRAME_DONE_MISSING) = {.kind = I, OF_FIELD(FRAME_DONE_MISSING, 2), NAMED("frame_done_missing"),
                                       .args = ARGS(OF_FRAME)},
    ON(GRAM_COLLISION) = {.kind = I, OF_FIELD(PANEL_UNDERRUN, 1), NAMED("ddic_underrun"),
                          .args = ARGS({"collision_cnt", 2, ARG_INT64})},
    ON(PANEL_SETTINGS_FULL) = {.kind = I, OF_FIELD(PANEL_SETTINGS_FULL, 1), NAMED("panel_settings_full"),
        .args = ARGS({"hbm", 2, ARG_BOOL}, {"irc", 3, ARG_INT64}, {"h_pwm", 4, ARG_BOOL},
                     {"fi_auto", 5, ARG_BOOL}, {"fi_manual", 6, ARG_BOOL}, {"early_exit", 7, ARG_BOOL},
                     {"min_rr", 8, ARG_INT64}, {"max_rr", 9, ARG_INT64}, {"te_freq", 10, ARG_INT64})},
    ON(PANEL_SETTINGS_LITE) = {.kind = I, OF_FIELD(PANEL_SETTINGS_LITE, 1), NAMED("panel_settings_lite"),
                               .args = ARGS({"vrr", 2, ARG_BOOL}, {"min_rr", 3, ARG_INT64}, {"max_rr", 4, ARG_INT64},
                                            {"te_freq", 5, ARG_INT64})},
    ON(I2C_READ) = {.read = tm_proto_ftrace_kernel},
    ON(I2C_WRITE) = {.read = tm_proto_ftrace_kernel},
    ON(I2C_RESULT) = {.read = tm_proto_ftrace_kernel},
    ON(DRM_SCHED_JOB) = {.read = tm_proto_ftrace_job},
    ON(DRM_RUN_JOB) = {.read = tm_proto_ftrace_job},
    ON(DRM_SCHED_PROCESS_JOB) = {.read = tm_proto_ftrace_job},
    ON(DRM_SCHED_JOB_DONE) = {.read = tm_proto_ftrace_job},
    ON(DRM_SCHED_JOB_QUEUE) = {.read = tm_proto_ftrace_job},
    ON(DRM_SCHED_JOB_RUN) = {.read = tm_proto_ftrace_job},
    ON(DMA_FENCE_INIT) = {.read = tm_proto_ftrace_fence},
    ON(DMA_FENCE_EMIT) = {.read = tm_proto_ftrace_fence},
    ON(DMA_FENCE_SIGNALED) = {.read = tm_proto_ftrace_fence},
    ON(V4L2_QBUF) = {.read = tm_proto_ftrace_v4l2},
    ON(V4L2_DQBUF) = {.read = tm_proto_ftrace_v4l2},
    ON(VB2_V4L2_BUF_QUEUE) = {.read = tm_proto_ftrace_v4l2},
    ON(VB2_V4L2_BUF_DONE) = {.read = tm_proto_ftrace_v4l2},
    ON(VB2_V4L2_QBUF) = {.read = tm_proto_ftrace_v4l2},
    ON(VB2_V4L2_DQBUF) = {.read = tm_proto_ftrace_v4l2},
    ON(VIRTIO_VIDEO_CMD) = {.read = tm_proto_ftrace_virtio},
    ON(VIRTIO_VIDEO_CMD_DONE) = {.read = tm_proto_ftrace_virtio},
    ON(VIRTIO_VIDEO_RESOURCE_QUEUE) = {.read = tm_proto_ftrace_virtio},
    ON(VIRTIO_VIDEO_RESOURCE_QUEUE_DONE) = {.read = tm_proto_ftrace_virtio},
    ON(VIRTIO_GPU_CMD_QUEUE) = {.read = tm_proto_ftrace_virtio},
    ON(VIRTIO_GPU_CMD_RESPONSE) = {.read = tm_proto_ftrace_virtio},
    ON(ANDROID_FS_DATAREAD_START) = {.read = tm_proto_ftrace_storage},
    ON(ANDROID_FS_DATAREAD_END) = {.read = tm_proto_ftrace_storage},
    ON(UFSHCD_COMMAND) = {.read = tm_proto_ftrace_storage},
    ON(F2FS_WRITE_CHECKPOINT) = {.read = tm_proto_ftrace_storage},
    ON(ION_STAT) = {.read = tm_proto_ftrace_buffer},
    ON(DMA_HEAP_STAT) = {.read = tm_proto_ftrace_buffer},
    ON(CMA_ALLOC_START) = {.read_of_kernel = tm_proto_ftrace_cma},
    ON(CMA_ALLOC_INFO) = {.read_of_kernel = tm_proto_ftrace_cma},
    ON(CMA_ALLOC_FINISH) = {.read_of_kernel = tm_proto_ftrace_cma},
    ON(MM_ALLOC_CONTIG_MIGRATE_RANGE_INFO) = {.read_of_kernel = tm_proto_ftrace_cma},
    ON(TRUSTY_SMC) = {.read = tm_proto_ftrace_trusty},
    ON(TRUSTY_SMC_DONE) = {.read = tm_proto_ftrace_trusty},
    ON(TRUSTY_STD_CALL32) = {.read = tm_proto_ftrace_trusty},
    ON(TRUSTY_STD_CALL32_DONE) = {.read = tm_proto_ftrace_trusty},
    ON(TRUSTY_SHARE_MEMORY) = {.read = tm_proto_ftrace_trusty},
    ON(TRUSTY_SHARE_MEMORY_DONE) = {.read = tm_proto_ftrace_trusty},
    ON(TRUSTY_RECLAIM_MEMORY) = {.read = tm_proto_ftrace_trusty},
    ON(TRUSTY_RECLAIM_MEMORY_DONE) = {.read = tm_proto_ftrace_trusty},
    ON(TRUSTY_IRQ) = {.read = tm_proto_ftrace_trusty},
    ON(TRUSTY_IPC_HANDLE_EVENT) = {.read = tm_proto_ftrace_trusty},
    ON(TRUSTY_IPC_CONNECT) = {.read = tm_proto_ftrace_trusty},
    ON(TRUSTY_IPC_CONNECT_END) = {.read = tm_proto_ftrace_trusty},
    ON(TRUSTY_IPC_WRITE) = {.read = tm_proto_ftrace_trusty},
    ON(TRUSTY_IPC_POLL) = {.read = tm_proto_ftrace_trusty},
    ON(TRUSTY_IPC_READ) = {.read = tm_proto_ftrace_trusty},
    ON(TRUSTY_IPC_READ_END) = {.read = tm_proto_ftrace_trusty},
    ON(TRUSTY_IPC_RX) = {.read = tm_proto_ftrace_trusty},
    ON(TRUSTY_ENQUEUE_NOP) = {.read = tm_proto_ftrace_trusty},
    ON(SUSPEND_RESUME_MINIMAL) = {.kind = BY_START, OF_MACHINE(SUSPEND_MINIMAL), NAMED("Suspended")},
    ON(TCP_RETRANSMIT_SKB) = {.kind = I, OF_MACHINE(TCP_RETRANSMIT), .category = "tcp_event", NAMED_BY(PORTS, 0)},
    ON(GOOGLE_ICC_EVENT) = {.kind = I, OF_MACHINE(INTERCONNECT), .category = "google_icc_event", NAMED_BY(TEXT, 1)},
    ON(GOOGLE_IRM_EVENT) = {.kind = I, OF_MACHINE(INTERCONNECT), .category = "google_irm_event", NAMED_BY(TEXT, 1)},
};

struct slice {
    struct tm_proto_rows *rows;
    const struct rule *rule;
    const struct tm_proto_packet *packet;
    struct tm_event *row;
    struct tm_proto_event_fields fields;
    char text[48]; /* a name made of parts */
    struct tm_error *err;
};

/* Returns the text of FIELD; no data if the event does not state it. */
static struct tm_text text_field(const struct slice *s, uint32_t field)
{
    const uint8_t *text = s->fields.text[field];
    return (struct tm_text){text, text ? s->fields.len[field] : 0};
}

static struct tm_text made(const struct slice *s, int len)
{
    return (struct tm_text){(const uint8_t *)s->text, (size_t)len};
}

/* Returns the symbol with NUMBER in the trace. Without one, NUMBER is the function's address and becomes its name. */
static struct tm_text symbol(struct slice *s, uint64_t number)
{
    struct tm_pb_field text = tm_proto_interned_text(s->packet->sequence, TM_INTERNED_KERNEL_SYMBOLS, number);
    if (text.data)
        return (struct tm_text){text.data, text.len};
    return made(s, snprintf(s->text, sizeof s->text, "%#" PRIx64, number));
}

/* A name without data leaves the slice without one. */
static enum tm_status put_name(struct slice *s, struct tm_text name)
{
    if (name.data == NULL)
        return TM_OK;
    return tm_proto_string(s->rows, name.data, name.len, &s->row->name, s->err);
}

static enum tm_status put_irq(struct slice *s)
{
    const struct tm_text name = text_field(s, s->rule->name_field);
    const char *text = name.data ? (const char *)name.data : "";
    struct tm_buf *key = &s->rows->key;
    key->len = 0;
    if (tm_buf_addf(key, "IRQ (%.*s)", (int)(name.len < 255 ? name.len : 255), text) != TM_OK)
        return tm_error_nomem(s->err);
    return put_name(s, (struct tm_text){key->data, key->len});
}

/* Names of softirqs, by their numbers (include/linux/interrupt.h). */
static const char *const softirqs[] = {"HI",           "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
                                       "BLOCK_IOPOLL", "TASKLET", "SCHED",  "HRTIMER", "RCU"};

/* Sets the name by the rule. TM_END: the number has no name. */
static enum tm_status name_it(struct slice *s)
{
    const uint64_t *n = s->fields.number, number = n[s->rule->name_field];
    switch (s->rule->name_rule) {
    case NAME_FIXED:
        return put_name(s, (struct tm_text){(const uint8_t *)s->rule->name, strlen(s->rule->name)});
    case NAME_TEXT:
        return put_name(s, text_field(s, s->rule->name_field));
    case NAME_IRQ:
        return put_irq(s);
    case NAME_SYMBOL:
        return put_name(s, symbol(s, number));
    case NAME_SOFTIRQ:
        if (number >= sizeof softirqs / sizeof *softirqs)
            return TM_END;
        return put_name(s, (struct tm_text){(const uint8_t *)softirqs[number], strlen(softirqs[number])});
    case NAME_SCM:
        return put_name(s, made(s, snprintf(s->text, sizeof s->text, "scm id=%#" PRIx64, number)));
    case NAME_HOTPLUG:
        return put_name(s, made(s, snprintf(s->text, sizeof s->text, "cpuhp(%d)", (int)(uint32_t)number)));
    case NAME_PORTS:
        return put_name(
            s, made(s, snprintf(s->text, sizeof s->text, "sport=%u,dport=%u", (unsigned)n[6], (unsigned)n[2])));
    default:
        return TM_OK;
    }
}

/* Puts the share of scanned pages that were reclaimed, in percent, rounded. A share of 2^64 or more is 2^63, as in the
 * reference importer. */
static enum tm_status put_reclaimed(struct slice *s, const char *key)
{
    static const double past_u64 = 18446744073709551616.0;
    const uint64_t *n = s->fields.number;
    if (!s->fields.has[1] || !s->fields.has[2] || n[1] == 0)
        return TM_OK;
    double percent = (double)n[2] * 100 / (double)n[1] + 0.5;
    return tm_detail_arg_uint(&s->rows->detail, key, percent < past_u64 ? (uint64_t)percent : UINT64_C(1) << 63);
}

static enum tm_status put_arg(struct slice *s, const struct arg *arg)
{
    struct tm_buf *detail = &s->rows->detail;
    uint64_t number = s->fields.number[arg->field];
    switch (arg->rule) {
    case ARG_INT32: return tm_detail_arg_int(detail, arg->key, (int32_t)(uint32_t)number);
    case ARG_INT64: return tm_detail_arg_int(detail, arg->key, (int64_t)number);
    case ARG_UINT: return tm_detail_arg_uint(detail, arg->key, number);
    case ARG_UINT_STATED:
        return s->fields.has[arg->field] ? tm_detail_arg_uint(detail, arg->key, number) : TM_OK;
    case ARG_BOOL: return tm_detail_arg_bool(detail, arg->key, number != 0);
    case ARG_RECLAIMED: return put_reclaimed(s, arg->key);
    case ARG_CPU: return tm_detail_arg_int(detail, arg->key, s->row->cpu);
    case ARG_UINT_CPU: return tm_detail_arg_uint(detail, arg->key, s->row->cpu);
    case ARG_HANDLED:
        return number == 1 ? tm_detail_arg_text(detail, arg->key, "handled", 7)
                           : tm_detail_arg_text(detail, arg->key, "unhandled", 9);
    default: {
        struct tm_text name = symbol(s, number);
        return tm_detail_arg_text(detail, arg->key, name.data, name.len);
    }
    }
}

/* Returns the instance of the track. */
static uint32_t instance_of(const struct slice *s)
{
    switch (s->rule->track_rule) {
    case TRACK_OF_CPU:
        return s->row->cpu;
    case TRACK_OF_TASK:
        return (uint32_t)s->row->tid;
    case TRACK_OF_FIELD:
        return (uint32_t)s->fields.number[s->rule->track_field];
    default:
        return 0;
    }
}

/* Sets track and scope of the row by the rule. */
static void place(struct slice *s)
{
    static const enum tm_scope scopes[] = {
        [TM_TRACK_GLOBAL] = TM_SCOPE_GLOBAL, [TM_TRACK_THREAD] = TM_SCOPE_THREAD, [TM_TRACK_CPU] = TM_SCOPE_CPU};
    enum tm_kernel_track track = (enum tm_kernel_track)s->rule->track;
    uint32_t instance = instance_of(s);
    if (track == TM_KERNEL_TRACK_FUNCGRAPH && s->row->tid == 0) { /* each cpu has an idle task of its own */
        track = TM_KERNEL_TRACK_IDLE_FUNCGRAPH;
        instance = s->row->cpu;
    }
    if (track == TM_KERNEL_TRACK_NONE) {
        s->row->flags |= tm_event_scope_flags(TM_SCOPE_THREAD);
        return;
    }
    s->row->flags |= TM_EVENT_HAS_TRACK | tm_event_scope_flags(scopes[tm_kernel_track_scope(track)]);
    s->row->track = tm_kernel_track_number(track, instance);
}

/* Returns the kind of the row; 0: none. */
static uint32_t kind_of(const struct slice *s)
{
    static const uint8_t types[] = {0, B, E, I};
    uint64_t type = s->fields.number[2];
    if (s->rule->kind == BY_START)
        return s->fields.number[1] ? B : E;
    if (s->rule->kind == BY_ENABLE)
        return s->fields.number[3] ? B : E;
    if (s->rule->kind == BY_TYPE)
        return type < sizeof types ? types[type] : 0;
    return s->rule->kind;
}

bool tm_proto_ftrace_is_of_hypervisor(uint32_t event)
{
    return event < sizeof rules / sizeof *rules && rules[event].track == TM_KERNEL_TRACK_HYPERVISOR;
}

enum tm_status tm_proto_ftrace_slice(const struct tm_proto_ftrace_bundle *bundle, const struct tm_pb_field *f,
                                     struct tm_event *row, struct tm_error *err)
{
    struct tm_proto_rows *rows = bundle->rows;
    if (f->id >= TM_FTRACE_EVENT_MALI_MCU_FIRST && f->id <= TM_FTRACE_EVENT_MALI_MCU_LAST)
        return tm_proto_ftrace_kernel(rows, f, row, err);
    const struct rule *rule = f->id < sizeof rules / sizeof *rules ? &rules[f->id] : NULL;
    if (rule == NULL)
        return TM_END;
    if (rule->read)
        return rule->read(rows, f, row, err);
    if (rule->read_of_kernel)
        return rule->read_of_kernel(bundle->kernels, rows, f, row, err);
    if (rule->kind == 0)
        return TM_END;
    struct slice s = {.rows = rows, .rule = rule, .packet = bundle->packet, .row = row, .err = err};
    tm_proto_event_fields_read(&s.fields, f);
    uint32_t kind = kind_of(&s);
    enum tm_status st = kind ? name_it(&s) : TM_END;
    if (st != TM_OK)
        return st;
    row->kind = kind;
    place(&s);
    const char *category = s.rule->category;
    if (category)
        st = tm_proto_string(rows, category, strlen(category), &row->category, err);
    const char *reason = s.rule->reason;
    if (st >= 0 && reason &&
        tm_detail_arg_text(&rows->detail, "hyp_enter_reason", reason, strlen(reason)) != TM_OK)
        return tm_error_nomem(err);
    const struct arg *arg = s.rule->kind == BY_ENABLE && kind == E ? NULL : s.rule->args;
    for (; st >= 0 && arg && arg->key; arg++)
        if (put_arg(&s, arg) != TM_OK)
            return tm_error_nomem(err);
    return st < 0 ? st : TM_OK;
}
