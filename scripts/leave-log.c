/* usage: leave-log STORE
   Puts a store into WAL mode, changes it, and ends as a killed program does: what it wrote is in the log alone. */
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

int main(int count, char **words) {
  sqlite3 *store;
  if (count != 2 || sqlite3_open(words[1], &store) != SQLITE_OK) return 1;
  const char *sql =
    "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; UPDATE ZITEM SET ZNAME = 'in the log', Z_OPT = Z_OPT + 1 "
    "WHERE Z_PK % 3 = 0;";
  char *message = NULL;
  if (sqlite3_exec(store, sql, NULL, NULL, &message) != SQLITE_OK) {
    fprintf(stderr, "%s\n", message);
    return 1;
  }
  _exit(0);
}
