// The far end of a session for measurements, as cheap as it can be: it reads past what comes, or sends the same part
// over and over. Serves one connection after the other and prints its port first.
// usage: peer sink|source|slow BYTES [CERTIFICATE KEY]
//   sink    reads past every media frame
//   source  sends one medium of BYTES in parts of 3 MiB
//   slow    reads BYTES a second and pings twice a second; prints the mean delay of the pongs, in seconds, at the end
#include <arpa/inet.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PART = 3 << 20, BUFFER = 1 << 20, SLICE = 16 << 10 };
enum { TEXT = 1, CLOSE = 8, PING = 9, PONG = 10 };

static int connection;
static SSL *secure;
static long long rate;  // bytes a second that are read; 0 for all there are
static unsigned char buffer[BUFFER];
static size_t begin, end;
static double pinged, delays;
static int pongs, pending;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

static int put(const void *bytes, size_t count) {
  for (const char *at = bytes; count > 0;) {
    ssize_t sent = secure ? SSL_write(secure, at, (int)(count < BUFFER ? count : BUFFER)) : write(connection, at, count);
    if (sent <= 0) return 0;
    at += sent;
    count -= (size_t)sent;
  }
  return 1;
}

static int put_frame(int opcode, const void *bytes, size_t count) {
  unsigned char head[10] = {(unsigned char)(0x80 | opcode)};
  size_t length = 2;
  if (count < 126) {
    head[1] = (unsigned char)count;
  } else {
    head[1] = 127;
    for (int i = 0; i < 8; i++) head[2 + i] = (unsigned char)(count >> (56 - 8 * i));
    length = 10;
  }
  return put(head, length) && put(bytes, count);
}

// A slow reader takes a slice at a time, and asks between two of them whether the other side still lives.
static void pace(void) {
  nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * SLICE / (double)rate)}, NULL);
  if (pending || now() - pinged < 0.5) return;
  pinged = now();
  pending = put_frame(PING, "alive", 5);
}

static int more(void) {
  if (rate) pace();
  size_t room = rate ? SLICE : BUFFER;
  ssize_t count = secure ? SSL_read(secure, buffer, (int)room) : read(connection, buffer, room);
  begin = 0;
  end = count > 0 ? (size_t)count : 0;
  return count > 0;
}

static int take(unsigned char *target, size_t count) {
  for (; count > 0; count--) {
    if (begin == end && !more()) return 0;
    *target++ = buffer[begin++];
  }
  return 1;
}

static int skip(uint64_t count) {
  while (count > 0) {
    if (begin == end && !more()) return 0;
    size_t some = end - begin < count ? end - begin : (size_t)count;
    begin += some;
    count -= some;
  }
  return 1;
}

// Reads past one frame, answering pings and the close; 0 at the end.
static int frame(void) {
  unsigned char head[14];
  if (!take(head, 2)) return 0;
  int opcode = head[0] & 15;
  uint64_t count = head[1] & 127;
  int extra = count == 126 ? 2 : count == 127 ? 8 : 0;
  if (!take(head + 2, (size_t)extra + 4)) return 0;
  if (extra) count = 0;
  for (int i = 0; i < extra; i++) count = count << 8 | head[2 + i];
  if (opcode < CLOSE) return skip(count);
  unsigned char text[125];
  if (count > sizeof text || !take(text, (size_t)count)) return 0;
  for (uint64_t i = 0; i < count; i++) text[i] ^= head[2 + extra + i % 4];
  if (opcode == PING) return put_frame(PONG, text, (size_t)count);
  if (opcode == PONG && pending) {
    delays += now() - pinged;
    pongs++;
    pending = 0;
  }
  if (opcode == CLOSE) put_frame(CLOSE, text, (size_t)count);
  return opcode != CLOSE;
}

static int upgrade(void) {
  char head[8192], key[256], text[512], proof[64];
  size_t length = 0;
  while (length < 4 || memcmp(head + length - 4, "\r\n\r\n", 4)) {
    if (length + 1 == sizeof head || !take((unsigned char *)head + length, 1)) return 0;
    length++;
  }
  head[length] = 0;
  const char *field = strcasestr(head, "sec-websocket-key:");
  if (!field || sscanf(field + 18, " %200s", key) != 1) return 0;
  unsigned char digest[SHA_DIGEST_LENGTH];
  int count = snprintf(text, sizeof text, "%s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key);
  SHA1((unsigned char *)text, (size_t)count, digest);
  EVP_EncodeBlock((unsigned char *)proof, digest, sizeof digest);
  count = snprintf(text, sizeof text,
                   "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                   "Sec-WebSocket-Accept: %s\r\n\r\n", proof);
  const char ready[] = "{\"t\":\"ready\"}";
  return put(text, (size_t)count) && frame() && put_frame(TEXT, ready, sizeof ready - 1);
}

static void send_media(long long total) {
  static unsigned char raw[PART], message[(PART + 2) / 3 * 4 + 512];
  srand(1);
  for (size_t i = 0; i < PART; i++) raw[i] = (unsigned char)(rand() >> 7);
  long long parts = (total + PART - 1) / PART;
  for (long long part = 0; part < parts; part++) {
    long long left = total - part * PART;
    int length = snprintf((char *)message, 500,
                          "{\"t\":\"media\",\"id\":\"%d-%.0f\",\"kind\":\"document\",\"mime\":\"application/octet-stream\","
                          "\"filename\":\"got.bin\",\"part\":%lld,\"parts\":%lld,\"data\":\"",
                          getpid(), delays, part, parts);
    length += EVP_EncodeBlock(message + length, raw, (int)(left < PART ? left : PART));
    memcpy(message + length, "\"}", 2);
    if (!put_frame(TEXT, message, (size_t)length + 2)) return;
  }
  delays++;  // no medium has the ID of another
}

static int listening(unsigned short *port) {
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, length) || listen(listener, 8) ||
      getsockname(listener, (struct sockaddr *)&address, &length))
    exit(1);
  *port = ntohs(address.sin_port);
  return listener;
}

static SSL_CTX *authority(char **words) {
  SSL_CTX *context = SSL_CTX_new(TLS_server_method());
  if (SSL_CTX_use_certificate_chain_file(context, words[3]) != 1 ||
      SSL_CTX_use_PrivateKey_file(context, words[4], SSL_FILETYPE_PEM) != 1)
    exit(1);
  return context;
}

int main(int count, char **words) {
  if (count != 3 && count != 5) return 2;
  signal(SIGPIPE, SIG_IGN);
  SSL_CTX *context = count == 5 ? authority(words) : NULL;
  unsigned short port;
  int listener = listening(&port);
  printf("%d\n", port);
  fflush(stdout);
  for (;;) {
    connection = accept(listener, NULL, NULL);
    begin = end = 0;
    rate = 0;
    if (context) {
      secure = SSL_new(context);
      SSL_set_fd(secure, connection);
    }
    if ((!secure || SSL_accept(secure) == 1) && upgrade()) {
      if (!strcmp(words[1], "slow")) rate = atoll(words[2]);
      if (!strcmp(words[1], "source")) send_media(atoll(words[2]));
      while (frame()) {}
    }
    if (pongs) {
      printf("%.4f\n", delays / pongs);
      fflush(stdout);
      pongs = pending = 0;
      delays = 0;
    }
    if (secure) SSL_free(secure);
    secure = NULL;
    close(connection);
  }
}
