// A line on one machine, in user space, since many kernels lack netem: two TUN devices in two network namespaces; per
// direction a rate, a tail-drop queue, random loss by seed, and a delay. It ends at SIGTERM and prints its counters.
// usage: wan NAMESPACE-A DEVICE-A NAMESPACE-B DEVICE-B ONE-WAY-DELAY-MS RATE-MBIT LOSS-PERCENT QUEUE-KB [SEED]
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
typedef struct { uint64_t due; int n; unsigned char d[1600]; } pkt;
#define QN 16384
typedef struct { pkt *q; unsigned h, t; uint64_t last; long long qbytes; int in, out; unsigned long rx, tx, lost, drop; } dir;
static uint64_t now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000ull + t.tv_nsec; }
static uint64_t rs = 88172645463325252ull;
static double rnd(void) { rs ^= rs << 13; rs ^= rs >> 7; rs ^= rs << 17; return (rs >> 11) / 9007199254740992.0; }
static int tun(const char *ns, const char *dev) {
  char p[128]; snprintf(p, sizeof p, "/var/run/netns/%s", ns);
  int f = open(p, O_RDONLY); if (f < 0 || setns(f, CLONE_NEWNET)) { perror(p); exit(1); } close(f);
  int t = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC); if (t < 0) { perror("tun"); exit(1); }
  struct ifreq r; memset(&r, 0, sizeof r); strncpy(r.ifr_name, dev, IFNAMSIZ - 1); r.ifr_flags = IFF_TUN | IFF_NO_PI;
  if (ioctl(t, TUNSETIFF, &r)) { perror("TUNSETIFF"); exit(1); } return t; }
static volatile sig_atomic_t quit;
static void onq(int s) { quit = 1; }
int main(int c, char **v) {
  if (c < 9) return 2;
  uint64_t delay = atof(v[5]) * 1e6; double rate = atof(v[6]) * 1e6 / 8 / 1e9 /* bytes per ns */, loss = atof(v[7]) / 100; long long qmax = atoll(v[8]) * 1024;
  if (c > 9) rs ^= strtoull(v[9], 0, 10) * 0x9E3779B97F4A7C15ull;
  dir d[2]; memset(d, 0, sizeof d);
  int a = tun(v[1], v[2]), b = tun(v[3], v[4]);
  d[0].in = a; d[0].out = b; d[1].in = b; d[1].out = a;
  for (int i = 0; i < 2; i++) d[i].q = malloc(sizeof(pkt) * QN);
  prctl(PR_SET_TIMERSLACK, 1000UL); signal(SIGTERM, onq); signal(SIGINT, onq);
  puts("up"); fflush(stdout);
  while (!quit) {
    uint64_t next = UINT64_MAX, t = now();
    for (int i = 0; i < 2; i++) {
      dir *x = &d[i];
      for (int k = 0; k < 64; k++) { // read
        pkt *p = &x->q[x->h % QN];
        if (x->h - x->t >= QN - 1) break;
        int n = read(x->in, p->d, sizeof p->d); if (n <= 0) break;
        x->rx++;
        // backlog = bytes not yet sent on the link
        uint64_t start = x->last > t ? x->last : t;
        double backlog = (start - t) * rate;
        if (backlog + n > qmax) { x->drop++; continue; }
        uint64_t end = start + (uint64_t)(n / rate);
        x->last = end;
        if (loss > 0 && rnd() < loss) { x->lost++; continue; } // lost after using the link
        p->n = n; p->due = end + delay; x->h++;
      }
      t = now();
      while (x->t != x->h && x->q[x->t % QN].due <= t) { pkt *p = &x->q[x->t % QN]; if (write(x->out, p->d, p->n) > 0) x->tx++; x->t++; }
      if (x->t != x->h && x->q[x->t % QN].due < next) next = x->q[x->t % QN].due;
    }
    struct pollfd pf[2] = {{a, POLLIN, 0}, {b, POLLIN, 0}};
    t = now(); struct timespec ts, *tp = 0;
    if (next != UINT64_MAX) { uint64_t w = next > t ? next - t : 0; ts.tv_sec = w / 1000000000ull; ts.tv_nsec = w % 1000000000ull; tp = &ts; }
    ppoll(pf, 2, tp, 0);
  }
  for (int i = 0; i < 2; i++) fprintf(stderr, "dir%d rx %lu tx %lu lost %lu taildrop %lu\n", i, d[i].rx, d[i].tx, d[i].lost, d[i].drop);
}
