/* Tracks of slices that come from packets other than track events. A slice on such a track has a track description in
 * front of its detail, with the number of the track's type. Types: those of the reference importer. */
#ifndef TM_PERFETTO_NAMED_TRACKS_H
#define TM_PERFETTO_NAMED_TRACKS_H

/* Numbers are part of the stream format and never change. */
enum tm_named_track {
    TM_NAMED_TRACK_NONE = 0,
    TM_NAMED_TRACK_EXPECTED_FRAMES = 1, /* of a process, in lanes */
    TM_NAMED_TRACK_ACTUAL_FRAMES = 2,   /* of a process, in lanes */
    TM_NAMED_TRACK_GPU_STAGE = 3,       /* global, by name */
    TM_NAMED_TRACK_COUNT
};

/* Returns the text of TRACK in the type column. */
const char *tm_named_track_type(enum tm_named_track track);

#endif
