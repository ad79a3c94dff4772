/* Tests t/lib/internal_memory.c: dlsym finds what loaded libraries have, and misses the rest without a message, and
 * memory of the sanitizers' run-time library lies in the array, or is allocated if that is full. */
#define _GNU_SOURCE
#include "tap.h"

#ifdef __SANITIZE_ADDRESS__
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { COPIES = 1000 };

__attribute__((weak)) char *copy_of(const char *text) __asm__("_ZN11__sanitizer15internal_strdupEPKc");
__attribute__((weak)) void free_internal(void *memory, void *cache)
    __asm__("_ZN11__sanitizer12InternalFreeEPvPNS_30SizeClassAllocator32LocalCacheINS_20SizeClassAllocator32INS_"
            "4AP32EEEEE");

/* True if each loaded library has the hash table by which a look tells that it lacks a symbol. Those of some kernels'
 * vdso have another. */
static bool all_have_tables(void *libc)
{
    const struct link_map *library = NULL;
    if (dlinfo(libc, RTLD_DI_LINKMAP, &library) != 0)
        return false;
    while (library->l_prev != NULL)
        library = library->l_prev;
    for (library = library->l_next; library != NULL; library = library->l_next) {
        const ElfW(Dyn) *entry = library->l_ld;
        while (entry->d_tag != DT_NULL && entry->d_tag != DT_GNU_HASH)
            entry++;
        if (entry->d_tag == DT_NULL)
            return false;
    }
    return true;
}

/* sys_errlist is in libc.so.6 only for programs that were linked long ago. */
static void test_symbols_of_a_library(void)
{
    static const char *const NAMES[] = {"getpid", "labs", "environ", "stderr", "sys_errlist", "getpid_", "no_such", ""};
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    for (unsigned i = 0; libc != NULL && i < sizeof NAMES / sizeof *NAMES; i++) {
        dlerror();
        void *found = dlsym(RTLD_NEXT, NAMES[i]), *anywhere = dlsym(RTLD_DEFAULT, NAMES[i]);
        ok(dlerror() == NULL || !all_have_tables(libc));
        ok(found == dlsym(libc, NAMES[i]));
        ok((found == NULL) == (anywhere == NULL));
        ok((found == NULL) == (i > 3));
    }
    ok(libc != NULL);
}

/* The names are all that the C library's table of strings has. */
static void test_each_symbol_of_a_library(void)
{
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    struct link_map *map = NULL;
    const char *names = NULL;
    size_t bytes = 0, found = 0, missed = 0;
    ok(libc != NULL && dlinfo(libc, RTLD_DI_LINKMAP, &map) == 0);
    for (const ElfW(Dyn) *entry = map ? map->l_ld : NULL; entry && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_STRTAB)
            names = (const char *)entry->d_un.d_ptr; /* glibc relocates it */
        else if (entry->d_tag == DT_STRSZ)
            bytes = entry->d_un.d_val;
    for (size_t at = 0; names != NULL && at < bytes; at += strlen(names + at) + 1) {
        if (dlsym(libc, names + at) == NULL)
            continue;
        found++;
        missed += dlsym(RTLD_NEXT, names + at) == NULL;
    }
    ok(found > 1000);
    is_int(missed, 0);
}

static void test_messages_about_one_library(void)
{
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    ok(dlsym(libc, "no_such") == NULL);
    ok(dlerror() != NULL);
}

static void test_memory_in_the_array_and_beyond_it(void)
{
    static char *copies[COPIES];
    char *first = copy_of("first"), *second = copy_of("second");
    ok(second == first + 16); /* one behind the other */
    free_internal(second, NULL);
    free_internal(first, NULL);
    char text[64];
    for (unsigned i = 0; i < COPIES; i++) {
        snprintf(text, sizeof text, "a name of a library that is loaded %u", i);
        copies[i] = copy_of(text);
    }
    unsigned same = 0;
    for (unsigned i = 0; i < COPIES; i++) {
        snprintf(text, sizeof text, "a name of a library that is loaded %u", i);
        same += strcmp(copies[i], text) == 0 && (uintptr_t)copies[i] % 16 == 0;
        free_internal(copies[i], NULL);
    }
    is_int(same, COPIES);
}

int main(void)
{
    test_symbols_of_a_library();
    test_each_symbol_of_a_library();
    test_messages_about_one_library();
    if (copy_of != NULL && free_internal != NULL)
        test_memory_in_the_array_and_beyond_it();
    return tap_done();
}
#else
int main(void)
{
    return tap_skip("the build has no sanitizer");
}
#endif
