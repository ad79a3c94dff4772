#include "manifest/manifest.h"

#include "manifest/unknown_keys.h"
#include "os/io.h"

enum { READ_BYTES = 64 << 10 };

enum tm_status tm_manifest_read(struct tm_manifest *manifest, const void *text, size_t len, struct tm_error *err)
{
    manifest->source = text;
    manifest->source_len = len;
    enum tm_status st = tm_json_text_read(&manifest->json, text, len, &manifest->problems);
    if (st == TM_OK)
        st = tm_manifest_fields_read(&manifest->fields, &manifest->json, &manifest->problems);
    if (st == TM_OK)
        st = tm_manifest_config_make(&manifest->config, &manifest->fields, &manifest->problems);
    if (st == TM_OK)
        tm_unknown_keys_find(&manifest->json, &manifest->warnings);
    if (st == TM_E_SYSTEM)
        return tm_error_nomem(err);
    return tm_manifest_problems_status(&manifest->problems, err);
}

enum tm_status tm_manifest_read_fd(struct tm_manifest *manifest, int fd, struct tm_error *err)
{
    struct tm_buf *text = &manifest->text;
    enum tm_status st = TM_OK;
    while (st == TM_OK && text->len <= TM_JSON_TEXT_BYTES_MAX) {
        size_t got;
        if (tm_buf_reserve(text, READ_BYTES) != TM_OK)
            return tm_error_nomem(err);
        st = tm_io_read(fd, text->data + text->len, text->cap - text->len, &got, err);
        text->len += got;
    }
    return st < 0 ? st : tm_manifest_read(manifest, text->data, text->len, err);
}

void tm_manifest_release(struct tm_manifest *manifest)
{
    tm_manifest_config_release(&manifest->config);
    tm_manifest_fields_release(&manifest->fields);
    tm_json_text_release(&manifest->json);
    tm_manifest_problems_release(&manifest->problems);
    tm_manifest_problems_release(&manifest->warnings);
    tm_buf_release(&manifest->text);
}
