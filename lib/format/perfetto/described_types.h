/* Types of messages and enums in track events: those of perfetto/typed_fields.h, and those that the file describes in
 * ExtensionDescriptor packets. A described type of a known name adds fields and values to the known one; what is
 * already known stays. Rules: util/descriptors.cc of Perfetto. */
#ifndef TM_FORMAT_PERFETTO_DESCRIBED_TYPES_H
#define TM_FORMAT_PERFETTO_DESCRIBED_TYPES_H

#include "base/buf.h"
#include "base/text.h"
#include "format/perfetto/id_map.h"
#include "os/expansion.h"
#include "perfetto/typed_schema.h"

enum {
    TM_DESCRIBED_TYPES_MAX = 1 << 15,  /* messages and enums that a file describes; more are not known */
    TM_DESCRIBED_FIELDS_MAX = 1 << 16, /* fields of all messages, and values of all enums; more are not known */
    TM_DESCRIBED_DEPTH_MAX = 64,       /* messages declared within messages */
    TM_DESCRIBED_BYTES_MAX = 64 << 20  /* bytes of one decompressed description */
};

/* Zero-initialise. */
struct tm_described_types {
    /* private */
    struct tm_proto_map names;  /* (is an enum, hash of the full name) to the number of a described type */
    struct tm_proto_map fields; /* (message, number) to the place in field_list */
    struct tm_proto_map values; /* (enum, number) to the place in value_list */
    struct tm_buf field_list;   /* struct tm_typed_field */
    struct tm_buf value_list;   /* struct tm_typed_value */
};

/* Adds the types in the ExtensionDescriptor at DATA. EXPANSION counts what is decompressed (NULL: nothing does). TM_OK.
 * TM_E_INPUT: it is damaged, or expands to more than TM_DESCRIBED_BYTES_MAX; the types before the damage have been
 * added, and ERR is not set. TM_E_SYSTEM, or TM_E_INPUT with *IS_PAST_LIMIT set if the run has expanded more than it
 * may: ERR has the cause. */
enum tm_status tm_described_types_read(struct tm_described_types *types, struct tm_text data,
                                       struct tm_expansion *expansion, bool *is_past_limit, struct tm_error *err);

/* Sets *MESSAGE to the number of the message with the full name NAME (".perfetto.protos.ChromeMojoEventInfo"). False
 * if there is none. */
bool tm_described_message_find(const struct tm_described_types *types, struct tm_text name, uint32_t *message);

/* Returns field NUMBER of MESSAGE, or NULL. Valid until more types are read. */
const struct tm_typed_field *tm_described_field_find(const struct tm_described_types *types, uint32_t message,
                                                     uint32_t number);

/* Returns the name of value NUMBER of enum TYPE, or NULL. Valid until more types are read. */
const char *tm_described_value_name(const struct tm_described_types *types, uint32_t type, int32_t number);

void tm_described_types_release(struct tm_described_types *types);

#endif
