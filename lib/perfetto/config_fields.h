/* The configuration of a recording: TraceConfig and all messages in it, including those of data sources. Source of
 * names and numbers: trace_config.proto of Perfetto. */
#ifndef TM_PERFETTO_CONFIG_FIELDS_H
#define TM_PERFETTO_CONFIG_FIELDS_H

#include "perfetto/typed_schema.h"

enum { TM_CONFIG_TRACE = 0 /* the number of the message that contains the others */ };
enum { TM_CONFIG_ATOM_ID = 20 /* the number of the enum with the names of statsd's atoms */ };

extern const struct tm_typed_schema tm_config_schema;

#endif
