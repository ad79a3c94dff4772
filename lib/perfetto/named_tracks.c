#include "perfetto/named_tracks.h"

const char *tm_named_track_type(enum tm_named_track track)
{
    static const char *const types[TM_NAMED_TRACK_COUNT] = {
        [TM_NAMED_TRACK_NONE] = "unknown",
        [TM_NAMED_TRACK_EXPECTED_FRAMES] = "android_expected_frame_timeline",
        [TM_NAMED_TRACK_ACTUAL_FRAMES] = "android_actual_frame_timeline",
        [TM_NAMED_TRACK_GPU_STAGE] = "gpu_render_stage",
    };
    return types[track < TM_NAMED_TRACK_COUNT ? track : TM_NAMED_TRACK_NONE];
}
