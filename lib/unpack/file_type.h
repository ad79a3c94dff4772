/* The type of a file by its first bytes (doc/rules.md section 1): a container, the manifest, or a trace format. */
#ifndef TM_UNPACK_FILE_TYPE_H
#define TM_UNPACK_FILE_TYPE_H

#include "format/format.h"

enum tm_file_kind {
    TM_FILE_UNKNOWN,
    TM_FILE_TAR,
    TM_FILE_ZIP,
    TM_FILE_GZIP,
    TM_FILE_ZSTD,
    TM_FILE_CTRACE,
    TM_FILE_DIRECTORY,
    TM_FILE_MANIFEST,
    TM_FILE_TRACE
};

struct tm_file_type {
    enum tm_file_kind kind;
    enum tm_input_type input_type;
    enum tm_priority priority;
    bool is_container;
    const struct tm_format *format; /* of TM_FILE_TRACE */
};

/* Returns the type that HEAD (LEN bytes; TM_SNIFF_BYTES unless the file is shorter) shows. A UTF-8 byte order mark may
 * precede a text. */
struct tm_file_type tm_file_type_sniff(const uint8_t *head, size_t len);

/* True if HEAD, the same without a byte order mark, begins like a manifest. White space may be before and between the
 * tokens. */
bool tm_file_type_is_manifest(const uint8_t *head, size_t len);

/* Returns the type of files that are not read. */
struct tm_file_type tm_file_type_unknown(void);

/* Returns the type of a stream of CTF and of its index. These are recognized by the metadata in their folder. */
struct tm_file_type tm_file_type_part(void);

/* Returns the type of a directory and of a list of files. */
struct tm_file_type tm_file_type_directory(void);

/* Returns the offset of the zlib stream of a ctrace in HEAD; 0: HEAD is not a ctrace. */
size_t tm_file_type_ctrace(const uint8_t *head, size_t len);

#endif
