#ifndef SEEDBED_CSQLITE_SHIM_H
#define SEEDBED_CSQLITE_SHIM_H

#include <sqlite3.h>

/* Swift imports neither variadic functions nor macros that cast, so these few calls are spelled out here.
   A null pointer would bind NULL: empty text and blobs get some address instead. */

static inline int csqlite_db_config_flag(sqlite3 *db, int option, int value, int *current) {
  return sqlite3_db_config(db, option, value, current);
}

static inline int csqlite_config_memory_statistics(int value) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, value);
}

static inline int csqlite_bind_text_static(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, bytes ? (const char *)bytes : "", count, SQLITE_STATIC, SQLITE_UTF8);
}

static inline int csqlite_bind_text_transient(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, bytes ? (const char *)bytes : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int csqlite_bind_blob_static(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", count, SQLITE_STATIC);
}

static inline int csqlite_bind_blob_transient(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

static inline void csqlite_result_text(sqlite3_context *context, const void *bytes, sqlite3_uint64 count) {
  sqlite3_result_text64(context, (const char *)bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline void csqlite_result_blob(sqlite3_context *context, const void *bytes, sqlite3_uint64 count) {
  sqlite3_result_blob64(context, bytes, count, SQLITE_TRANSIENT);
}

enum {
  CSQLITE_CONSTRAINT_PRIMARY_KEY = SQLITE_CONSTRAINT_PRIMARYKEY,
  CSQLITE_CONSTRAINT_UNIQUE = SQLITE_CONSTRAINT_UNIQUE,
  CSQLITE_CONSTRAINT_ROWID = SQLITE_CONSTRAINT_ROWID,
  CSQLITE_READONLY_ROLLBACK = SQLITE_READONLY_ROLLBACK
};

#endif
