/* Arguments of track events as Detail.args, under the flat keys of the reference importer: debug annotations
 * ("debug.a.b[0]"), and those of typed_args.h and typed_message.h. */
#ifndef TM_FORMAT_PERFETTO_ANNOTATION_H
#define TM_FORMAT_PERFETTO_ANNOTATION_H

#include "format/perfetto/track_event.h"

/* Appends the event's arguments to the detail of the context's rows. What is wrong in an annotation (no name, an
 * unknown iid) ends it there. It is counted if the event IS_SHOWN, as in the reference importer; what is damaged or
 * nested too deep is counted in any case. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_proto_annotations_put(const struct tm_proto_track_context *context, bool is_shown,
                                        struct tm_error *err);

#endif
