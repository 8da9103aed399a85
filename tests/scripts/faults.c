/* cache_faults_test.py preloads this library: calls that access the cache folder FAULT_FOLDER fail, or one of these
 * calls kills the process.
 *
 * FAULT_CALLS  comma-separated: open, write, rename, unlink, flock
 * FAULT_ERRNO  the error number with which these calls fail
 * FAULT_KILL   instead of the n-th call (of any kind, counted from 1), the process kills itself with SIGKILL
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/types.h>
#include <unistd.h>

static int calls;

static int in_folder(const char* path) {
  const char* folder = getenv("FAULT_FOLDER");
  return folder && strncmp(path, folder, strlen(folder)) == 0;
}

static int file_in_folder(int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(link, path, sizeof(path) - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return in_folder(path);
}

/* Whether this call is to fail; errno is set then. */
static int fault(const char* name) {
  const char* number = getenv("FAULT_KILL");
  if (number && __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST) == atoi(number)) kill(getpid(), SIGKILL);
  const char* names = getenv("FAULT_CALLS");
  const char* code = getenv("FAULT_ERRNO");
  if (!names || !code || !strstr(names, name)) return 0;
  errno = atoi(code);
  return 1;
}

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (!real) real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

#define OPEN(function) \
  int function(const char* path, int flags, ...) { \
    REAL(int, #function, const char*, int, ...); \
    va_list rest; \
    va_start(rest, flags); \
    const mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
    va_end(rest); \
    if ((flags & (O_CREAT | O_WRONLY | O_RDWR)) && in_folder(path) && fault("open")) return -1; \
    return real(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

ssize_t write(int fd, const void* bytes, size_t size) {
  REAL(ssize_t, "write", int, const void*, size_t);
  if (file_in_folder(fd) && fault("write")) return -1;
  return real(fd, bytes, size);
}

int rename(const char* from, const char* to) {
  REAL(int, "rename", const char*, const char*);
  if (in_folder(to) && fault("rename")) return -1;
  return real(from, to);
}

int flock(int fd, int how) {
  REAL(int, "flock", int, int);
  if (file_in_folder(fd) && fault("flock")) return -1;
  return real(fd, how);
}

int unlink(const char* path) {
  REAL(int, "unlink", const char*);
  if (in_folder(path) && fault("unlink")) return -1;
  return real(path);
}
