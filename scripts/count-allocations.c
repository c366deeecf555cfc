/* Stands before the C library's functions (LD_PRELOAD) and counts how often they are called, for each thread and for the
   process. The functions whose names begin with seedbed_ are what the tool's stage table asks. With a path in
   ALLOCATION_COUNT, the number of all calls is written there when the process ends. For glibc. */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_ulong of_process;
/* This model needs no allocation of its own when a thread first touches its counter. */
static __thread unsigned long of_thread __attribute__((tls_model("initial-exec")));

static void count(void) {
  of_thread++;
  atomic_fetch_add_explicit(&of_process, 1, memory_order_relaxed);
}

unsigned long seedbed_allocations_of_thread(void) { return of_thread; }
unsigned long seedbed_allocations_of_process(void) { return of_process; }

void *malloc(size_t size) { count(); return __libc_malloc(size); }
void *calloc(size_t number, size_t size) { count(); return __libc_calloc(number, size); }
void *realloc(void *old, size_t size) { count(); return __libc_realloc(old, size); }
void *aligned_alloc(size_t alignment, size_t size) { count(); return __libc_memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  count();
  *result = __libc_memalign(alignment, size);
  return *result ? 0 : ENOMEM;
}

__attribute__((destructor)) static void report(void) {
  const char *path = getenv("ALLOCATION_COUNT");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (file) {
    fprintf(file, "%lu", of_process);
    fclose(file);
  }
}
