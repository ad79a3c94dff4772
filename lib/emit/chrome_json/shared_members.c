#include "emit/chrome_json/shared_members.h"

#include "base/table.h"

#include <stdlib.h>

enum { KEYS_MAX = 1 << 30 };

/* True for members that state the origin of recorded times. It is valid for a file, not for the merged timeline. */
static bool is_about_time(struct tm_text key)
{
    return tm_text_is(key, "baseTimeNanoseconds") || tm_text_is(key, "beginningOfTime") ||
           tm_text_is(key, "viztracer_metadata");
}

/* True for members that state how times are displayed. Only files that have one count when files are compared. */
static bool is_about_display(struct tm_text key)
{
    return tm_text_is(key, "displayTimeUnit");
}

/* True if every Chrome JSON file has KEY with the same value. */
static bool is_shared(const struct tm_json_shared_members *shared, const struct tm_json_frames *frames,
                      const struct tm_json_member_key *key)
{
    const struct tm_json_top_member *first = &shared->members[key->first].member;
    const uint32_t json_count = frames->inputs->json_count;
    if (tm_json_frames_cover(frames, first))
        return false;
    if (is_about_time(first->key))
        return json_count == 1 && frames->writer->context->catalog->file_count <= 2;
    return key->agree && (key->count == json_count || is_about_display(first->key));
}

/* Adds member I to those of its key, number KEY. */
static void note_key(struct tm_json_shared_members *shared, uint32_t i, uint32_t key)
{
    const struct tm_json_top_member *m = &shared->members[i].member;
    struct tm_json_member_key *k = &shared->keys[key];
    const struct tm_json_top_member *first = &shared->members[k->first].member;
    k->count++;
    k->agree = k->agree && tm_text_equal(first->value, m->value);
    if (m->file < first->file)
        k->first = i;
}

static enum tm_status add(struct tm_json_shared_members *shared, const struct tm_json_top_member *m)
{
    const uint32_t i = shared->count;
    uint32_t key;
    bool is_new;
    if (tm_array_grow(&shared->members, &shared->cap, i, sizeof *shared->members, NULL) < 0 ||
        tm_intern_add(&shared->names, m->key.data, m->key.len, &key, &is_new) != TM_OK ||
        tm_array_grow(&shared->keys, &shared->key_cap, key, sizeof *shared->keys, NULL) < 0)
        return TM_E_SYSTEM;
    shared->members[shared->count++] = (struct tm_json_keyed_member){*m, key};
    if (is_new)
        shared->keys[key] = (struct tm_json_member_key){.first = i, .agree = true};
    note_key(shared, i, key);
    return TM_OK;
}

/* Sets by_file, by counting the members of each of the FILE_COUNT files. */
static enum tm_status sort_by_file(struct tm_json_shared_members *shared, uint32_t file_count)
{
    uint32_t *next = calloc((size_t)file_count + 1, sizeof *next); /* by file: the place of its next member */
    shared->by_file = malloc(((size_t)shared->count + 1) * sizeof *shared->by_file);
    if (next == NULL || shared->by_file == NULL) {
        free(next);
        return TM_E_SYSTEM;
    }
    for (uint32_t i = 0; i < shared->count; i++)
        next[shared->members[i].member.file + 1]++;
    for (uint32_t file = 1; file < file_count; file++)
        next[file] += next[file - 1];
    for (uint32_t i = 0; i < shared->count; i++)
        shared->by_file[next[shared->members[i].member.file]++] = i;
    free(next);
    return TM_OK;
}

enum tm_status tm_json_shared_members_read(struct tm_json_shared_members *shared, const struct tm_json_frames *frames,
                                           struct tm_error *err)
{
    struct tm_pb pb = tm_json_top_members_all(frames->members);
    struct tm_json_top_member m = {0};
    enum tm_status st = TM_OK;
    tm_intern_init(&shared->names, KEYS_MAX, TM_JSON_TOP_BYTES_MAX);
    while (st == TM_OK && tm_json_top_next(&pb, &m))
        st = add(shared, &m);
    if (st == TM_OK)
        st = sort_by_file(shared, frames->writer->context->catalog->file_count);
    for (uint32_t key = 0; key < shared->names.count && st == TM_OK; key++)
        shared->keys[key].is_shared = is_shared(shared, frames, &shared->keys[key]);
    return st == TM_OK ? TM_OK : tm_error_nomem(err);
}

void tm_json_shared_members_release(struct tm_json_shared_members *shared)
{
    free(shared->members);
    free(shared->by_file);
    free(shared->keys);
    tm_intern_release(&shared->names);
    *shared = (struct tm_json_shared_members){0};
}
