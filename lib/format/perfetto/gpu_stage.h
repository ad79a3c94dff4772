/* Stages of work on GPUs. Rules: importers/proto/gpu_event_parser.cc of perfetto. */
#ifndef TM_FORMAT_PERFETTO_GPU_STAGE_H
#define TM_FORMAT_PERFETTO_GPU_STAGE_H

#include "format/perfetto/internal.h"

/* Adds the rows of a gpu_render_stage_event packet: the packet's own, and a DERIVED slice if it has an event id. */
enum tm_status tm_proto_gpu_stage_read(struct tm_proto_gpu *gpu, struct tm_proto_rows *rows,
                                       const struct tm_proto_packet *packet, struct tm_error *err);

#endif
