// A power cut, as a library to be preloaded: it keeps what every write to the files of a folder has replaced until an fsync covers
// it, and at the cut puts all of that back and ends the process. Locks, renames and memory-mapped files are as at kill -9.
//
// CUT_DIR: the folder. CUT_FILE: when this file appears, it has the number of writes after which the power is cut; then it gets the
// number of writes that were undone. Each fsync takes CUT_SYNC_US microseconds longer.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct change {
  struct change *before;
  dev_t dev;
  ino_t ino;
  off_t offset, size;
  ssize_t length;
  char path[512];
  char bytes[];
};

static struct change *last;
static long countdown = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int is_covered(int fd, char *path, size_t length) {
  const char *folder = getenv("CUT_DIR");
  char link[64];
  if (!folder) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t read = readlink(link, path, length - 1);
  if (read <= 0) return 0;
  path[read] = 0;
  return strncmp(path, folder, strlen(folder)) == 0;
}

static void cut(void) {
  long undone = 0;
  for (struct change *each = last; each; each = each->before, undone++) {
    int fd = open(each->path, O_RDWR);
    if (fd < 0) continue;
    if (each->length > 0) REAL(pwrite)(fd, each->bytes, each->length, each->offset);
    REAL(ftruncate)(fd, each->size);
    close(fd);
  }
  char text[32];
  int fd = open(getenv("CUT_FILE"), O_WRONLY | O_TRUNC);
  int length = snprintf(text, sizeof text, "undone %ld", undone);
  REAL(write)(fd, text, length);
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

static void count_down(void) {
  if (countdown < 0) {
    char text[32] = "";
    int fd = open(getenv("CUT_FILE"), O_RDONLY);
    if (fd < 0) return;
    if (read(fd, text, sizeof text - 1) > 0) countdown = atol(text);
    close(fd);
  }
  if (countdown-- == 0) cut();
}

/** Keeps what is at `offset`, before it is replaced. Called with the lock. */
static void keep(int fd, const char *path, off_t offset, size_t length) {
  struct stat info;
  if (fstat(fd, &info) || !S_ISREG(info.st_mode)) return;
  struct change *change = malloc(sizeof *change + length);
  *change = (struct change){.before = last, .dev = info.st_dev, .ino = info.st_ino, .offset = offset, .size = info.st_size};
  // The descriptor may be for writing only.
  int reader = open(path, O_RDONLY);
  change->length = reader < 0 ? 0 : pread(reader, change->bytes, length, offset);
  if (reader >= 0) close(reader);
  snprintf(change->path, sizeof change->path, "%s", path);
  last = change;
  count_down();
}

static void forget(int fd) {
  struct stat info;
  if (fstat(fd, &info)) return;
  for (struct change **each = &last; *each;) {
    struct change *change = *each;
    if (change->dev != info.st_dev || change->ino != info.st_ino) each = &change->before;
    else {
      *each = change->before;
      free(change);
    }
  }
}

#define CHANGING(fd, offset, length, call)            \
  char path[512];                                     \
  if (!is_covered(fd, path, sizeof path)) return call; \
  pthread_mutex_lock(&lock);                          \
  keep(fd, path, offset, length);                     \
  __typeof__(call) result = call;                     \
  pthread_mutex_unlock(&lock);                        \
  return result;

ssize_t write(int fd, const void *bytes, size_t length) {
  CHANGING(fd, lseek(fd, 0, SEEK_CUR), length, REAL(write)(fd, bytes, length))
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
  CHANGING(fd, offset, length, REAL(pwrite)(fd, bytes, length, offset))
}
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
  CHANGING(fd, offset, length, REAL(pwrite64)(fd, bytes, length, offset))
}

static size_t after(int fd, off_t size) {
  struct stat info;
  return fstat(fd, &info) == 0 && info.st_size > size ? info.st_size - size : 0;
}
int ftruncate(int fd, off_t size) {
  CHANGING(fd, size, after(fd, size), REAL(ftruncate)(fd, size))
}
int ftruncate64(int fd, off64_t size) {
  CHANGING(fd, size, after(fd, size), REAL(ftruncate64)(fd, size))
}

static int synced(int fd, int (*sync)(int)) {
  char path[512];
  if (!is_covered(fd, path, sizeof path)) return sync(fd);
  const char *delay = getenv("CUT_SYNC_US");
  if (delay) usleep(atoi(delay));
  pthread_mutex_lock(&lock);
  int result = sync(fd);
  if (result == 0) forget(fd);
  pthread_mutex_unlock(&lock);
  return result;
}
int fsync(int fd) { return synced(fd, REAL(fsync)); }
int fdatasync(int fd) { return synced(fd, REAL(fdatasync)); }
