/* Kernel events that Perfetto's schema does not know. A bundle of the trace describes the fields of each such event, as
 * a DescriptorProto. Rules: importers/ftrace/generic_ftrace_tracker.cc of perfetto. Zero-initialise. */
#ifndef TM_FORMAT_PERFETTO_FTRACE_GENERIC_H
#define TM_FORMAT_PERFETTO_FTRACE_GENERIC_H

#include "base/buf.h"
#include "format/perfetto/id_map.h"

/* Fields of FtraceEvent from FIRST on are such events. */
enum { TM_PROTO_GENERIC_FIRST = 65536, TM_PROTO_GENERIC_FIELDS = 32 };

/* Events past one of these limits are not known. */
enum { TM_PROTO_GENERICS_MAX = 1 << 12, TM_PROTO_GENERIC_TEXT_MAX = 1 << 20 /* bytes of names */ };

struct tm_proto_generics {
    /* private */
    struct tm_proto_map by_number; /* (machine, field of FtraceEvent) to the place in events */
    struct tm_proto_generic {
        uint32_t name_at, name_len; /* in texts */
        /* Fields with the names by which drivers state slices and counters; 0: there is none. */
        uint8_t slice_kind, slice_name, value, track_name, scope;
        uint8_t scope_type; /* enum tm_scope; THREAD: that of the event */
        struct {
            uint32_t name_at, name_len;
            uint8_t type; /* FieldDescriptorProto.Type; 0: there is no such field */
        } fields[TM_PROTO_GENERIC_FIELDS];
    } *events;
    uint32_t count, cap;
    struct tm_buf texts;
};

void tm_proto_generics_release(struct tm_proto_generics *generics);

#endif
