/// Defines functions for device code: the functions that headers of the C and C++ libraries call, but only declare
/// (device_library.hpp). For example, the operator == of std::array calls memcmp, and making a string_view calls
/// strlen. The locale is "C", and no function sets errno. The file is compiled with -fno-builtin. Otherwise, clang
/// would recognize what each function does, and replace its body with a call of the function itself.

using size_type = decltype(sizeof(0));
using byte = unsigned char;
using word = unsigned long long;

namespace {

constexpr int bytes_of_word = sizeof(word);

template <class T>
T read(const byte* from) {
  T value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}

/// Compares two different words as memcmp would compare their bytes: the first byte that differs decides. A word's
/// lowest byte comes first.
int difference(word left, word right) {
  const int place = __builtin_ctzll(left ^ right) & 56;
  return static_cast<int>(left >> place & 255) - static_cast<int>(right >> place & 255);
}

int compare_memory(const byte* left, const byte* right, size_type size) {
  for (; size >= bytes_of_word; left += bytes_of_word, right += bytes_of_word, size -= bytes_of_word) {
    const word a = read<word>(left), b = read<word>(right);
    if (a != b) return difference(a, b);
  }
  for (; size != 0; ++left, ++right, --size) {
    if (*left != *right) return *left - *right;
  }
  return 0;
}

constexpr size_type no_end = ~size_type{0};

constexpr int to_lower(int c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; }
constexpr int to_upper(int c) { return c >= 'a' && c <= 'z' ? c - ('a' - 'A') : c; }
bool is_between(int c, int first, int last) {
  return static_cast<unsigned>(c) - static_cast<unsigned>(first) <= static_cast<unsigned>(last - first);
}
bool is_letter(int c) { return is_between(c | 32, 'a', 'z'); }
bool is_digit(int c) { return is_between(c, '0', '9'); }
bool is_space(int c) { return c == ' ' || is_between(c, '\t', '\r'); }

template <class Fold>
int compare_text(const char* left, const char* right, size_type most, Fold fold) {
  for (size_type i = 0; i < most; ++i) {
    const int a = fold(static_cast<byte>(left[i])), b = fold(static_cast<byte>(right[i]));
    if (a != b || a == 0) return a - b;
  }
  return 0;
}
constexpr auto as_it_is = [](int c) { return c; };

template <class Character>
size_type length(const Character* text, size_type most = no_end) {
  size_type i = 0;
  while (i < most && text[i] != 0) ++i;
  return i;
}

template <class Character>
Character* find(const Character* from, Character what, size_type size) {
  for (size_type i = 0; i < size; ++i) {
    if (from[i] == what) return const_cast<Character*>(from + i);
  }
  return nullptr;
}

/// Copies a text. Returns a pointer to the end of the copy.
char* copy_text(char* to, const char* from, size_type most = no_end) {
  for (size_type i = 0; i < most; ++i, ++to) {
    *to = from[i];
    if (*to == 0) return to;
  }
  *to = 0;
  return to;
}

/// Returns the length of the text's longest prefix of this kind: if `wanted`, all characters of the prefix are in the
/// set; otherwise, none of them is in the set.
size_type span(const char* text, const char* set, bool wanted) {
  size_type i = 0;
  while (text[i] != 0 && (find(set, text[i], length(set)) != nullptr) == wanted) ++i;
  return i;
}

template <class Pair, class Number>
Pair divide(Number left, Number right) {
  return {left / right, left % right};
}
struct ints {
  int quot, rem;
};
struct longs {
  long quot, rem;
};
struct long_longs {
  long long quot, rem;
};

int value_of_digit(char c) {
  if (is_digit(c)) return c - '0';
  return is_letter(c) ? (c | 32) - 'a' + 10 : 36;
}

/// The result of parsing a number by the rules of strtoull. `size` is the number's absolute value.
struct parsed {
  word size;
  bool is_negative, is_too_large;
};
parsed parse(const char* text, char** end, int base) {
  const char* at = text;
  while (is_space(*at)) ++at;
  parsed result{0, *at == '-', false};
  if (*at == '-' || *at == '+') ++at;
  const bool is_hexadecimal = at[0] == '0' && (at[1] | 32) == 'x' && value_of_digit(at[2]) < 16;
  if ((base == 0 || base == 16) && is_hexadecimal) {
    at += 2;
    base = 16;
  } else if (base == 0) {
    base = *at == '0' ? 8 : 10;
  }
  bool has_digits = false;
  for (; value_of_digit(*at) < base; ++at) {
    word larger;
    result.is_too_large |= __builtin_mul_overflow(result.size, static_cast<word>(base), &larger) |
                           __builtin_add_overflow(larger, static_cast<word>(value_of_digit(*at)), &result.size);
    has_digits = true;
  }
  if (end) *end = const_cast<char*>(has_digits ? at : text);
  return result;
}
long long parse_signed(const char* text, char** end, int base) {
  constexpr word most = ~word{0} >> 1;
  const parsed number = parse(text, end, base);
  if (number.is_negative) {
    return number.is_too_large || number.size > most ? -static_cast<long long>(most) - 1
                                                     : -static_cast<long long>(number.size);
  }
  return static_cast<long long>(number.is_too_large || number.size > most ? most : number.size);
}
word parse_unsigned(const char* text, char** end, int base) {
  const parsed number = parse(text, end, base);
  return number.is_too_large ? ~word{0} : number.is_negative ? -number.size : number.size;
}

/// Returns the payload of a NaN from a text. If the text is not a number, the payload is 0.
word payload(const char* digits) {
  char* end;
  const word number = parse_unsigned(digits, &end, 0);
  return *end == 0 && (is_digit(*digits) || *digits == 0) ? number : 0;
}

/// <ctype.h> accepts indices from -128 on; characters outside of ASCII are returned unchanged.
struct characters {
  int of[384];
};
constexpr characters make_characters(int (*function)(int)) {
  characters result{};
  for (int i = 0; i < 384; ++i) result.of[i] = i < 128 ? function(i + 128) : function(i - 128);
  return result;
}
constexpr characters lower_case = make_characters(to_lower), upper_case = make_characters(to_upper);
constexpr const int *lower_begin = lower_case.of + 128, *upper_begin = upper_case.of + 128;

using order = int (*)(const void*, const void*);

void swap_bytes(byte* left, byte* right, size_type size) {
  for (size_type i = 0; i < size; ++i) {
    const byte kept = left[i];
    left[i] = right[i];
    right[i] = kept;
  }
}

/// The array is a heap of `count` elements. Moves the element at `place` down the heap until no child is larger than
/// it.
__attribute__((always_inline)) inline void sift(byte* begin, size_type place, size_type count, size_type size,
                                                order compare) {
  for (size_type child = 2 * place + 1; child < count; child = 2 * place + 1) {
    if (child + 1 < count && compare(begin + child * size, begin + (child + 1) * size) < 0) ++child;
    if (compare(begin + place * size, begin + child * size) >= 0) return;
    swap_bytes(begin + place * size, begin + child * size, size);
    place = child;
  }
}

}  // namespace

extern "C" {

// ------------------------------------------------------------------------------------------- <cstring>

// The plugin inlines this function only after the size and the use of the result are known (short_compares.hpp).
__attribute__((noinline)) int memcmp(const void* left, const void* right, size_type size) {
  return compare_memory(static_cast<const byte*>(left), static_cast<const byte*>(right), size);
}
__attribute__((noinline)) int bcmp(const void* left, const void* right, size_type size) {
  return compare_memory(static_cast<const byte*>(left), static_cast<const byte*>(right), size);
}
void* memchr(const void* from, int what, size_type size) {
  return find(static_cast<const byte*>(from), static_cast<byte>(what), size);
}
void* memrchr(const void* from, int what, size_type size) {
  const byte* bytes = static_cast<const byte*>(from);
  while (size != 0) {
    if (bytes[--size] == static_cast<byte>(what)) return const_cast<byte*>(bytes + size);
  }
  return nullptr;
}
void* memcpy(void* to, const void* from, size_type size) { return __builtin_memcpy(to, from, size); }
void* memmove(void* to, const void* from, size_type size) { return __builtin_memmove(to, from, size); }
void* memset(void* to, int what, size_type size) { return __builtin_memset(to, what, size); }
void* mempcpy(void* to, const void* from, size_type size) {
  return static_cast<byte*>(__builtin_memcpy(to, from, size)) + size;
}
size_type strlen(const char* text) { return length(text); }
size_type strnlen(const char* text, size_type most) { return length(text, most); }
int strcmp(const char* left, const char* right) { return compare_text(left, right, no_end, as_it_is); }
int strcoll(const char* left, const char* right) { return compare_text(left, right, no_end, as_it_is); }
int strncmp(const char* left, const char* right, size_type most) { return compare_text(left, right, most, as_it_is); }
int strcasecmp(const char* left, const char* right) { return compare_text(left, right, no_end, to_lower); }
int strncasecmp(const char* left, const char* right, size_type most) {
  return compare_text(left, right, most, to_lower);
}
char* strchrnul(const char* text, int what) {
  while (*text != 0 && *text != static_cast<char>(what)) ++text;
  return const_cast<char*>(text);
}
char* strchr(const char* text, int what) {
  char* found = strchrnul(text, what);
  return *found == static_cast<char>(what) ? found : nullptr;
}
char* strrchr(const char* text, int what) {
  char* found = nullptr;
  for (;; ++text) {
    if (*text == static_cast<char>(what)) found = const_cast<char*>(text);
    if (*text == 0) return found;
  }
}
size_type strspn(const char* text, const char* set) { return span(text, set, true); }
size_type strcspn(const char* text, const char* set) { return span(text, set, false); }
char* strpbrk(const char* text, const char* set) {
  const char* found = text + span(text, set, false);
  return *found ? const_cast<char*>(found) : nullptr;
}
char* strstr(const char* text, const char* what) {
  const size_type size = length(what);
  for (;; ++text) {
    if (compare_text(text, what, size, as_it_is) == 0) return const_cast<char*>(text);
    if (*text == 0) return nullptr;
  }
}
char* stpcpy(char* to, const char* from) { return copy_text(to, from); }
char* strcpy(char* to, const char* from) {
  copy_text(to, from);
  return to;
}
char* strncpy(char* to, const char* from, size_type size) {
  size_type i = 0;
  for (; i < size && from[i] != 0; ++i) to[i] = from[i];
  for (; i < size; ++i) to[i] = 0;
  return to;
}
char* strcat(char* to, const char* from) {
  copy_text(to + length(to), from);
  return to;
}
char* strncat(char* to, const char* from, size_type most) {
  copy_text(to + length(to), from, most);
  return to;
}
int wmemcmp(const wchar_t* left, const wchar_t* right, size_type size) {
  for (size_type i = 0; i < size; ++i) {
    if (left[i] != right[i]) return left[i] < right[i] ? -1 : 1;
  }
  return 0;
}
wchar_t* wmemchr(const wchar_t* from, wchar_t what, size_type size) { return find(from, what, size); }
wchar_t* wmemcpy(wchar_t* to, const wchar_t* from, size_type size) {
  return static_cast<wchar_t*>(__builtin_memcpy(to, from, size * sizeof *to));
}
wchar_t* wmemmove(wchar_t* to, const wchar_t* from, size_type size) {
  return static_cast<wchar_t*>(__builtin_memmove(to, from, size * sizeof *to));
}
wchar_t* wmemset(wchar_t* to, wchar_t what, size_type size) {
  for (size_type i = 0; i < size; ++i) to[i] = what;
  return to;
}
size_type wcslen(const wchar_t* text) { return length(text); }

// With _FORTIFY_SOURCE, headers call these functions. These functions do not check sizes, because a write behind the
// end is undefined behaviour in kernels, too.
void* __memcpy_chk(void* to, const void* from, size_type size, size_type) { return memcpy(to, from, size); }
void* __memmove_chk(void* to, const void* from, size_type size, size_type) { return memmove(to, from, size); }
void* __memset_chk(void* to, int what, size_type size, size_type) { return memset(to, what, size); }
void* __mempcpy_chk(void* to, const void* from, size_type size, size_type) { return mempcpy(to, from, size); }
char* __stpcpy_chk(char* to, const char* from, size_type) { return stpcpy(to, from); }
char* __strcpy_chk(char* to, const char* from, size_type) { return strcpy(to, from); }
char* __strncpy_chk(char* to, const char* from, size_type size, size_type) { return strncpy(to, from, size); }
char* __strcat_chk(char* to, const char* from, size_type) { return strcat(to, from); }
char* __strncat_chk(char* to, const char* from, size_type most, size_type) { return strncat(to, from, most); }

// ------------------------------------------------------------------------------------------- <cctype>

int isalpha(int c) { return is_letter(c); }
int isdigit(int c) { return is_digit(c); }
int isalnum(int c) { return is_letter(c) || is_digit(c); }
int isblank(int c) { return c == ' ' || c == '\t'; }
int iscntrl(int c) { return is_between(c, 0, 31) || c == 127; }
int isgraph(int c) { return is_between(c, 33, 126); }
int islower(int c) { return is_between(c, 'a', 'z'); }
int isprint(int c) { return is_between(c, 32, 126); }
int ispunct(int c) { return is_between(c, 33, 126) && !is_letter(c) && !is_digit(c); }
int isspace(int c) { return is_space(c); }
int isupper(int c) { return is_between(c, 'A', 'Z'); }
int isxdigit(int c) { return is_digit(c) || is_between(c | 32, 'a', 'f'); }
int tolower(int c) { return to_lower(c); }
int toupper(int c) { return to_upper(c); }
// glibc's headers read these tables in place of calling tolower and toupper.
const int** __ctype_tolower_loc() { return const_cast<const int**>(&lower_begin); }
const int** __ctype_toupper_loc() { return const_cast<const int**>(&upper_begin); }

// ------------------------------------------------------------------------------------------- <cstdlib>

int abs(int x) { return x < 0 ? -x : x; }
long labs(long x) { return x < 0 ? -x : x; }
long long llabs(long long x) { return x < 0 ? -x : x; }
ints div(int left, int right) { return divide<ints>(left, right); }
longs ldiv(long left, long right) { return divide<longs>(left, right); }
long_longs lldiv(long long left, long long right) { return divide<long_longs>(left, right); }
longs imaxdiv(long left, long right) { return divide<longs>(left, right); }
int ffs(int x) { return __builtin_ffs(x); }
int ffsl(long x) { return __builtin_ffsl(x); }
int ffsll(long long x) { return __builtin_ffsll(x); }
int atoi(const char* text) { return static_cast<int>(parse_signed(text, nullptr, 10)); }
long atol(const char* text) { return parse_signed(text, nullptr, 10); }
long long atoll(const char* text) { return parse_signed(text, nullptr, 10); }
long strtol(const char* text, char** end, int base) { return parse_signed(text, end, base); }
long long strtoll(const char* text, char** end, int base) { return parse_signed(text, end, base); }
unsigned long strtoul(const char* text, char** end, int base) { return parse_unsigned(text, end, base); }
unsigned long long strtoull(const char* text, char** end, int base) { return parse_unsigned(text, end, base); }
// glibc 2.38 calls these functions by other names.
long __isoc23_strtol(const char* text, char** end, int base) { return parse_signed(text, end, base); }
long long __isoc23_strtoll(const char* text, char** end, int base) { return parse_signed(text, end, base); }
unsigned long __isoc23_strtoul(const char* text, char** end, int base) { return parse_unsigned(text, end, base); }
unsigned long long __isoc23_strtoull(const char* text, char** end, int base) { return parse_unsigned(text, end, base); }

// The function is inlined, so that the comparison is a direct call.
__attribute__((always_inline)) void* bsearch(const void* key, const void* begin, size_type count, size_type size,
                                             order compare) {
  size_type first = 0, last = count;
  while (first < last) {
    const size_type middle = first + (last - first) / 2;
    const byte* element = static_cast<const byte*>(begin) + middle * size;
    const int result = compare(key, element);
    if (result == 0) return const_cast<byte*>(element);
    if (result < 0) {
      last = middle;
    } else {
      first = middle + 1;
    }
  }
  return nullptr;
}
__attribute__((always_inline)) void qsort(void* begin, size_type count, size_type size, order compare) {
  byte* elements = static_cast<byte*>(begin);
  for (size_type place = count / 2; place != 0; --place) sift(elements, place - 1, count, size, compare);
  for (size_type end = count; end > 1; --end) {
    swap_bytes(elements, elements + (end - 1) * size, size);
    sift(elements, 0, end - 1, size, compare);
  }
}

// ------------------------------------------------------------------------------------------- <cmath>

double nan(const char* digits) {
  return __builtin_bit_cast(double, 0x7ff8000000000000ull | (payload(digits) & 0x7ffffffffffffull));
}
float nanf(const char* digits) {
  return __builtin_bit_cast(float, 0x7fc00000u | (static_cast<unsigned>(payload(digits)) & 0x3fffffu));
}
// If an int can't hold the exponent, the result is the same as with the largest or smallest int.
double scalbln(double x, long exponent) {
  return __builtin_scalbn(x, exponent > 9999 ? 9999 : exponent < -9999 ? -9999 : static_cast<int>(exponent));
}
float scalblnf(float x, long exponent) {
  return __builtin_scalbnf(x, exponent > 9999 ? 9999 : exponent < -9999 ? -9999 : static_cast<int>(exponent));
}
double drem(double x, double y) { return __builtin_remainder(x, y); }
float dremf(float x, float y) { return __builtin_remainderf(x, y); }
int isnan(double x) { return __builtin_isnan(x); }
int isinf(double x) { return __builtin_isinf_sign(x); }
int finite(double x) { return __builtin_isfinite(x); }

}  // extern "C"

namespace std {

/// libstdc++'s function that hashes bytes. std::hash of floating-point numbers and of texts calls it. The algorithm is
/// MurmurHash64A, as in libstdc++ itself.
size_type _Hash_bytes(const void* pointer, size_type size, size_type seed) {
  constexpr word multiplier = 0xc6a4a7935bd1e995ull;
  const auto mixed = [](word bits) { return bits ^ (bits >> 47); };
  const byte* bytes = static_cast<const byte*>(pointer);
  word hash = seed ^ (size * multiplier);
  size_type left = size;
  for (; left >= bytes_of_word; bytes += bytes_of_word, left -= bytes_of_word) {
    hash = (hash ^ (mixed(read<word>(bytes) * multiplier) * multiplier)) * multiplier;
  }
  if (left != 0) {
    word rest = 0;
    for (size_type i = 0; i < left; ++i) rest |= static_cast<word>(bytes[i]) << (8 * i);
    hash = (hash ^ rest) * multiplier;
  }
  return mixed(mixed(hash) * multiplier);
}

}  // namespace std
