/* Which compressor the name of an output asks for. Apart from compressor.h, because tm-merge compresses nothing. */
#ifndef TM_OS_COMPRESSOR_NAME_H
#define TM_OS_COMPRESSOR_NAME_H

#include <stddef.h>

enum tm_compressor_kind { TM_COMPRESSOR_NONE, TM_COMPRESSOR_GZIP, TM_COMPRESSOR_ZSTD };

/* Returns the compressor that the end of PATH (.gz, .zst) asks for. *LEN (LEN may be NULL) is the length of PATH
 * without that end. PATH may be NULL: none. */
enum tm_compressor_kind tm_compressor_of(const char *path, size_t *len);

#endif
