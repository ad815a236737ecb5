#pragma once
// Prototypes that need _GNU_SOURCE, which a system-library header must not define (modules stop merging),
// and calls that Swift cannot spell: variadics, macros and globals that change.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <unistd.h>

extern int renameat2(int olddirfd, const char *oldpath, int newdirfd, const char *newpath, unsigned int flags);
extern int fallocate(int fd, int mode, off_t offset, off_t len);
extern int syncfs(int fd);
extern int pipe2(int pipefd[2], int flags);
extern const char *strerrorname_np(int errnum);
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
extern int pthread_setname_np(pthread_t thread, const char *name);
extern char **environ;

static const int hermes_falloc_keep_size = 1;        // FALLOC_FL_KEEP_SIZE, linux/falloc.h
static const int hermes_o_tmpfile = 020000000 | 0200000;  // O_TMPFILE, asm-generic/fcntl.h
static const unsigned hermes_rename_noreplace = 1;  // RENAME_NOREPLACE, linux/fs.h

static const short hermes_pollrdhup = 0x2000;  // POLLRDHUP, asm-generic/poll.h

static inline int hermes_openat(int folder, const char *path, int flags, mode_t mode) {
  return openat(folder, path, flags, mode);
}
// The function and a struct have one name, and Swift takes it for the struct.
static inline int hermes_flock(int fd, int operation) { return flock(fd, operation); }
static inline int hermes_statvfs(const char *path, struct statvfs *status) { return statvfs(path, status); }
static inline int hermes_fstatvfs(int fd, struct statvfs *status) { return fstatvfs(fd, status); }
static inline int hermes_window_size(int fd, unsigned short *columns, unsigned short *rows) {
  struct winsize size;
  if (ioctl(fd, TIOCGWINSZ, &size) != 0) return -1;
  *columns = size.ws_col;
  *rows = size.ws_row;
  return 0;
}
// The handler stands in a union.
static inline int hermes_is_signal_ignored(int number) {
  struct sigaction action;
  return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}
// Its flags are of an enumeration that Swift does not take for a number.
static inline int hermes_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
static inline char **hermes_environment(void) { return environ; }
