#include "os/sqlite.h"

#include "config.h"

#include "os/library.h"

#include <pthread.h>

#define FUNCTIONS(X) X(auto_extension) X(cancel_auto_extension) X(close) X(open)

static struct {
#define MEMBER(name) __typeof__(sqlite3_##name) name;
    FUNCTIONS(MEMBER)
} functions;

#define NAME(name) "sqlite3_" #name,
static const char *const names[] = {FUNCTIONS(NAME)};
static struct tm_library library = {SQLITE_SONAME, names, sizeof names / sizeof *names, &functions, false};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

const sqlite3_api_routines *sqlite3_api;

/* An extension whose only task is to receive API. */
static int take_api(sqlite3 *db, char **message, const sqlite3_api_routines *api)
{
    (void)db, (void)message;
    sqlite3_api = api;
    return SQLITE_OK;
}

/* SQLite passes its table of functions only to extensions of an open database. Source: "Statically Linking A Run-Time
 * Loadable Extension" and sqlite3_auto_extension in SQLite's manual. */
static enum tm_status find_api(struct tm_error *err)
{
    sqlite3 *db = NULL;
    void (*extension)(void) = (void (*)(void))take_api;
    int rc = functions.auto_extension(extension);
    if (rc == SQLITE_OK)
        rc = functions.open(":memory:", &db);
    (void)functions.close(db);
    (void)functions.cancel_auto_extension(extension);
    if (rc == SQLITE_NOMEM)
        return tm_error_nomem(err);
    return rc == SQLITE_OK && sqlite3_api
               ? TM_OK
               : tm_error_set(err, TM_E_SYSTEM, "%s: cannot be used: result code %d", SQLITE_SONAME, rc);
}

enum tm_status tm_sqlite_load(struct tm_error *err)
{
    (void)pthread_mutex_lock(&lock);
    enum tm_status st = tm_library_load(&library, err);
    if (st == TM_OK && sqlite3_api == NULL)
        st = find_api(err);
    (void)pthread_mutex_unlock(&lock);
    return st;
}
