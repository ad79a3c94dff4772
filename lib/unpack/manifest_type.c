#include "unpack/file_type.h"

bool tm_file_type_is_manifest(const uint8_t *head, size_t len)
{
    static const char want[] = "{\"perfetto_manifest\"";
    size_t k = 0;
    for (size_t i = 0; i < len && want[k]; i++) {
        bool space = head[i] == ' ' || head[i] == '\t' || head[i] == '\n' || head[i] == '\r';
        if (space && k < 2)
            continue;
        if (head[i] != (uint8_t)want[k++])
            return false;
    }
    return want[k] == '\0';
}
