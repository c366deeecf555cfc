#include <stdint.h>

// What both sides are compared with: SQLite's C API, as one would write it by hand for this one job.
// All functions return SQLITE_OK or SQLite's result code.

typedef struct {
  int64_t rows;
  int64_t first;
  int64_t second;
} YardstickSums;

/// Runs all statements of a text.
int yardstick_execute(const char *path, const char *sql);

/// One row of up to three integers.
int yardstick_query(const char *path, const char *sql, YardstickSums *sums);

/// Steps through two columns of integers and adds them up.
int yardstick_walk(const char *path, const char *sql, YardstickSums *sums);

/// Looks for items with the codes 1 to `count` one by one; compares those that are there, and inserts the others.
/// One transaction for every `batch` records. `rows` is how many were made.
int yardstick_find_or_create(const char *path, int64_t count, int64_t batch, YardstickSums *sums);
