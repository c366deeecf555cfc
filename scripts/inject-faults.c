/* Stands before the C library's functions (LD_PRELOAD) and makes one call, or all from one on, fail. Only calls on files in one
   folder count, so that the program starts and its messages come out. For glibc. scripts/check-faults uses it.

   FAULT_FOLDER  absolute path without symbolic links; calls on files outside it are left alone
   FAULT_OPS     which calls count, separated by commas: write, sync, rename, truncate, unlink, open, mkdir, link, mmap, read,
                 close
   FAULT_AT      the number of the call that fails, from 1; 0 only counts
   FAULT_ERROR   ENOSPC, EIO, EMFILE, EACCES, EDQUOT, EINTR, ENOMEM; short: half of the bytes are written; kill: the process
                 is killed instead of making the call, as a power cut would
   FAULT_LASTS   1: every later call fails too, and where the error is "short" they fail with ENOSPC
   FAULT_LOG     a file that gets a line with number, name and path for the call that fails, or for every call when counting */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *folder;
static size_t folder_length;
static const char *ops;
static unsigned long at;
static int number;
static int is_short, is_kill, lasts;
static const char *log_path;
static atomic_ulong calls;
static atomic_int is_ready;

static const struct { const char *name; int number; } errors[] = {
  {"ENOSPC", ENOSPC}, {"EIO", EIO}, {"EMFILE", EMFILE}, {"EACCES", EACCES}, {"EDQUOT", EDQUOT}, {"EINTR", EINTR},
  {"ENOMEM", ENOMEM}, {"short", ENOSPC}, {"kill", EIO},
};

__attribute__((constructor)) static void prepare(void) {
  const char *text = getenv("FAULT_ERROR");
  folder = getenv("FAULT_FOLDER");
  ops = getenv("FAULT_OPS");
  log_path = getenv("FAULT_LOG");
  at = getenv("FAULT_AT") ? strtoul(getenv("FAULT_AT"), NULL, 10) : 0;
  lasts = getenv("FAULT_LASTS") && !strcmp(getenv("FAULT_LASTS"), "1");
  if (!folder || !ops) return;
  folder_length = strlen(folder);
  number = EIO;
  for (size_t i = 0; text && i < sizeof errors / sizeof *errors; i++)
    if (!strcmp(text, errors[i].name)) number = errors[i].number;
  is_short = text && !strcmp(text, "short");
  is_kill = text && !strcmp(text, "kill");
  is_ready = 1;
}

static int is_counted(const char *op) {
  size_t length = strlen(op);
  for (const char *rest = ops; rest && *rest;) {
    const char *end = strchrnul(rest, ',');
    if ((size_t)(end - rest) == length && !strncmp(rest, op, length)) return 1;
    rest = *end ? end + 1 : end;
  }
  return 0;
}

/* The path behind a descriptor; nothing for what has none. */
static const char *path_of(int descriptor, char *buffer) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, buffer, PATH_MAX);
  buffer[length < 0 ? 0 : length] = 0;
  return buffer;
}

static const char *full(int parent, const char *path, char *buffer) {
  if (!path || *path == '/') return path;
  if (parent == AT_FDCWD) {
    if (!getcwd(buffer, PATH_MAX)) return path;
  } else {
    path_of(parent, buffer);
  }
  size_t length = strlen(buffer);
  snprintf(buffer + length, PATH_MAX + 1 - length, "/%s", path);
  return buffer;
}

static void note(unsigned long count, const char *op, const char *path) {
  char line[PATH_MAX + 64];
  if (!log_path) return;
  int length = snprintf(line, sizeof line, "%lu %s %s\n", count, op, path);
  long file = syscall(SYS_openat, AT_FDCWD, log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return;
  syscall(SYS_write, file, line, length);
  syscall(SYS_close, file);
}

/* Whether the call is to fail: 0 no, 1 yes (errno is set), 2 it is to write half of its bytes. */
static int fails(const char *op, const char *path) {
  if (!is_ready || !path || !is_counted(op)) return 0;
  if (strncmp(path, folder, folder_length) || (path[folder_length] && path[folder_length] != '/')) return 0;
  unsigned long count = atomic_fetch_add(&calls, 1) + 1;
  int isThis = at && (count == at || (lasts && count > at));
  if (!at || count == at) note(count, op, path);
  if (!isThis) return 0;
  if (is_kill) kill(getpid(), SIGKILL);
  if (is_short && !strcmp(op, "write") && count == at) return 2;
  errno = number;
  return 1;
}

static int fails_at(const char *op, int parent, const char *path) {
  char buffer[PATH_MAX + 2];
  return is_ready ? fails(op, full(parent, path, buffer)) : 0;
}

static int fails_fd(const char *op, int descriptor) {
  char buffer[PATH_MAX + 2];
  int before = errno;
  if (!is_ready || !is_counted(op)) return 0;
  int result = fails(op, path_of(descriptor, buffer));
  if (result != 1) errno = before;
  return result;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* write */
#define HALF(count, answer) do { if (answer == 1) return -1; if (answer == 2 && count > 1) count /= 2; } while (0)

ssize_t write(int fd, const void *bytes, size_t count) {
  int answer = fails_fd("write", fd);
  HALF(count, answer);
  return NEXT(write)(fd, bytes, count);
}
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
  int answer = fails_fd("write", fd);
  HALF(count, answer);
  return NEXT(pwrite)(fd, bytes, count, offset);
}
ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
  int answer = fails_fd("write", fd);
  HALF(count, answer);
  return NEXT(pwrite64)(fd, bytes, count, offset);
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
  int answer = fails_fd("write", fd);
  HALF(count, answer);
  return NEXT(writev)(fd, parts, count);
}
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  int answer = fails_fd("write", fd);
  HALF(count, answer);
  return NEXT(pwritev)(fd, parts, count, offset);
}
ssize_t sendfile(int out, int in, off_t *offset, size_t count) {
  if (fails_fd("write", out) == 1) return -1;
  return NEXT(sendfile)(out, in, offset, count);
}
ssize_t sendfile64(int out, int in, off64_t *offset, size_t count) {
  if (fails_fd("write", out) == 1) return -1;
  return NEXT(sendfile64)(out, in, offset, count);
}
ssize_t copy_file_range(int in, off64_t *from, int out, off64_t *to, size_t count, unsigned flags) {
  if (fails_fd("write", out) == 1) return -1;
  return NEXT(copy_file_range)(in, from, out, to, count, flags);
}
int posix_fallocate(int fd, off_t offset, off_t length) {
  return fails_fd("truncate", fd) ? number : NEXT(posix_fallocate)(fd, offset, length);
}

/* read */
ssize_t read(int fd, void *bytes, size_t count) { return fails_fd("read", fd) ? -1 : NEXT(read)(fd, bytes, count); }
ssize_t pread(int fd, void *bytes, size_t count, off_t offset) {
  return fails_fd("read", fd) ? -1 : NEXT(pread)(fd, bytes, count, offset);
}
ssize_t pread64(int fd, void *bytes, size_t count, off64_t offset) {
  return fails_fd("read", fd) ? -1 : NEXT(pread64)(fd, bytes, count, offset);
}

/* sync */
int fsync(int fd) { return fails_fd("sync", fd) ? -1 : NEXT(fsync)(fd); }
int fdatasync(int fd) { return fails_fd("sync", fd) ? -1 : NEXT(fdatasync)(fd); }

/* rename, link, unlink, mkdir */
int rename(const char *from, const char *to) { return fails_at("rename", AT_FDCWD, to) ? -1 : NEXT(rename)(from, to); }
int renameat(int a, const char *from, int b, const char *to) {
  return fails_at("rename", b, to) ? -1 : NEXT(renameat)(a, from, b, to);
}
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
  return fails_at("rename", b, to) ? -1 : NEXT(renameat2)(a, from, b, to, flags);
}
int link(const char *from, const char *to) { return fails_at("link", AT_FDCWD, to) ? -1 : NEXT(link)(from, to); }
int linkat(int a, const char *from, int b, const char *to, int flags) {
  return fails_at("link", b, to) ? -1 : NEXT(linkat)(a, from, b, to, flags);
}
int symlink(const char *from, const char *to) { return fails_at("link", AT_FDCWD, to) ? -1 : NEXT(symlink)(from, to); }
int unlink(const char *path) { return fails_at("unlink", AT_FDCWD, path) ? -1 : NEXT(unlink)(path); }
int unlinkat(int parent, const char *path, int flags) {
  return fails_at("unlink", parent, path) ? -1 : NEXT(unlinkat)(parent, path, flags);
}
int rmdir(const char *path) { return fails_at("unlink", AT_FDCWD, path) ? -1 : NEXT(rmdir)(path); }
int remove(const char *path) { return fails_at("unlink", AT_FDCWD, path) ? -1 : NEXT(remove)(path); }
int mkdir(const char *path, mode_t mode) { return fails_at("mkdir", AT_FDCWD, path) ? -1 : NEXT(mkdir)(path, mode); }
int mkdirat(int parent, const char *path, mode_t mode) {
  return fails_at("mkdir", parent, path) ? -1 : NEXT(mkdirat)(parent, path, mode);
}

/* truncate */
int truncate(const char *path, off_t size) {
  return fails_at("truncate", AT_FDCWD, path) ? -1 : NEXT(truncate)(path, size);
}
int truncate64(const char *path, off64_t size) {
  return fails_at("truncate", AT_FDCWD, path) ? -1 : NEXT(truncate64)(path, size);
}
int ftruncate(int fd, off_t size) { return fails_fd("truncate", fd) ? -1 : NEXT(ftruncate)(fd, size); }
int ftruncate64(int fd, off64_t size) { return fails_fd("truncate", fd) ? -1 : NEXT(ftruncate64)(fd, size); }

/* open */
#define MODE(flags, mode) \
  mode_t mode = 0; \
  if (((flags) & O_CREAT) || ((flags) & O_TMPFILE) == O_TMPFILE) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); }

int open(const char *path, int flags, ...) {
  MODE(flags, mode);
  return fails_at("open", AT_FDCWD, path) ? -1 : NEXT(open)(path, flags, mode);
}
int open64(const char *path, int flags, ...) {
  MODE(flags, mode);
  return fails_at("open", AT_FDCWD, path) ? -1 : NEXT(open64)(path, flags, mode);
}
int openat(int parent, const char *path, int flags, ...) {
  MODE(flags, mode);
  return fails_at("open", parent, path) ? -1 : NEXT(openat)(parent, path, flags, mode);
}
int openat64(int parent, const char *path, int flags, ...) {
  MODE(flags, mode);
  return fails_at("open", parent, path) ? -1 : NEXT(openat64)(parent, path, flags, mode);
}
FILE *fopen(const char *path, const char *mode) {
  return fails_at("open", AT_FDCWD, path) ? NULL : NEXT(fopen)(path, mode);
}

int close(int fd) {
  int answer = fails_fd("close", fd);
  int result = NEXT(close)(fd);
  if (!answer) return result;
  errno = number;
  return -1;
}

/* mmap of files: how a log's index grows, and how tables are read */
void *mmap(void *place, size_t size, int protection, int flags, int fd, off_t offset) {
  if (fd >= 0 && fails_fd("mmap", fd)) return MAP_FAILED;
  return NEXT(mmap)(place, size, protection, flags, fd, offset);
}
void *mmap64(void *place, size_t size, int protection, int flags, int fd, off64_t offset) {
  if (fd >= 0 && fails_fd("mmap", fd)) return MAP_FAILED;
  return NEXT(mmap64)(place, size, protection, flags, fd, offset);
}
