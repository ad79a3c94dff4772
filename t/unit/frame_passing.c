/* Unit tests of frames that a stage passes on in shared memory: three processes, a writer, one that passes on most
 * frames and adds some, and a taker. And of the checksums of frames in a ring, and of frames that are copied. */
#include "base/bytes.h"
#include "stream/frame.h"

#include "tap.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FRAMES = 600, ADDED_AFTER = 7, LEAVES_AFTER = 100, TYPE_PASSED = 70, TYPE_READ, TYPE_ADDED, GIVES_UP_S = 30 };

/* What the stages do, and how the three processes ended, as waitpid says. */
struct trial {
    bool lacks_taker;       /* the last stage knows nothing of the ring */
    int leaves[3];          /* the stage that leaves after so many frames of the writer; 0: it does not */
    int statuses[3];
    int memory, pipes[2][2], ready[2];
};

static size_t size_of(int i)
{
    uint32_t n = (uint32_t)i * 2654435761u >> 7;
    return i % 150 == 149 ? TM_RING_PART_MAX + n % 4000000 : i % 16 == 0 ? n % (TM_RING_PART_MAX - 64) : n % 60000;
}

static uint32_t type_of(int i)
{
    return i % 5 == 0 ? TYPE_READ : TYPE_PASSED;
}

static void fill(uint8_t *bytes, int i)
{
    for (size_t k = 0; k < size_of(i); k++)
        bytes[k] = (uint8_t)((uint32_t)i * 31 + (k * 2654435761u >> 11));
}

static bool is_filled(const struct tm_frame *frame, int i)
{
    bool good = frame->type == type_of(i) && frame->body_bytes == size_of(i);
    for (size_t k = 0; good && k < frame->body_bytes; k++)
        good = frame->body[k] == (uint8_t)((uint32_t)i * 31 + (k * 2654435761u >> 11));
    return good;
}

static int write_frames(const struct trial *t)
{
    struct tm_frame_writer writer;
    struct tm_error err = {0};
    enum tm_status st = TM_OK;
    uint8_t *bytes = malloc(8 << 20);
    tm_frame_writer_init(&writer, STDOUT_FILENO);
    for (int i = 0; i < FRAMES && st == TM_OK && (t->leaves[0] == 0 || i < t->leaves[0]); i++) {
        fill(bytes, i);
        st = tm_frame_write(&writer, type_of(i), &(struct tm_piece){bytes, size_of(i)}, 1, &err);
    }
    if (st == TM_OK)
        st = tm_frame_flush(&writer, &err);
    tm_frame_writer_release(&writer);
    free(bytes);
    return st == TM_OK ? 0 : 1;
}

/* Passes on or forwards the next frame. *PASSED counts those that stay where they are. */
static enum tm_status pass_one(struct tm_frame_reader *reader, struct tm_frame_writer *writer, int *passed,
                               struct tm_error *err)
{
    struct tm_frame_sight sight;
    struct tm_frame frame;
    enum tm_status st = tm_frame_preview(reader, &sight, err);
    if (st != TM_OK)
        return st;
    if (sight.type == TYPE_PASSED) {
        *passed += tm_frame_passes_in_place(reader, writer) && sight.whole_bytes <= TM_RING_PART_MAX;
        return tm_frame_pass(reader, writer, err);
    }
    st = tm_frame_read(reader, &frame, err);
    return st == TM_OK ? tm_frame_forward(writer, &frame, err) : st;
}

/* Returns 0 if most frames were passed on where they are, 2 if none was. */
static int pass_frames(const struct trial *t)
{
    struct tm_frame_reader reader;
    struct tm_frame_writer writer;
    struct tm_error err = {0};
    enum tm_status st = TM_OK;
    int passed = 0;
    tm_frame_reader_init(&reader, STDIN_FILENO);
    tm_frame_writer_init(&writer, STDOUT_FILENO);
    for (int i = 0; st == TM_OK && (t->leaves[1] == 0 || i < t->leaves[1]); i++) {
        st = pass_one(&reader, &writer, &passed, &err);
        if (st == TM_OK && i % ADDED_AFTER == 0)
            st = tm_frame_write(&writer, TYPE_ADDED, &(struct tm_piece){"added", 5}, 1, &err);
    }
    if (st == TM_END)
        st = tm_frame_flush(&writer, &err);
    tm_frame_reader_release(&reader);
    tm_frame_writer_release(&writer);
    return st < 0 ? 1 : passed > FRAMES / 2 ? 0 : passed == 0 ? 2 : 3;
}

/* Returns 0 if all frames came in order. */
static int take_frames(const struct trial *t)
{
    struct tm_frame_reader reader;
    struct tm_frame frame;
    struct tm_error err = {0};
    int count = 0, added = 0;
    tm_frame_reader_init(&reader, STDIN_FILENO);
    bool good = write(t->ready[1], "", 1) == 1;
    while (good && (t->leaves[2] == 0 || count < t->leaves[2])) {
        if (tm_frame_read(&reader, &frame, &err) != TM_OK)
            break;
        if (frame.type == TYPE_ADDED)
            good = frame.body_bytes == 5 && (count - 1) % ADDED_AFTER == 0 && ++added;
        else
            good = is_filled(&frame, count++);
    }
    if (t->leaves[2]) /* until the stages before wait for it */
        (void)nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    tm_frame_reader_release(&reader);
    return good && count == FRAMES && added == (FRAMES - 1) / ADDED_AFTER + 1 ? 0 : 1;
}

/* Sets TM_RINGS to descriptors of rings, as os/shared_ring.h says. */
static void set_rings(int input, int output, int taken)
{
    char setting[48];
    snprintf(setting, sizeof setting, "%d,%d,%d", input, output, taken);
    (void)setenv(TM_RINGS_VARIABLE, setting, 1);
}

static pid_t start(struct trial *t, int stage)
{
    static int (*const stages[])(const struct trial *) = {write_frames, pass_frames, take_frames};
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    (void)alarm(GIVES_UP_S);
    set_rings(stage == 1 ? t->memory : -1, stage == 0 ? t->memory : -1, stage == 2 && !t->lacks_taker ? t->memory : -1);
    if (stage > 0)
        (void)dup2(t->pipes[stage - 1][0], STDIN_FILENO);
    if (stage < 2)
        (void)dup2(t->pipes[stage][1], STDOUT_FILENO);
    for (int i = 0; i < 4; i++)
        (void)close(t->pipes[i / 2][i % 2]);
    _exit(stages[stage](t));
}

/* Runs the three stages; the last one is attached before the others start. */
static void run(struct trial *t)
{
    pid_t pids[3];
    char byte;
    t->memory = tm_ring_make();
    if (pipe(t->pipes[0]) != 0 || pipe(t->pipes[1]) != 0 || pipe(t->ready) != 0)
        return;
    pids[2] = start(t, 2);
    (void)!read(t->ready[0], &byte, 1);
    pids[1] = start(t, 1);
    pids[0] = start(t, 0);
    for (int i = 0; i < 4; i++)
        (void)close(t->pipes[i / 2][i % 2]);
    (void)close(t->memory);
    for (int i = 0; i < 2; i++)
        (void)close(t->ready[i]);
    for (int i = 0; i < 3; i++)
        (void)waitpid(pids[i], &t->statuses[i], 0);
}

static bool left_by_pipe(int status)
{
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE;
}

static bool ended(int status, int exit_status)
{
    return WIFEXITED(status) && WEXITSTATUS(status) == exit_status;
}

static void test_all(void)
{
    struct trial t = {0};
    run(&t);
    ok_named(ended(t.statuses[0], 0), "the writer has no error");
    ok_named(ended(t.statuses[1], 0), "most frames stay where they are");
    ok_named(ended(t.statuses[2], 0), "the taker gets all frames, with those that were added, in order");
}

static void test_stand_in(void)
{
    struct trial t = {.lacks_taker = true};
    run(&t);
    ok_named(ended(t.statuses[0], 0) && ended(t.statuses[1], 2), "without a taker nothing is passed on in the ring");
    ok_named(ended(t.statuses[2], 0), "the frames come through the pipe");
}

static void test_leaving(void)
{
    struct trial first = {.leaves = {LEAVES_AFTER}}, between = {.leaves = {0, LEAVES_AFTER}},
                 last = {.leaves = {0, 0, LEAVES_AFTER}};
    run(&first);
    ok_named(ended(first.statuses[1], 3) && ended(first.statuses[2], 1), "the end comes early if the writer ends");
    run(&between);
    ok_named(left_by_pipe(between.statuses[0]), "the writer notices if the stage between has left");
    ok_named(ended(between.statuses[2], 1), "and the taker gets the end");
    run(&last);
    ok_named(left_by_pipe(last.statuses[1]), "the stage between notices if the taker has left");
    ok_named(left_by_pipe(last.statuses[0]), "and so does the writer");
}

/* True if a taker refuses a note of the LEN bytes before END, when the writer has written 100. */
static bool is_refused(uint64_t end, uint32_t len)
{
    struct tm_ring ring, writer;
    struct tm_ring_part part;
    struct tm_error err = {0};
    uint8_t note[TM_RING_NOTE_BYTES];
    int memory = tm_ring_make(), other = dup(memory), fds[2];
    if (memory < 0 || other < 0 || pipe(fds) != 0)
        return false;
    set_rings(-1, other, memory);
    tm_ring_attach(&ring, false, fds[0]);
    tm_ring_attach(&writer, true, fds[1]);
    tm_ring_add(&writer, 100);
    enum tm_status st = tm_ring_show(&writer, &err);
    tm_ring_note_put(note, end, len);
    if (st == TM_OK)
        st = tm_ring_take(&ring, note, &part, &err);
    bool is_right = st < 0 || (part.len == len && part.consumed == end);
    tm_ring_detach(&ring);
    tm_ring_detach(&writer);
    (void)close(fds[0]);
    (void)close(fds[1]);
    return st == TM_E_SYSTEM || !is_right;
}

static void test_notes(void)
{
    ok_named(!is_refused(100, 100) && !is_refused(50, 20) && !is_refused(70, 0), "notes of what was written are taken");
    ok_named(is_refused(101, 1), "a note of bytes that were not written is refused");
    ok_named(is_refused(50, 51), "a note of bytes that were given back is refused");
    ok_named(is_refused(UINT64_MAX, 1), "a note before the start is refused");
}

/* Attaches both ends of a ring to READER and WRITER, and FDS, a pipe. */
static bool join(struct tm_frame_reader *reader, struct tm_frame_writer *writer, int fds[2])
{
    int memory = tm_ring_make(), other = dup(memory);
    if (memory < 0 || other < 0 || pipe(fds) != 0)
        return false;
    set_rings(memory, other, -1);
    tm_frame_reader_init(reader, fds[0]);
    tm_frame_writer_init(writer, fds[1]);
    tm_ring_attach(&reader->ring, false, fds[0]);
    tm_ring_attach(&writer->ring, true, fds[1]);
    return reader->ring.bytes && writer->ring.bytes;
}

/* A frame in a ring has no checksum. It gets one when it leaves for a pipe. */
static void test_checksum(void)
{
    struct tm_frame_reader reader, last;
    struct tm_frame_writer writer, onward;
    struct tm_frame frame;
    struct tm_error err = {0};
    int fds[2], next[2];
    if (!ok_named(join(&reader, &writer, fds) && pipe(next) == 0, "a ring and a pipe"))
        return;
    is_int(tm_frame_write(&writer, TYPE_READ, &(struct tm_piece){"body", 4}, 1, &err), TM_OK);
    is_int(tm_frame_flush(&writer, &err), TM_OK);
    is_int(tm_frame_read(&reader, &frame, &err), TM_OK);
    ok(frame.body_bytes == 4 && memcmp(frame.body, "body", 4) == 0 && frame.whole == NULL);
    ok_named(tm_get_le64(frame.body + 5) == 0, "nothing is computed for a frame in a ring");
    tm_frame_writer_init(&onward, next[1]);
    tm_frame_reader_init(&last, next[0]);
    is_int(tm_frame_forward(&onward, &frame, &err), TM_OK);
    is_int(tm_frame_flush(&onward, &err), TM_OK);
    is_int(tm_frame_read(&last, &frame, &err), TM_OK);
    ok_named(frame.whole && tm_get_le64(frame.body + 5) != 0, "in a pipe the frame has its checksum");
    tm_frame_writer_release(&writer);
    tm_frame_writer_release(&onward);
    tm_frame_reader_release(&reader);
    tm_frame_reader_release(&last);
    for (int i = 0; i < 2; i++) {
        (void)close(fds[i]);
        (void)close(next[i]);
    }
}

/* What another process writes over a frame in a ring does not change a frame that was copied. */
static void test_copy(void)
{
    enum { BODY_BYTES = 5000 };
    static uint8_t body[BODY_BYTES];
    struct tm_frame_reader reader;
    struct tm_frame_writer writer;
    struct tm_frame frame;
    struct tm_error err = {0};
    int fds[2];
    if (!ok_named(join(&reader, &writer, fds), "a ring"))
        return;
    reader.copies_shared = true;
    for (int i = 0; i < 3; i++) {
        memset(body, 'a' + i, sizeof body);
        is_int(tm_frame_write(&writer, TYPE_READ, &(struct tm_piece){body, sizeof body}, 1, &err), TM_OK);
        is_int(tm_frame_flush(&writer, &err), TM_OK);
        is_int(tm_frame_read(&reader, &frame, &err), TM_OK);
        memset(writer.ring.bytes, 0xff, TM_RING_BYTES);
        ok_named(frame.type == TYPE_READ && frame.body_bytes == sizeof body &&
                     memcmp(frame.body, body, sizeof body) == 0,
                 "the frame is as it was checked");
    }
    tm_frame_writer_release(&writer);
    tm_frame_reader_release(&reader);
    for (int i = 0; i < 2; i++)
        (void)close(fds[i]);
}

int main(void)
{
    int memory = tm_ring_make();
    if (memory >= 0) {
        (void)close(memory);
        test_all();
        test_stand_in();
        test_leaving();
        test_notes();
        test_checksum();
        test_copy();
    } else {
        ok_named(true, "frames in a ring # SKIP this system has no shared memory");
    }
    return tap_done();
}
