#pragma once
#define CURL_STRICTER
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <sys/socket.h>

// libcurl's variadic calls, one wrapper for each kind of argument.
static inline CURLcode hermes_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode hermes_set_text(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode hermes_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode hermes_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode hermes_set_callback(CURL *easy, CURLoption option, curl_write_callback value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode hermes_set_open_socket(CURL *easy, curl_opensocket_callback value) {
  return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}
static inline CURLcode hermes_set_before_request(CURL *easy, curl_prereq_callback value) {
  return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
}
static inline CURLcode hermes_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode hermes_set_read(CURL *easy, curl_read_callback value) {
  return curl_easy_setopt(easy, CURLOPT_READFUNCTION, value);
}
static inline CURLcode hermes_set_seek(CURL *easy, curl_seek_callback value) {
  return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, value);
}
static inline CURLcode hermes_set_form(CURL *easy, curl_mime *value) {
  return curl_easy_setopt(easy, CURLOPT_MIMEPOST, value);
}
static inline CURLMcode hermes_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}
static inline CURLcode hermes_get_long(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode hermes_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode hermes_get_socket(CURL *easy, CURLINFO info, curl_socket_t *value) {
  return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode hermes_get_text(CURL *easy, CURLINFO info, const char **value) {
  return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode hermes_get_list(CURL *easy, CURLINFO info, struct curl_slist **value) {
  return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode hermes_message_code(const CURLMsg *message) { return message->data.result; }

// Macros that Swift does not import: their values are casts or expressions.
static const size_t hermes_write_pause = CURL_WRITEFUNC_PAUSE;
static const size_t hermes_write_error = CURL_WRITEFUNC_ERROR;
static const size_t hermes_read_pause = CURL_READFUNC_PAUSE;
static const size_t hermes_read_abort = CURL_READFUNC_ABORT;
static const int hermes_seek_done = CURL_SEEKFUNC_OK;
static const int hermes_seek_refused = CURL_SEEKFUNC_FAIL;
static const int hermes_pause_sending = CURLPAUSE_SEND;
static const int hermes_pause_nothing = CURLPAUSE_CONT;
static const long hermes_auth_basic = (long)CURLAUTH_BASIC;
static const long hermes_auth_bearer = (long)CURLAUTH_BEARER;

extern int OPENSSL_init_crypto(uint64_t options, const struct ossl_init_settings_st *settings);

// OpenSSL frees its tables from an atexit handler while other threads may still use them; whoever initialises it first
// decides, so this comes before libcurl. The value is OPENSSL_INIT_NO_ATEXIT (OPENSSL_init_crypto(3)).
static inline CURLcode hermes_curl_start(void) {
  OPENSSL_init_crypto(UINT64_C(0x00080000), NULL);
  return curl_global_init(CURL_GLOBAL_DEFAULT);
}

// Bytes that the kernel keeps of what it has not sent yet (tcp(7)); other sockets than TCP's refuse, which is fine.
static inline int hermes_limit_unsent(int descriptor, int byte_count) {
  return setsockopt(descriptor, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &byte_count, sizeof byte_count);
}

// What libcurl does where no callback opens the socket, but for the flag.
static inline curl_socket_t hermes_open_socket(const struct curl_sockaddr *address) {
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

// The address in text; NULL for other families than IP's.
static inline const char *hermes_address_text(const struct curl_sockaddr *address, char *text, socklen_t byte_count) {
  if (address->family == AF_INET)
    return inet_ntop(AF_INET, &((const struct sockaddr_in *)&address->addr)->sin_addr, text, byte_count);
  if (address->family == AF_INET6)
    return inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)&address->addr)->sin6_addr, text, byte_count);
  return NULL;
}
static const curl_socket_t hermes_no_socket = CURL_SOCKET_BAD;
