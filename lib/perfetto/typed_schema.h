/* Schemas of messages: names, numbers and types of fields. t/check/typed-fields.py generates the tables from Perfetto's
 * protos. */
#ifndef TM_PERFETTO_TYPED_SCHEMA_H
#define TM_PERFETTO_TYPED_SCHEMA_H

#include <stdint.h>

enum tm_typed_kind {
    TM_TYPED_INT,
    TM_TYPED_INT32,
    TM_TYPED_ZIGZAG,
    TM_TYPED_UINT,
    TM_TYPED_UINT32,
    TM_TYPED_BOOL,
    TM_TYPED_FLOAT,
    TM_TYPED_DOUBLE,
    TM_TYPED_TEXT,
    TM_TYPED_BYTES,
    TM_TYPED_ENUM,
    TM_TYPED_FLAGS,   /* an int64 whose bits are values of an enum */
    TM_TYPED_FLAGS32, /* an int32 of that kind */
    TM_TYPED_MESSAGE,
    TM_TYPED_ANNOTATION /* a DebugAnnotation */
};

/* Names are in the tables themselves. Thousands of pointers to them would be relocated at the start of a program. */
enum { TM_TYPED_FIELD_NAME_MAX = 63, TM_TYPED_VALUE_NAME_MAX = 83 };

struct tm_typed_field {
    char name[TM_TYPED_FIELD_NAME_MAX + 1];
    uint32_t number;
    uint8_t kind; /* enum tm_typed_kind */
    uint8_t is_repeated;
    uint16_t of; /* the number of its message or enum */
};

/* A value of an enum. */
struct tm_typed_value {
    int32_t number;
    char name[TM_TYPED_VALUE_NAME_MAX + 1];
};

struct tm_typed_schema {
    const struct tm_typed_field *fields; /* fields of one message are adjacent, in the order of their numbers */
    const uint16_t *message_firsts;      /* by message: the index of its first field; one more entry at the end */
    const struct tm_typed_value *values; /* values of one enum are adjacent */
    const uint16_t *enum_firsts;         /* by enum: the index of its first value; one more entry at the end */
};

/* Returns field NUMBER of MESSAGE, or NULL. */
const struct tm_typed_field *tm_typed_schema_field(const struct tm_typed_schema *schema, uint32_t message,
                                                   uint32_t number);

/* Returns the name of value NUMBER of enum TYPE, or NULL. */
const char *tm_typed_schema_value(const struct tm_typed_schema *schema, uint32_t type, int32_t number);

#endif
