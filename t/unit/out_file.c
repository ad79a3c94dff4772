/* Unit tests of os/out_file.h: what waits for the disk, and what the kernel is told to write before that. */
#include "os/out_file.h"

#include "tap.h"

#include <stdlib.h>
#include <unistd.h>

enum { STEP = 8 << 20 }; /* what start_sync waits for */

/* Makes FILE as long as SIZE. Returns how many of its bytes start_sync has seen. */
static uint64_t seen(struct tm_out_file *file, uint64_t size)
{
    ok(ftruncate(file->fd, (off_t)size) == 0);
    tm_out_file_start_sync(file);
    return file->written_back;
}

static void open_one(struct tm_out_file *file, const char *path, const char *part)
{
    struct tm_error err = {0};
    ok(tm_out_file_open(file, path, part, &err) == TM_OK);
}

int main(void)
{
    char folder[] = "/tmp/out_file.XXXXXX";
    struct tm_error err = {0};
    ok(mkdtemp(folder) != NULL && chdir(folder) == 0);

    struct tm_out_file file = {.fd = -1};
    ok_named(!tm_out_file_syncs(&file), "what is not open does not sync");
    tm_out_file_start_sync(&file);
    open_one(&file, "result", NULL);
    ok(tm_out_file_syncs(&file));
    is_int(seen(&file, STEP - 1), 0);
    is_int(seen(&file, STEP), STEP);
    ok_named(seen(&file, 2 * (uint64_t)STEP - 1) == STEP, "less than a step more is left for later");
    is_int(seen(&file, 3 * (uint64_t)STEP + 5), 3 * STEP + 5);
    ok(tm_out_file_close(&file, &err) == TM_OK);
    tm_out_file_start_sync(&file);
    ok(tm_out_file_commit(&file, &err) == TM_OK && access("result", F_OK) == 0);

    struct tm_out_file unsynced = {.fd = -1, .no_sync = true};
    open_one(&unsynced, "unsynced", NULL);
    ok(!tm_out_file_syncs(&unsynced) && seen(&unsynced, STEP) == 0);
    tm_out_file_abandon(&unsynced);

    struct tm_out_file part = {.fd = -1};
    open_one(&part, "whole", "part");
    ok_named(!tm_out_file_syncs(&part) && seen(&part, STEP) == 0, "the caller renames it");
    tm_out_file_abandon(&part);

    struct tm_out_file device = {.fd = -1};
    open_one(&device, "/dev/null", NULL);
    ok_named(!tm_out_file_syncs(&device), "no regular file");
    tm_out_file_start_sync(&device);
    ok(device.written_back == 0);
    tm_out_file_abandon(&device);

    (void)unlink("result");
    (void)unlink("part");
    ok_named(chdir("/") == 0 && rmdir(folder) == 0, "nothing else is left");
    return tap_done();
}
