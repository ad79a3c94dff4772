/* The entry points of libFuzzer. TM_FUZZ names the target; t/fuzz/run sets it. */
#include "fuzz.h"

#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static const struct fuzz_target *target;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *name = getenv("TM_FUZZ");
    (void)argc;
    (void)argv;
    target = name ? fuzz_find(name) : NULL;
    if (target == NULL) {
        fprintf(stderr, "TM_FUZZ names no target\n");
        exit(2);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    target->run(target, data, len);
    return 0;
}
