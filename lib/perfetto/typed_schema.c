#include "perfetto/typed_schema.h"

#include <stddef.h>

const struct tm_typed_field *tm_typed_schema_field(const struct tm_typed_schema *schema, uint32_t message,
                                                   uint32_t number)
{
    size_t from = schema->message_firsts[message], to = schema->message_firsts[message + 1];
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (schema->fields[middle].number == number)
            return &schema->fields[middle];
        if (schema->fields[middle].number < number)
            from = middle + 1;
        else
            to = middle;
    }
    return NULL;
}

const char *tm_typed_schema_value(const struct tm_typed_schema *schema, uint32_t type, int32_t number)
{
    for (size_t i = schema->enum_firsts[type]; i < schema->enum_firsts[type + 1]; i++)
        if (schema->values[i].number == number)
            return schema->values[i].name;
    return NULL;
}
