#include "os/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static enum tm_status load(struct tm_library *library, struct tm_error *err)
{
    void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        return tm_error_set(err, TM_E_SYSTEM, "cannot load a library: %s", dlerror());
    for (size_t i = 0; i < library->count; i++) {
        void *function = dlsym(handle, library->symbols[i]);
        if (function == NULL)
            return tm_error_set(err, TM_E_SYSTEM, "%s: has no function %s", library->file, library->symbols[i]);
        memcpy((char *)library->functions + i * sizeof function, &function, sizeof function);
    }
    library->is_loaded = true;
    return TM_OK;
}

enum tm_status tm_library_load(struct tm_library *library, struct tm_error *err)
{
    (void)pthread_mutex_lock(&lock);
    enum tm_status st = library->is_loaded ? TM_OK : load(library, err);
    (void)pthread_mutex_unlock(&lock);
    return st;
}
