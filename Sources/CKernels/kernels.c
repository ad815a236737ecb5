#include "kernels.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#define HERMES_X86 1
#elif defined(__aarch64__)
#include <arm_neon.h>
#define HERMES_ARM 1
#endif

int hermes_has_level(int level) {
  switch (level) {
  case HERMES_LEVEL_SCALAR: return 1;
#if HERMES_X86
  case HERMES_LEVEL_SSSE3: return __builtin_cpu_supports("ssse3") != 0;
  case HERMES_LEVEL_AVX2: return __builtin_cpu_supports("avx2") != 0;
#elif HERMES_ARM
  case HERMES_LEVEL_NEON: return 1;
#endif
  default: return 0;
  }
}

int hermes_best_level(void) {
  if (hermes_has_level(HERMES_LEVEL_NEON)) return HERMES_LEVEL_NEON;
  if (hermes_has_level(HERMES_LEVEL_AVX2)) return HERMES_LEVEL_AVX2;
  return hermes_has_level(HERMES_LEVEL_SSSE3) ? HERMES_LEVEL_SSSE3 : HERMES_LEVEL_SCALAR;
}

/// The key whose first byte in memory is the one to begin with.
static uint32_t turned(uint32_t key, size_t phase) {
  uint8_t bytes[4], out[4];
  memcpy(bytes, &key, 4);
  for (size_t i = 0; i < 4; i++) out[i] = bytes[(phase + i) & 3];
  memcpy(&key, out, 4);
  return key;
}

// Base64, scalar.

static const char alphabet_text[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const uint8_t *const alphabet = (const uint8_t *)alphabet_text;

static void encode_group(uint8_t out[4], uint32_t bits, uint32_t key) {
  uint32_t group;
  uint8_t text[4] = {alphabet[bits >> 18], alphabet[bits >> 12 & 63], alphabet[bits >> 6 & 63], alphabet[bits & 63]};
  memcpy(&group, text, 4);
  group ^= key;
  memcpy(out, &group, 4);
}

static void encode_scalar(uint8_t *out, const uint8_t *in, size_t count, uint32_t key) {
  for (; count >= 3; count -= 3, in += 3, out += 4)
    encode_group(out, (uint32_t)in[0] << 16 | (uint32_t)in[1] << 8 | in[2], key);
  if (count == 0) return;
  uint8_t text[4];
  encode_group(text, (uint32_t)in[0] << 16 | (count == 2 ? (uint32_t)in[1] << 8 : 0), 0);
  text[3] = '=';
  if (count == 1) text[2] = '=';
  uint32_t group;
  memcpy(&group, text, 4);
  group ^= key;
  memcpy(out, &group, 4);
}

/// The value of each ASCII character, -1 for those outside the alphabet. A table, since branches on random text are
/// mispredicted: 0.1 GB/s with them (measured).
static const int8_t values[128] = {
  -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
  -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
  -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 62, -1, -1, -1, 63,
  52, 53, 54, 55, 56, 57, 58, 59, 60, 61, -1, -1, -1, -1, -1, -1,
  -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
  15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, -1, -1, -1, -1, -1,
  -1, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40,
  41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, -1, -1, -1, -1, -1,
};

static int value_of(uint8_t letter) { return letter < 128 ? values[letter] : -1; }

static size_t decode_scalar(uint8_t *out, const uint8_t *in, size_t count) {
  size_t done = 0;
  for (; count - done >= 4; done += 4, out += 3) {
    int a = value_of(in[done]), b = value_of(in[done + 1]), c = value_of(in[done + 2]), d = value_of(in[done + 3]);
    if ((a | b | c | d) < 0) break;
    uint32_t bits = (uint32_t)a << 18 | (uint32_t)b << 12 | (uint32_t)c << 6 | (uint32_t)d;
    out[0] = (uint8_t)(bits >> 16);
    out[1] = (uint8_t)(bits >> 8);
    out[2] = (uint8_t)bits;
  }
  return done;
}

// Masking: plain C that the compiler turns into vectors of the level's width.

static inline __attribute__((always_inline)) void mask_body(uint8_t *bytes, size_t count, uint32_t key) {
  uint64_t wide = (uint64_t)key << 32 | key;
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    uint64_t word;
    memcpy(&word, bytes + i, 8);
    word ^= wide;
    memcpy(bytes + i, &word, 8);
  }
  uint8_t turn[4];
  memcpy(turn, &key, 4);
  for (; i < count; i++) bytes[i] ^= turn[i & 3];
}

static void mask_scalar(uint8_t *bytes, size_t count, uint32_t key) { mask_body(bytes, count, key); }

#if HERMES_X86

// Base64 in vectors: three bytes are spread over four lanes by a shuffle, cut to six bits each by multiplications, and
// turned into letters by adding an offset that depends on which of the alphabet's ranges a value lies in.

__attribute__((target("ssse3"))) static __m128i letters_ssse3(__m128i in) {
  in = _mm_shuffle_epi8(in, _mm_set_epi8(10, 11, 9, 10, 7, 8, 6, 7, 4, 5, 3, 4, 1, 2, 0, 1));
  __m128i high = _mm_mulhi_epu16(_mm_and_si128(in, _mm_set1_epi32(0x0fc0fc00)), _mm_set1_epi32(0x04000040));
  __m128i low = _mm_mullo_epi16(_mm_and_si128(in, _mm_set1_epi32(0x003f03f0)), _mm_set1_epi32(0x01000010));
  __m128i values = _mm_or_si128(high, low);
  // 0 for a-z, 1…10 for the digits, 11 and 12 for + and /, 13 for A-Z.
  __m128i range = _mm_subs_epu8(values, _mm_set1_epi8(51));
  range = _mm_or_si128(range, _mm_and_si128(_mm_cmpgt_epi8(_mm_set1_epi8(26), values), _mm_set1_epi8(13)));
  const __m128i offsets = _mm_setr_epi8(
    'a' - 26, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '+' - 62,
    '/' - 63, 'A', 0, 0);
  return _mm_add_epi8(values, _mm_shuffle_epi8(offsets, range));
}

__attribute__((target("ssse3"))) static size_t encode_ssse3(uint8_t *out, const uint8_t *in, size_t count, uint32_t key) {
  __m128i keys = _mm_set1_epi32((int)key);
  size_t done = 0;
  for (; count - done >= 16; done += 12, out += 16) {
    __m128i text = letters_ssse3(_mm_loadu_si128((const __m128i *)(in + done)));
    _mm_storeu_si128((__m128i *)out, _mm_xor_si128(text, keys));
  }
  return done;
}

__attribute__((target("avx2"))) static __m256i letters_avx2(__m256i in) {
  in = _mm256_shuffle_epi8(in, _mm256_setr_epi8(
    1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10, 1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10));
  __m256i high = _mm256_mulhi_epu16(_mm256_and_si256(in, _mm256_set1_epi32(0x0fc0fc00)), _mm256_set1_epi32(0x04000040));
  __m256i low = _mm256_mullo_epi16(_mm256_and_si256(in, _mm256_set1_epi32(0x003f03f0)), _mm256_set1_epi32(0x01000010));
  __m256i values = _mm256_or_si256(high, low);
  __m256i range = _mm256_subs_epu8(values, _mm256_set1_epi8(51));
  range = _mm256_or_si256(range, _mm256_and_si256(_mm256_cmpgt_epi8(_mm256_set1_epi8(26), values), _mm256_set1_epi8(13)));
  const __m256i offsets = _mm256_broadcastsi128_si256(_mm_setr_epi8(
    'a' - 26, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '+' - 62,
    '/' - 63, 'A', 0, 0));
  return _mm256_add_epi8(values, _mm256_shuffle_epi8(offsets, range));
}

__attribute__((target("avx2"))) static size_t encode_avx2(uint8_t *out, const uint8_t *in, size_t count, uint32_t key) {
  __m256i keys = _mm256_set1_epi32((int)key);
  size_t done = 0;
  for (; count - done >= 28; done += 24, out += 32) {
    __m128i first = _mm_loadu_si128((const __m128i *)(in + done));
    __m128i second = _mm_loadu_si128((const __m128i *)(in + done + 12));
    __m256i text = letters_avx2(_mm256_inserti128_si256(_mm256_castsi128_si256(first), second, 1));
    _mm256_storeu_si256((__m256i *)out, _mm256_xor_si256(text, keys));
  }
  return done;
}

// Decoding: the high and the low half of each character look up sets of bits that meet only in characters outside the
// alphabet; the offset back to the value depends on the high half, and on / alone beside it.

__attribute__((target("ssse3"))) static size_t decode_ssse3(uint8_t *out, const uint8_t *in, size_t count) {
  const __m128i bad_low = _mm_setr_epi8(
    0x15, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x13, 0x1a, 0x1b, 0x1b, 0x1b, 0x1a);
  const __m128i bad_high = _mm_setr_epi8(
    0x10, 0x10, 0x01, 0x02, 0x04, 0x08, 0x04, 0x08, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10);
  const __m128i offsets = _mm_setr_epi8(0, 16, 19, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, 0, 0, 0);
  size_t done = 0;
  // Sixteen bytes are stored for twelve: a whole further group must follow.
  for (; count - done >= 24; done += 16, out += 12) {
    __m128i text = _mm_loadu_si128((const __m128i *)(in + done));
    __m128i high = _mm_and_si128(_mm_srli_epi32(text, 4), _mm_set1_epi8(0x0f));
    __m128i low = _mm_and_si128(text, _mm_set1_epi8(0x0f));
    __m128i bad = _mm_and_si128(_mm_shuffle_epi8(bad_low, low), _mm_shuffle_epi8(bad_high, high));
    if (_mm_movemask_epi8(_mm_cmpeq_epi8(bad, _mm_setzero_si128())) != 0xffff) break;
    __m128i slash = _mm_cmpeq_epi8(text, _mm_set1_epi8('/'));
    __m128i values = _mm_add_epi8(text, _mm_shuffle_epi8(offsets, _mm_add_epi8(slash, high)));
    __m128i pairs = _mm_maddubs_epi16(values, _mm_set1_epi32(0x01400140));
    __m128i groups = _mm_madd_epi16(pairs, _mm_set1_epi32(0x00011000));
    groups = _mm_shuffle_epi8(groups, _mm_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1));
    _mm_storeu_si128((__m128i *)out, groups);
  }
  return done;
}

__attribute__((target("avx2"))) static size_t decode_avx2(uint8_t *out, const uint8_t *in, size_t count) {
  const __m256i bad_low = _mm256_broadcastsi128_si256(_mm_setr_epi8(
    0x15, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x13, 0x1a, 0x1b, 0x1b, 0x1b, 0x1a));
  const __m256i bad_high = _mm256_broadcastsi128_si256(_mm_setr_epi8(
    0x10, 0x10, 0x01, 0x02, 0x04, 0x08, 0x04, 0x08, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10));
  const __m256i offsets = _mm256_broadcastsi128_si256(
    _mm_setr_epi8(0, 16, 19, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, 0, 0, 0));
  size_t done = 0;
  // Thirty-two bytes are stored for twenty-four.
  for (; count - done >= 44; done += 32, out += 24) {
    __m256i text = _mm256_loadu_si256((const __m256i *)(in + done));
    __m256i high = _mm256_and_si256(_mm256_srli_epi32(text, 4), _mm256_set1_epi8(0x0f));
    __m256i low = _mm256_and_si256(text, _mm256_set1_epi8(0x0f));
    __m256i bad = _mm256_and_si256(_mm256_shuffle_epi8(bad_low, low), _mm256_shuffle_epi8(bad_high, high));
    if (!_mm256_testz_si256(bad, bad)) break;
    __m256i slash = _mm256_cmpeq_epi8(text, _mm256_set1_epi8('/'));
    __m256i values = _mm256_add_epi8(text, _mm256_shuffle_epi8(offsets, _mm256_add_epi8(slash, high)));
    __m256i pairs = _mm256_maddubs_epi16(values, _mm256_set1_epi32(0x01400140));
    __m256i groups = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00011000));
    groups = _mm256_shuffle_epi8(groups, _mm256_setr_epi8(
      2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1, 2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1));
    groups = _mm256_permutevar8x32_epi32(groups, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7));
    _mm256_storeu_si256((__m256i *)out, groups);
  }
  return done;
}

__attribute__((target("avx2"))) static void mask_avx2(uint8_t *bytes, size_t count, uint32_t key) {
  mask_body(bytes, count, key);
}

#endif

#if HERMES_ARM

static size_t encode_neon(uint8_t *out, const uint8_t *in, size_t count, uint32_t key) {
  const uint8x16x4_t table = {{vld1q_u8(alphabet), vld1q_u8(alphabet + 16), vld1q_u8(alphabet + 32), vld1q_u8(alphabet + 48)}};
  uint8_t turn[4];
  memcpy(turn, &key, 4);
  size_t done = 0;
  for (; count - done >= 48; done += 48, out += 64) {
    uint8x16x3_t bytes = vld3q_u8(in + done);
    uint8x16x4_t text;
    text.val[0] = vshrq_n_u8(bytes.val[0], 2);
    text.val[1] = vorrq_u8(vshlq_n_u8(vandq_u8(bytes.val[0], vdupq_n_u8(3)), 4), vshrq_n_u8(bytes.val[1], 4));
    text.val[2] = vorrq_u8(vshlq_n_u8(vandq_u8(bytes.val[1], vdupq_n_u8(15)), 2), vshrq_n_u8(bytes.val[2], 6));
    text.val[3] = vandq_u8(bytes.val[2], vdupq_n_u8(63));
    for (int i = 0; i < 4; i++) text.val[i] = veorq_u8(vqtbl4q_u8(table, text.val[i]), vdupq_n_u8(turn[i]));
    vst4q_u8(out, text);
  }
  return done;
}

/// The values of sixteen characters; `bad` gathers a bit of every character outside the alphabet.
static uint8x16_t values_neon(uint8x16_t text, uint8x16_t *bad) {
  uint8x16_t upper = vandq_u8(vcgeq_u8(text, vdupq_n_u8('A')), vcleq_u8(text, vdupq_n_u8('Z')));
  uint8x16_t lower = vandq_u8(vcgeq_u8(text, vdupq_n_u8('a')), vcleq_u8(text, vdupq_n_u8('z')));
  uint8x16_t digit = vandq_u8(vcgeq_u8(text, vdupq_n_u8('0')), vcleq_u8(text, vdupq_n_u8('9')));
  uint8x16_t plus = vceqq_u8(text, vdupq_n_u8('+')), slash = vceqq_u8(text, vdupq_n_u8('/'));
  uint8x16_t offset = vandq_u8(upper, vdupq_n_u8((uint8_t)-65));
  offset = vorrq_u8(offset, vandq_u8(lower, vdupq_n_u8((uint8_t)-71)));
  offset = vorrq_u8(offset, vandq_u8(digit, vdupq_n_u8(4)));
  offset = vorrq_u8(offset, vandq_u8(plus, vdupq_n_u8(19)));
  offset = vorrq_u8(offset, vandq_u8(slash, vdupq_n_u8(16)));
  uint8x16_t known = vorrq_u8(vorrq_u8(vorrq_u8(upper, lower), vorrq_u8(digit, plus)), slash);
  *bad = vorrq_u8(*bad, vmvnq_u8(known));
  return vaddq_u8(text, offset);
}

static size_t decode_neon(uint8_t *out, const uint8_t *in, size_t count) {
  size_t done = 0;
  for (; count - done >= 64; done += 64, out += 48) {
    uint8x16x4_t text = vld4q_u8(in + done);
    uint8x16_t bad = vdupq_n_u8(0);
    uint8x16_t v[4];
    for (int i = 0; i < 4; i++) v[i] = values_neon(text.val[i], &bad);
    if (vmaxvq_u8(bad)) break;
    uint8x16x3_t bytes;
    bytes.val[0] = vorrq_u8(vshlq_n_u8(v[0], 2), vshrq_n_u8(v[1], 4));
    bytes.val[1] = vorrq_u8(vshlq_n_u8(v[1], 4), vshrq_n_u8(v[2], 2));
    bytes.val[2] = vorrq_u8(vshlq_n_u8(v[2], 6), v[3]);
    vst3q_u8(out, bytes);
  }
  return done;
}

#endif

size_t hermes_base64_encode(uint8_t *out, const uint8_t *in, size_t count, uint32_t key, size_t phase, int level) {
  size_t done = 0;
  key = turned(key, phase);
  switch (level) {
#if HERMES_X86
  case HERMES_LEVEL_AVX2: done = encode_avx2(out, in, count, key); break;
  case HERMES_LEVEL_SSSE3: done = encode_ssse3(out, in, count, key); break;
#elif HERMES_ARM
  case HERMES_LEVEL_NEON: done = encode_neon(out, in, count, key); break;
#endif
  default: break;
  }
  encode_scalar(out + done / 3 * 4, in + done, count - done, key);
  return (count + 2) / 3 * 4;
}

size_t hermes_base64_decode(uint8_t *out, const uint8_t *in, size_t count, int level) {
  size_t done = 0;
  switch (level) {
#if HERMES_X86
  case HERMES_LEVEL_AVX2: done = decode_avx2(out, in, count); break;
  case HERMES_LEVEL_SSSE3: done = decode_ssse3(out, in, count); break;
#elif HERMES_ARM
  case HERMES_LEVEL_NEON: done = decode_neon(out, in, count); break;
#endif
  default: break;
  }
  return done + decode_scalar(out + done / 4 * 3, in + done, count - done);
}

void hermes_mask(uint8_t *bytes, size_t count, uint32_t key, size_t phase, int level) {
  key = turned(key, phase);
#if HERMES_X86
  if (level == HERMES_LEVEL_AVX2) return mask_avx2(bytes, count, key);
#else
  (void)level;
#endif
  mask_scalar(bytes, count, key);
}

// UTF-8: how many continuation bytes are still to come stands in the low byte of the state, the least and the greatest
// value that the next one may have in the two above it. One form for all: plain ASCII, which media frames are, goes
// through words that every compiler makes vectors of, at 20 to 60 GB/s (measured).

#define STATE(left, least, most) ((uint32_t)(left) | (uint32_t)(least) << 8 | (uint32_t)(most) << 16)

static uint32_t lead(uint8_t byte) {
  if (byte < 0x80) return 0;
  if (byte < 0xc2) return HERMES_UTF8_BAD;
  if (byte < 0xe0) return STATE(1, 0x80, 0xbf);
  if (byte == 0xe0) return STATE(2, 0xa0, 0xbf);
  if (byte == 0xed) return STATE(2, 0x80, 0x9f);
  if (byte < 0xf0) return STATE(2, 0x80, 0xbf);
  if (byte == 0xf0) return STATE(3, 0x90, 0xbf);
  if (byte < 0xf4) return STATE(3, 0x80, 0xbf);
  return byte == 0xf4 ? STATE(3, 0x80, 0x8f) : HERMES_UTF8_BAD;
}

static size_t ascii_prefix(const uint8_t *bytes, size_t count) {
  size_t i = 0;
  for (; i + 32 <= count; i += 32) {
    uint64_t word[4];
    memcpy(word, bytes + i, 32);
    if ((word[0] | word[1] | word[2] | word[3]) & 0x8080808080808080u) break;
  }
  while (i < count && bytes[i] < 0x80) i++;
  return i;
}

uint32_t hermes_utf8(uint32_t state, const uint8_t *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (state == HERMES_UTF8_BAD) return state;
    if (state == 0) {
      i += ascii_prefix(bytes + i, count - i);
      if (i == count) return 0;
      state = lead(bytes[i]);
    } else {
      uint32_t least = state >> 8 & 0xff, most = state >> 16 & 0xff, left = (state & 0xff) - 1;
      if (bytes[i] < least || bytes[i] > most) return HERMES_UTF8_BAD;
      state = left ? STATE(left, 0x80, 0xbf) : 0;
    }
  }
  return state;
}
