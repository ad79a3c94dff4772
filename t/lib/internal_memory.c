/* Makes the memory of the sanitizers' run-time library cheaper for short programs.
 *
 * The first use of its internal allocator, and the first one of each size, write to hundreds of pages, which takes a
 * third of the time of a short process. Such a process uses it in two cases only, which are replaced:
 * - For the messages of failed dlsym calls. At its start the run-time library looks for functions of many libraries.
 *   A look into the hash tables of the loaded libraries shows which ones are missing.
 * - For the names and addresses of the loaded libraries. They lie in an array here.
 *
 * The linker makes __wrap_X of each call of X in a sanitized program (--wrap). The code runs before the program's own
 * constructors, and beside an allocator that is locked: it allocates nothing. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NOT_SANITIZED __attribute__((no_sanitize("address", "undefined")))

/* void *InternalAlloc(uptr size, Cache *cache, uptr alignment), void InternalFree(void *, Cache *) in __sanitizer, with
 * the types of 64-bit machines. In a run-time library that has others nothing is replaced. */
#define CACHE "PNS_30SizeClassAllocator32LocalCacheINS_20SizeClassAllocator32INS_4AP32EEEEE"

enum { ARRAY_BYTES = 8192, ALIGNMENT = 16, BITS_OF_WORD = 8 * sizeof(ElfW(Addr)), HIDDEN = 0x8000, BASE_VERSIONS = 2 };

const char *__asan_default_options(void);
void *__real_dlsym(void *handle, const char *name);
void *__wrap_dlsym(void *handle, const char *name);
__attribute__((weak)) void *real_alloc(size_t size, void *cache, size_t alignment)
    __asm__("__real__ZN11__sanitizer13InternalAllocEm" CACHE "m");
__attribute__((weak)) void real_free(void *memory, void *cache)
    __asm__("__real__ZN11__sanitizer12InternalFreeEPv" CACHE);
void *wrap_alloc(size_t size, void *cache, size_t alignment)
    __asm__("__wrap__ZN11__sanitizer13InternalAllocEm" CACHE "m");
void wrap_free(void *memory, void *cache) __asm__("__wrap__ZN11__sanitizer12InternalFreeEPv" CACHE);

/* What is freed is not used again. */
static struct {
    _Alignas(ALIGNMENT) char bytes[ARRAY_BYTES];
    size_t used;
} array;

/* The tables of a library that find a symbol (DT_GNU_HASH). Without them `hash' is NULL. */
struct tables {
    const uint32_t *hash;
    const ElfW(Sym) *symbols;
    const char *names;
    const uint16_t *versions; /* NULL if symbols have none */
};

/* Loaders leave addresses relative in a dynamic section that is read-only. */
NOT_SANITIZED static const void *address_of(const struct link_map *library, ElfW(Addr) value)
{
    return (const void *)(value < library->l_addr ? value + library->l_addr : value);
}

NOT_SANITIZED static struct tables tables_of(const struct link_map *library)
{
    struct tables tables = {NULL, NULL, NULL, NULL};
    for (const ElfW(Dyn) *entry = library->l_ld; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_GNU_HASH)
            tables.hash = address_of(library, entry->d_un.d_ptr);
        else if (entry->d_tag == DT_SYMTAB)
            tables.symbols = address_of(library, entry->d_un.d_ptr);
        else if (entry->d_tag == DT_STRTAB)
            tables.names = address_of(library, entry->d_un.d_ptr);
        else if (entry->d_tag == DT_VERSYM)
            tables.versions = address_of(library, entry->d_un.d_ptr);
    return tables;
}

NOT_SANITIZED static bool is_same(const char *one, const char *other)
{
    while (*one != '\0' && *one == *other) {
        one++;
        other++;
    }
    return *one == *other;
}

NOT_SANITIZED static uint32_t hash_of(const char *name)
{
    uint32_t hash = 5381;
    for (; *name != '\0'; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash;
}

/* True if dlsym may find the symbol at AT: it is not only there for programs that were linked long ago. */
NOT_SANITIZED static bool is_current(const struct tables *tables, uint32_t at)
{
    if (tables->versions == NULL)
        return true;
    uint16_t version = tables->versions[at];
    return (version & HIDDEN) == 0 || (version & ~HIDDEN) < BASE_VERSIONS;
}

/* True if dlsym may find a symbol NAME, whose hash is HASH, by TABLES. */
NOT_SANITIZED static bool has(const struct tables *tables, const char *name, uint32_t hash)
{
    uint32_t bucket_count = tables->hash[0], first = tables->hash[1], word_count = tables->hash[2];
    const ElfW(Addr) *words = (const ElfW(Addr) *)(const void *)(tables->hash + 4);
    const uint32_t *buckets = (const uint32_t *)(const void *)(words + word_count), *chains = buckets + bucket_count;
    ElfW(Addr) word = words[hash / BITS_OF_WORD % word_count];
    if ((word >> hash % BITS_OF_WORD & word >> (hash >> tables->hash[3]) % BITS_OF_WORD & 1) == 0)
        return false;
    uint32_t at = buckets[hash % bucket_count];
    for (bool is_last = at < first; !is_last; at++) {
        uint32_t of_symbol = chains[at - first];
        if ((of_symbol | 1) == (hash | 1) && is_current(tables, at) &&
            is_same(tables->names + tables->symbols[at].st_name, name))
            return true;
        is_last = (of_symbol & 1) != 0;
    }
    return false;
}

/* True if no loaded library from FIRST on has a symbol NAME. False if that cannot be known. */
NOT_SANITIZED static bool is_missing(const struct link_map *first, const char *name)
{
    uint32_t hash = hash_of(name);
    for (const struct link_map *library = first; library != NULL; library = library->l_next) {
        struct tables tables = tables_of(library);
        if (tables.hash == NULL || tables.hash[0] == 0 || tables.hash[2] == 0 || has(&tables, name, hash))
            return false;
    }
    return true;
}

NOT_SANITIZED static const struct link_map *loaded(void)
{
    for (const ElfW(Dyn) *entry = _DYNAMIC; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_DEBUG && entry->d_un.d_ptr != 0)
            return ((const struct r_debug *)entry->d_un.d_ptr)->r_map;
    return NULL;
}

/* A symbol that is missing is NULL, without a message of dlerror. */
NOT_SANITIZED void *__wrap_dlsym(void *handle, const char *name)
{
    const struct link_map *first = loaded();
    bool is_next = handle == RTLD_NEXT; /* the caller is in the program, the first of the list */
    if (first != NULL && (is_next || handle == RTLD_DEFAULT) && is_missing(is_next ? first->l_next : first, name))
        return NULL;
    return __real_dlsym(handle, name);
}

/* The shadow of memory of up to 2 MB is cleared by writing it. A new mapping is three calls of the kernel, interrupts
 * other processors, and is written to as soon as the memory is freed. */
NOT_SANITIZED const char *__asan_default_options(void)
{
    return "clear_shadow_mmap_threshold=262144";
}

/* The run-time library states an alignment for memory that it gives to the program before it is ready. It recognises
 * such memory by its address when the program frees it. */
NOT_SANITIZED void *wrap_alloc(size_t size, void *cache, size_t alignment)
{
    size_t at = __atomic_load_n(&array.used, __ATOMIC_RELAXED), end;
    if (cache != NULL || alignment != 0 || real_free == NULL)
        return real_alloc(size, cache, alignment);
    do {
        if (size > ARRAY_BYTES - at)
            return real_alloc(size, cache, alignment);
        end = (at + size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    } while (!__atomic_compare_exchange_n(&array.used, &at, end, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return array.bytes + at;
}

NOT_SANITIZED void wrap_free(void *memory, void *cache)
{
    if ((uintptr_t)memory - (uintptr_t)array.bytes >= ARRAY_BYTES)
        real_free(memory, cache);
}
