// Runs a command and writes what it cost to a file: wall, user and system seconds, peak KiB of memory.
// usage: once FILE COMMAND [ARGUMENT...]
// A program of its own because execve carries the peak of the process that called it over into the new program
// (getrusage(2), ru_maxrss): started from Python, every program would seem to need at least what Python does.
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t) { return t.tv_sec + t.tv_usec / 1e6; }

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int count, char **words) {
  if (count < 3) return 2;
  double start = now();
  pid_t child = fork();
  if (child == 0) {
    execvp(words[2], words + 2);
    perror(words[2]);
    _exit(127);
  }
  int status;
  struct rusage usage;
  if (child < 0 || wait4(child, &status, 0, &usage) < 0) return 1;
  double wall = now() - start;
  FILE *out = fopen(words[1], "w");
  if (!out) return 1;
  fprintf(out, "%.6f %.6f %.6f %ld\n", wall, seconds(usage.ru_utime), seconds(usage.ru_stime), usage.ru_maxrss);
  if (fclose(out)) return 1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
