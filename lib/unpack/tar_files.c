#include "unpack/tar_files.h"

#include "container/limits.h"

/* Sets *ID to the number of NAME, which is added if it is new. TM_END: there is no room for it. */
static enum tm_status number_of(struct tm_tar_files *files, const char *name, uint32_t *id, struct tm_error *err)
{
    static const struct tm_tar_file none = {.at = UINT64_MAX};
    bool is_new = false;
    if (files->names.count_max == 0)
        tm_intern_init(&files->names, TM_FILES_MAX, TM_NAMES_BYTES_MAX);
    enum tm_status st = tm_intern_add(&files->names, name, strlen(name), id, &is_new);
    if (st < 0 || (is_new && tm_buf_add(&files->files, &none, sizeof none) != TM_OK))
        return tm_error_nomem(err);
    return st;
}

enum tm_status tm_tar_files_add(struct tm_tar_files *files, const char *name, const struct tm_tar_file *file,
                                struct tm_error *err)
{
    uint32_t id;
    enum tm_status st = number_of(files, name, &id, err);
    if (st == TM_OK)
        memcpy(files->files.data + id * sizeof *file, file, sizeof *file);
    return st < 0 ? st : TM_OK;
}

enum tm_status tm_tar_files_find(struct tm_tar_files *files, const char *name, struct tm_tar_file *file,
                                 struct tm_error *err)
{
    uint32_t id;
    enum tm_status st = number_of(files, name, &id, err);
    if (st != TM_OK)
        return st;
    memcpy(file, files->files.data + id * sizeof *file, sizeof *file);
    return file->at == UINT64_MAX ? TM_END : TM_OK;
}

void tm_tar_files_release(struct tm_tar_files *files)
{
    tm_intern_release(&files->names);
    tm_buf_release(&files->files);
}
