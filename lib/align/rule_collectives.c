/* Collective operations of NCCL, RCCL, Gloo and MPI as profilers record them: no rank can leave before all have
 * arrived.
 *
 * PyTorch Kineto (torch/csrc/distributed/c10d/ParamCommsUtils.hpp, libkineto's output of metadata) writes the arguments
 * "Collective name", "Process Group Name", "Process Group Ranks", "Group size", "Seq" and, in some versions, "Comms Id"
 * at kernels and at record_param_comms. A kernel runs until the operation ends. The records of the CPU may return
 * earlier, so they are used only in files without kernels. */
#include "align/rule.h"
#include "base/hash.h"

enum { SEED_NUMBERED = 7, SEED_GROUP = 8, SEED_PAIR = 9, WORD_MAX = 64 };
enum { GRADE_PARAMETERS = 1, GRADE_ANNOTATION, GRADE_DEVICE_ANNOTATION, GRADE_KERNEL };

/* Writes the letters of TEXT to WORD in lower case. */
static void letters_of(struct tm_text text, char *word)
{
    size_t n = 0;
    for (size_t i = 0; i < text.len && n + 1 < WORD_MAX; i++) {
        uint8_t c = text.data[i];
        if (c >= 'A' && c <= 'Z')
            c = (uint8_t)(c | 0x20);
        if (c >= 'a' && c <= 'z')
            word[n++] = (char)c;
    }
    word[n] = '\0';
}

/* Returns the operation that WORD names, or NULL. An operation that no rank leaves before all have arrived is a
 * constant text. If it is one of a pair, send or recv, the result is WORD itself. */
static const char *find_operation(const char *word)
{
    static const char *const operations[] = {"allreduce", "reducescatter", "allgather",
                                             "alltoall",  "barrier",       "sendrecv"};
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (strstr(word, operations[i]))
            return operations[i];
    return strcmp(word, "send") == 0 || strcmp(word, "recv") == 0 ? word : NULL;
}

static inline bool starts(struct tm_text text, const char *with)
{
    return text.len >= strlen(with) && memcmp(text.data, with, strlen(with)) == 0;
}

static int grade_of(const struct tm_align_event *event)
{
    if (starts(event->name, "ncclKernel") || starts(event->name, "ncclDevKernel") ||
        starts(event->name, "rcclKernel") || starts(event->name, "rcclDevKernel") || starts(event->name, "mscclKernel"))
        return GRADE_KERNEL;
    if (starts(event->name, "nccl:") || starts(event->name, "rccl:") || starts(event->name, "gloo:") ||
        starts(event->name, "mpi:") || starts(event->name, "MPI_"))
        return tm_text_is(event->category, "gpu_user_annotation") ? GRADE_DEVICE_ANNOTATION : GRADE_ANNOTATION;
    return tm_text_is(event->name, "record_param_comms") ? GRADE_PARAMETERS : 0;
}

static inline uint64_t mix_arg(const struct tm_align_event *event, const char *key, uint64_t seed)
{
    const struct tm_align_arg *arg = tm_align_arg(event, key);
    return arg ? tm_align_arg_hash(arg, seed) : seed;
}

static inline bool find_number(const struct tm_align_event *event, const char *key, int64_t *number)
{
    const struct tm_align_arg *arg = tm_align_arg(event, key);
    if (arg == NULL || arg->text.data)
        return false;
    *number = (int64_t)arg->number;
    return true;
}

/* Returns a hash of a message's type and size. Messages that differ in them do not match. */
static uint64_t message_of(const struct tm_align_event *event)
{
    return mix_arg(event, "dtype", mix_arg(event, "In msg nelems", SEED_PAIR));
}

/* A send from SRC to DST and its receive have one key. Without "Seq" the nth send from SRC to DST is the nth
 * receive. */
static void put_pair(const struct tm_align_event *event, bool sends, struct tm_record *record, tm_align_put *put,
                     void *context)
{
    int64_t src = 0, dst = 0;
    if (!find_number(event, "Src Rank", &src) || !find_number(event, "Dst Rank", &dst) || src == dst)
        record->form = TM_MATCH_NOTHING;
    if (record->form == TM_MATCH_NOTHING) {
        put(context, record, false);
        return;
    }
    const uint64_t ranks[] = {(uint64_t)src, (uint64_t)dst};
    uint64_t seed = mix_arg(event, "Process Group Ranks", mix_arg(event, "Process Group Name", SEED_PAIR));
    bool is_numbered = tm_align_arg(event, "Seq") != NULL;
    record->key = mix_arg(event, "Seq", tm_hash64_numbers(ranks, 2, seed));
    if (!is_numbered)
        record->symbol = message_of(event);
    record->role = sends ? TM_ROLE_CAUSE : TM_ROLE_EFFECT;
    record->form = TM_MATCH_SEND;
    put(context, record, !is_numbered);
}

void tm_align_take_collectives(const struct tm_align_use *use, const struct tm_align_event *event, tm_align_put *put,
                               void *context)
{
    char word[WORD_MAX];
    int64_t seq;
    const struct tm_align_arg *named;
    int grade = event->is_slice && event->name.data ? grade_of(event) : 0;
    (void)use;
    if (grade == 0)
        return;
    named = tm_align_arg(event, "Collective name");
    letters_of(named && named->text.data ? named->text : event->name, word);
    if (strstr(word, "coalesced") && grade != GRADE_KERNEL)
        return;
    if (named == NULL && strncmp(word, "nccl", 4) == 0 && grade == GRADE_ANNOTATION)
        memmove(word, word + 4, strlen(word + 4) + 1);
    const char *operation = find_operation(word);
    if (operation == NULL)
        return;
    struct tm_record record = {.begin_ns = event->begin_ns,
                               .end_ns = event->end_ns,
                               .role = TM_ROLE_EQUAL,
                               .form = TM_MATCH_COLLECTIVE,
                               .grade = (uint8_t)grade};
    record.operation = strcmp(operation, "alltoall") == 0                    ? TM_OPERATION_ALL_TO_ALL
                       : operation == word                                   ? TM_OPERATION_PAIR
                       : strcmp(operation, "sendrecv") == 0 && named == NULL ? TM_OPERATION_SEND_RECV
                                                                             : 0;
    if (operation == word) {
        put_pair(event, word[0] == 's', &record, put, context);
        return;
    }
    uint64_t group =
        mix_arg(event, "Process Group Ranks", mix_arg(event, "Process Group Name", SEED_GROUP + (uint64_t)grade));
    if (find_number(event, "Seq", &seq) && seq >= 0) {
        record.key = tm_hash64_seed(operation, strlen(operation), mix_arg(event, "Seq", group + SEED_NUMBERED));
        put(context, &record, false);
        return;
    }
    record.key = mix_arg(event, "Group size", mix_arg(event, "Comms Id", group));
    record.symbol = mix_arg(event, "dtype", mix_arg(event, "In msg nelems", tm_hash64(operation, strlen(operation))));
    put(context, &record, true);
}
