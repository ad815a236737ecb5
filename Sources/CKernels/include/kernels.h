// The inner loops of media frames: base64 both ways, the WebSocket mask, UTF-8. Each runs on the widest vectors that
// the processor has, and is tested against its scalar form.
#ifndef HERMES_KERNELS_H
#define HERMES_KERNELS_H

#include <stddef.h>
#include <stdint.h>

enum {
  HERMES_LEVEL_SCALAR = 0,
  HERMES_LEVEL_SSSE3 = 1,
  HERMES_LEVEL_AVX2 = 2,
  HERMES_LEVEL_NEON = 3,
};

/// Whether this processor can run the loops of a level.
int hermes_has_level(int level);

/// The fastest level of this processor.
int hermes_best_level(void);

/// Writes the base64 of `count` bytes, padded if `count` is no multiple of 3, to `out`, which has room for
/// `(count + 2) / 3 * 4` bytes, XORed with the four bytes of `key` in turn, beginning with byte `phase % 4`. A key of 0
/// leaves plain base64. Returns the number of bytes written.
size_t hermes_base64_encode(uint8_t *out, const uint8_t *in, size_t count, uint32_t key, size_t phase, int level);

/// Decodes whole groups of four characters of the standard alphabet, without padding, until one is bad or fewer than
/// four are left. `out` has room for `count / 4 * 3` bytes. Returns the number of characters decoded.
size_t hermes_base64_decode(uint8_t *out, const uint8_t *in, size_t count, int level);

/// XORs bytes with the four bytes of `key` in turn, beginning with byte `phase % 4` (RFC 6455 §5.3).
void hermes_mask(uint8_t *bytes, size_t count, uint32_t key, size_t phase, int level);

/// Goes on with the check of a UTF-8 text. `state` is 0 at the beginning and wherever the text may end; the answer is the
/// state behind these bytes, or `HERMES_UTF8_BAD` (RFC 3629 §4: no overlong forms, no surrogates, nothing above U+10FFFF).
uint32_t hermes_utf8(uint32_t state, const uint8_t *bytes, size_t count);

#define HERMES_UTF8_BAD 0xffffffffu

#endif
