#pragma once
// libmicrohttpd's options are variadic, and what an address text means takes sockaddr casts: Swift can spell neither.
#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

// Fills in the address that a numeric text means; returns its family, or 0 when the text is no address.
static inline int hermes_listen_address(const char *text, uint16_t port, struct sockaddr_storage *address) {
  struct sockaddr_in *ipv4 = (struct sockaddr_in *)address;
  struct sockaddr_in6 *ipv6 = (struct sockaddr_in6 *)address;
  memset(address, 0, sizeof *address);
  if (inet_pton(AF_INET, text, &ipv4->sin_addr) == 1) {
    ipv4->sin_family = AF_INET;
    ipv4->sin_port = htons(port);
    return AF_INET;
  }
  if (inet_pton(AF_INET6, text, &ipv6->sin6_addr) == 1) {
    ipv6->sin6_family = AF_INET6;
    ipv6->sin6_port = htons(port);
    return AF_INET6;
  }
  return 0;
}

// Whether only this machine can reach the address: 127.0.0.0/8 and ::1.
static inline bool hermes_is_loopback(const struct sockaddr_storage *address) {
  if (address->ss_family == AF_INET)
    return ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == 127;
  return address->ss_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)address)->sin6_addr);
}

struct hermes_daemon_callbacks {
  void *context;
  MHD_AccessHandlerCallback answer;
  MHD_RequestCompletedCallback completed;
  MHD_NotifyConnectionCallback connection;
};

// Leaves the path as it came: escapes are read after it is split into names.
static inline size_t hermes_leave_escaped(void *context, struct MHD_Connection *connection, char *text) {
  (void)context;
  (void)connection;
  return strlen(text);
}

// Starts a pool of epoll threads; NULL with errno in *error when that fails.
static inline struct MHD_Daemon *hermes_start_daemon(const struct sockaddr_storage *address, unsigned threads,
                                                     unsigned connections, unsigned idle_seconds,
                                                     const struct hermes_daemon_callbacks *callbacks, int *error) {
  unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_ALLOW_UPGRADE;
  if (address->ss_family == AF_INET6) flags |= MHD_USE_IPv6;
  errno = 0;
  struct MHD_Daemon *daemon = MHD_start_daemon(
      flags, 0, NULL, NULL, callbacks->answer, callbacks->context,
      MHD_OPTION_SOCK_ADDR, (const struct sockaddr *)address,
      MHD_OPTION_THREAD_POOL_SIZE, threads,
      MHD_OPTION_CONNECTION_LIMIT, connections,
      MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
      MHD_OPTION_UNESCAPE_CALLBACK, hermes_leave_escaped, (void *)NULL,
      MHD_OPTION_NOTIFY_COMPLETED, callbacks->completed, callbacks->context,
      MHD_OPTION_NOTIFY_CONNECTION, callbacks->connection, callbacks->context,
      MHD_OPTION_END);
  *error = daemon ? 0 : errno;
  return daemon;
}

// The port that the daemon listens on, which port 0 left to the kernel.
static inline uint16_t hermes_daemon_port(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
  return info ? info->port : 0;
}

// The slot in which the daemon keeps what belongs to one connection.
static inline void *hermes_connection_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

// Whether the client has closed its side. While a connection is suspended the library does not watch it.
static inline bool hermes_client_has_left(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  if (!info) return true;
  char byte;
  ssize_t count = recv(info->connect_fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR);
}

// Gives a socket back that was handed over with an upgrade; the library closes it.
static inline void hermes_close_upgraded(struct MHD_UpgradeResponseHandle *handle) {
  (void)MHD_upgrade_action(handle, MHD_UPGRADE_ACTION_CLOSE);
}
