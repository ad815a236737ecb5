#pragma once
// Prototypes that need _GNU_SOURCE, which a system-library header must not define (modules stop merging),
// and calls that Swift cannot spell: variadics and macros.
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/types.h>

extern int renameat2(int olddirfd, const char *oldpath, int newdirfd, const char *newpath, unsigned int flags);
extern int fallocate(int fd, int mode, off_t offset, off_t len);
extern int syncfs(int fd);

static inline int hermes_openat(int folder, const char *path, int flags, mode_t mode) {
  return openat(folder, path, flags, mode);
}
static inline int hermes_window_size(int fd, unsigned short *columns, unsigned short *rows) {
  struct winsize size;
  if (ioctl(fd, TIOCGWINSZ, &size) != 0) return -1;
  *columns = size.ws_col;
  *rows = size.ws_row;
  return 0;
}
