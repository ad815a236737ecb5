#pragma once
#include <ini.h>
#include <stddef.h>

/// Parses INI text without inih's limit of 200 bytes a line. A value may hold `;`, as user agents do, so only whole
/// lines are comments; a key alone on its line is a switch, with a null value. Returns 0, or the first bad line.
static inline int hermes_ini_parse(const char *text, ini_handler handler, void *user) {
  ini_use_stack = false;
  ini_allow_realloc = true;
  ini_max_line = 65536;
  ini_allow_inline_comments = false;
  ini_allow_multiline = false;
  ini_allow_no_value = true;
  return ini_parse_string(text, handler, user);
}
