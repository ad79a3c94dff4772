#include "os/compressor_name.h"

#include <string.h>

enum tm_compressor_kind tm_compressor_of(const char *path, size_t *len)
{
    size_t n = path ? strlen(path) : 0;
    enum tm_compressor_kind kind = n > 3 && strcmp(path + n - 3, ".gz") == 0    ? TM_COMPRESSOR_GZIP
                                   : n > 4 && strcmp(path + n - 4, ".zst") == 0 ? TM_COMPRESSOR_ZSTD
                                                                                : TM_COMPRESSOR_NONE;
    if (len)
        *len = n - (kind == TM_COMPRESSOR_GZIP ? 3 : kind == TM_COMPRESSOR_ZSTD ? 4 : 0);
    return kind;
}
