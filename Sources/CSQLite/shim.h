// SQLite for Swift, with what Swift cannot spell.
#pragma once
#include <sqlite3.h>

/// Binds text that SQLite copies before the call returns: SQLITE_TRANSIENT casts -1 to a function pointer. An empty Swift
/// buffer may have no address, which SQLite would take for NULL.
static inline int hermes_sqlite3_bind_text(sqlite3_stmt *statement, int index, const char *text, int byte_count) {
  return sqlite3_bind_text(statement, index, text ? text : "", byte_count, SQLITE_TRANSIENT);
}
