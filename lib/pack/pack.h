/* Packs files and a manifest into one archive, with members in order of processing. */
#ifndef TM_PACK_PACK_H
#define TM_PACK_PACK_H

#include "base/buf.h"
#include "pack/members.h"

enum tm_pack_kind { TM_PACK_UNKNOWN, TM_PACK_TAR, TM_PACK_TAR_GZ, TM_PACK_ZIP };

/* The member name of a manifest that was made for the archive. */
#define TM_PACK_MANIFEST_NAME "perfetto_manifest.json"

/* Returns the kind of archive that the end of PATH names: .tar, .tar.gz, .tgz, .zip. */
enum tm_pack_kind tm_pack_kind_of(const char *path);

struct tm_pack {
    enum tm_pack_kind kind;
    const struct tm_members *members;
    const struct tm_buf *manifest; /* made for the archive; NULL: it is one of the members */
    const char *name;              /* of the archive, with which errors of writing begin; NULL: none */
};

/* Writes the archive to FD, or a ZIP to the file PATH. TM_OK; TM_E_INPUT: a member cannot be read or has changed;
 * TM_E_SYSTEM. */
enum tm_status tm_pack_write(const struct tm_pack *pack, int fd, const char *path, struct tm_error *err);

#endif
