#include "emit/sqlite/internal.h"

/* The value of arg KEY of slice s. */
#define ARG(key, column)                                                                                          \
    ", (SELECT coalesce(a.int_value, a.string_value, a.real_value) FROM args a WHERE a.arg_set_id = s.arg_set_id" \
    " AND a.key = '" key "') AS " column

#define OF_SLICE "SELECT s.id, s.ts, s.dur, s.track_id, s.category, s.name, s.depth, s.parent_id, s.arg_set_id"

const char tm_sqlite_frame_views[] =
    "CREATE VIEW expected_frame_timeline_slice AS " OF_SLICE ARG("Display frame token", "display_frame_token")
    ARG("Surface frame token", "surface_frame_token") ", t.upid" ARG("Layer name", "layer_name")
    " FROM slice s JOIN track t ON t.id = s.track_id WHERE t.type = 'android_expected_frame_timeline';"
    "CREATE VIEW actual_frame_timeline_slice AS " OF_SLICE ARG("Display frame token", "display_frame_token")
    ARG("Surface frame token", "surface_frame_token") ", t.upid" ARG("Layer name", "layer_name")
    ARG("Present type", "present_type") ARG("On time finish", "on_time_finish")
    ARG("GPU composition", "gpu_composition") ARG("Jank type", "jank_type")
    ARG("Jank severity type", "jank_severity_type") ARG("Prediction type", "prediction_type")
    ARG("Jank tag", "jank_tag") ARG("Jank tag (experimental)", "jank_tag_experimental")
    ARG("Jank Severity Score", "jank_score") ARG("Latched unsignaled count", "latched_unsignaled_count")
    ARG("Addressable unsignaled latch count", "addressable_unsignaled_latch_count")
    ARG("Latched fence state", "latched_fence_state")
    " FROM slice s JOIN track t ON t.id = s.track_id WHERE t.type = 'android_actual_frame_timeline';"
    "CREATE VIEW frame_slice AS " OF_SLICE ARG("layer_name", "layer_name") ARG("frame_number", "frame_number")
    ARG("queue_to_acquire_time", "queue_to_acquire_time") ARG("acquire_to_latch_time", "acquire_to_latch_time")
    ARG("latch_to_present_time", "latch_to_present_time")
    " FROM slice s JOIN track t ON t.id = s.track_id WHERE t.type = 'graphics_frame_event';"
    "CREATE VIEW gpu_slice AS " OF_SLICE ARG("context_id", "context_id") ARG("render_target", "render_target")
    ARG("render_target_name", "render_target_name") ARG("render_pass", "render_pass")
    ARG("render_pass_name", "render_pass_name") ARG("command_buffer", "command_buffer")
    ARG("command_buffer_name", "command_buffer_name") ARG("frame_id", "frame_id")
    ARG("submission_id", "submission_id") ARG("hw_queue_id", "hw_queue_id") ARG("upid", "upid")
    ARG("render_subpasses", "render_subpasses") ARG("render_stage_category", "render_stage_category")
    " FROM slice s JOIN track t ON t.id = s.track_id"
    " WHERE t.type IN ('gpu_render_stage', 'vulkan_events', 'gpu_log');";
