#include "yardstick.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

static int open_log(const char *path, sqlite3 **database) {
  int result = sqlite3_open_v2(path, database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
  if (result == SQLITE_OK)
    result = sqlite3_exec(
        *database, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32768", NULL, NULL, NULL);
  return result;
}

int yardstick_execute(const char *path, const char *sql) {
  sqlite3 *database = NULL;
  int result = open_log(path, &database);
  if (result == SQLITE_OK) result = sqlite3_exec(database, sql, NULL, NULL, NULL);
  if (result != SQLITE_OK) fprintf(stderr, "%s: %s\n", path, sqlite3_errmsg(database));
  sqlite3_close(database);
  return result;
}

int yardstick_query(const char *path, const char *sql, YardstickSums *sums) {
  sqlite3 *database = NULL;
  sqlite3_stmt *statement = NULL;
  int result = open_log(path, &database);
  if (result == SQLITE_OK) result = sqlite3_prepare_v2(database, sql, -1, &statement, NULL);
  if (result == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
    sums->rows = sqlite3_column_int64(statement, 0);
    sums->first = sqlite3_column_int64(statement, 1);
    sums->second = sqlite3_column_int64(statement, 2);
  }
  if (result != SQLITE_OK) fprintf(stderr, "%s: %s\n", path, sqlite3_errmsg(database));
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return result;
}

int yardstick_walk(const char *path, const char *sql, YardstickSums *sums) {
  sqlite3 *database = NULL;
  sqlite3_stmt *statement = NULL;
  int result = open_log(path, &database);
  if (result == SQLITE_OK) result = sqlite3_prepare_v2(database, sql, -1, &statement, NULL);
  if (result == SQLITE_OK) {
    while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
      sums->rows += 1;
      sums->first += sqlite3_column_int64(statement, 0);
      sums->second += sqlite3_column_int64(statement, 1);
    }
    if (result == SQLITE_DONE) result = SQLITE_OK;
  }
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return result;
}

// The values of an item follow from its code, as in Item.swift.
typedef struct {
  int64_t active, code, quantity, rank;
  double height, latitude;
  char category[32], name[32];
} Item;

static void make_item(Item *item, int64_t code) {
  item->active = code % 3 == 0;
  item->code = code;
  item->quantity = code % 1000;
  item->rank = code * 7 % 100003;
  item->height = (double)code * 0.5;
  item->latitude = (double)(code % 180) - 90;
  snprintf(item->category, sizeof item->category, "category %d", (int)(code % 50));
  snprintf(item->name, sizeof item->name, "item number %lld", (long long)code);
}

static int is_same(sqlite3_stmt *row, const Item *item) {
  return sqlite3_column_int64(row, 1) == item->active
      && strcmp((const char *)sqlite3_column_text(row, 2), item->category) == 0
      && sqlite3_column_double(row, 3) == item->height && sqlite3_column_double(row, 4) == item->latitude
      && strcmp((const char *)sqlite3_column_text(row, 5), item->name) == 0
      && sqlite3_column_int64(row, 6) == item->quantity && sqlite3_column_int64(row, 7) == item->rank;
}

static int insert_item(sqlite3_stmt *insert, int64_t key, const Item *item) {
  sqlite3_bind_int64(insert, 1, key);
  sqlite3_bind_int64(insert, 2, item->active);
  sqlite3_bind_text(insert, 3, item->category, -1, SQLITE_STATIC);
  sqlite3_bind_int64(insert, 4, item->code);
  sqlite3_bind_double(insert, 5, item->height);
  sqlite3_bind_double(insert, 6, item->latitude);
  sqlite3_bind_text(insert, 7, item->name, -1, SQLITE_STATIC);
  sqlite3_bind_int64(insert, 8, item->quantity);
  sqlite3_bind_int64(insert, 9, item->rank);
  int result = sqlite3_step(insert);
  sqlite3_reset(insert);
  return result == SQLITE_DONE ? SQLITE_OK : result;
}

int yardstick_find_or_create(const char *path, int64_t count, int64_t batch, YardstickSums *sums) {
  sqlite3 *database = NULL;
  sqlite3_stmt *find = NULL, *insert = NULL, *update = NULL;
  YardstickSums greatest = {0, 0, 0};
  int result = yardstick_query(path, "SELECT max(Z_PK), 0, 0 FROM ZITEM", &greatest);
  int64_t key = greatest.rows;
  if (result == SQLITE_OK) result = open_log(path, &database);
  if (result == SQLITE_OK)
    result = sqlite3_prepare_v2(
        database,
        "SELECT Z_PK, ZACTIVE, ZCATEGORY, ZHEIGHT, ZLATITUDE, ZNAME, ZQUANTITY, ZRANK FROM ZITEM WHERE ZCODE = ?1", -1,
        &find, NULL);
  if (result == SQLITE_OK)
    result = sqlite3_prepare_v2(
        database,
        "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZACTIVE, ZCATEGORY, ZCODE, ZHEIGHT, ZLATITUDE, ZNAME, ZQUANTITY, ZRANK) "
        "VALUES (?1, 1, 1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        -1, &insert, NULL);
  if (result == SQLITE_OK)
    result = sqlite3_prepare_v2(database, "UPDATE Z_PRIMARYKEY SET Z_MAX = ?1 WHERE Z_ENT = 1", -1, &update, NULL);
  for (int64_t code = 1; result == SQLITE_OK && code <= count; code++) {
    if (code % batch == 1) result = sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    Item item;
    make_item(&item, code);
    sqlite3_bind_int64(find, 1, code);
    if (sqlite3_step(find) == SQLITE_ROW) {
      sums->first += is_same(find, &item);
    } else {
      result = insert_item(insert, ++key, &item);
      sums->rows += 1;
    }
    sqlite3_reset(find);
    if (result == SQLITE_OK && (code % batch == 0 || code == count)) {
      sqlite3_bind_int64(update, 1, key);
      sqlite3_step(update);
      sqlite3_reset(update);
      result = sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
    }
  }
  if (result != SQLITE_OK) fprintf(stderr, "%s: %s\n", path, sqlite3_errmsg(database));
  sqlite3_finalize(find);
  sqlite3_finalize(insert);
  sqlite3_finalize(update);
  sqlite3_close(database);
  return result;
}
