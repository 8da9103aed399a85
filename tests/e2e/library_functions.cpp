// Functions of the C and C++ libraries give the same results in kernels as on the host, on every device: functions that
// headers define, and functions that headers only call (memcmp, strlen, div, logarithms of long doubles). The library's
// assertions are on, and warnings of the plugin count as errors.
#define _GLIBCXX_ASSERTIONS 1
#include "check.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <cctype>
#include <cfloat>
#include <charconv>
#include <chrono>
#include <compare>
#include <cstdlib>
#include <cwchar>
#include <functional>
#include <numeric>
#include <optional>
#include <ranges>
#include <ratio>
#include <span>
#include <string_view>
#include <strings.h>
#include <tuple>
#include <utility>
#include <variant>

namespace {

using bytes = std::array<unsigned char, 24>;

/// Inputs of a work-item. The texts use few different letters, so that many characters are equal.
struct input {
  bytes left, right;
  char text[17], word[4];
  std::array<int, 40> ints;
  int n;             ///< 0 to 23
  int m;             ///< any but 0
  double x, y, z;    ///< between -4 and 4
  std::uint64_t seed;
};

std::vector<input> random_inputs(std::size_t count) {
  std::vector<input> inputs(count);
  for (input& each : inputs) {
    auto below = [&](unsigned end) { return static_cast<int>(e2e::random()() % end); };
    for (int i = 0; i < 24; ++i) {
      each.left[i] = static_cast<unsigned char>(e2e::random()());
      each.right[i] = below(30) ? each.left[i] : static_cast<unsigned char>(e2e::random()());
    }
    const int length = below(17);
    for (int i = 0; i < 17; ++i) each.text[i] = i < length ? "abc XY1-"[below(8)] : '\0';
    const int shorter = below(4);
    for (int i = 0; i < 4; ++i) each.word[i] = i < shorter ? "abc"[below(3)] : '\0';
    for (int& one : each.ints) one = below(60) - 30;
    each.n = below(24);
    each.m = below(2) ? below(1000) + 1 : -below(1000) - 1;
    each.x = below(80001) / 10000.0 - 4;
    each.y = below(80001) / 10000.0 - 4;
    each.z = below(80001) / 10000.0 - 4;
    each.seed = e2e::random()();
  }
  return inputs;
}

/// A result, and the error that it may have.
struct result {
  long long integer = 0;
  double real = 0, tolerance = 0;
};
template <class T>
result result_of(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return {0, static_cast<double>(value), sizeof(T) == 4 ? 2e-6 : 1e-13};
  } else {
    return {static_cast<long long>(value), 0, 0};
  }
}
bool is_same(const result& left, const result& right) {
  if (left.integer != right.integer) return false;
  if (left.real == right.real || (std::isnan(left.real) && std::isnan(right.real))) return true;
  return std::fabs(left.real - right.real) <= right.tolerance * std::max(1.0, std::fabs(right.real));
}

template <class Function>
struct named {
  const char* name;
  Function function;
};

/// Runs all functions in one kernel.
template <class... Function>
void run_together(named<Function>... tests) {
  constexpr std::size_t of_each = sizeof...(Function);
  const std::array<const char*, of_each> names{tests.name...};
  const std::tuple<Function...> functions{tests.function...};
  sycl::queue queue = e2e::make_queue();
  for (std::size_t count : {0, 1, 67}) {
    const std::vector<input> inputs = random_inputs(count);
    input* in = sycl::malloc_device<input>(count + 1, queue);
    result* out = sycl::malloc_device<result>(of_each * count + 1, queue);
    queue.copy(inputs.data(), in, count).wait();
    const auto all = [=](std::size_t i, const input& of_item, result* results) {
      std::size_t k = 0;
      std::apply([&](const auto&... each) { ((results[of_each * i + k++] = result_of(each(of_item))), ...); },
                 functions);
    };
    queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { all(i[0], in[i], out); }).wait();
    std::vector<result> seen(of_each * count), wanted(of_each * count);
    queue.copy(out, seen.data(), seen.size()).wait();
    for (std::size_t i = 0; i < count; ++i) all(i, inputs[i], wanted.data());
    for (std::size_t at = 0; at < seen.size(); ++at) {
      if (is_same(seen[at], wanted[at])) continue;
      e2e::fail(names[at % of_each], static_cast<int>(at / of_each),
                std::to_string(seen[at].integer) + " " + std::to_string(seen[at].real) + ", not " +
                    std::to_string(wanted[at].integer) + " " + std::to_string(wanted[at].real));
    }
    sycl::free(in, queue);
    sycl::free(out, queue);
  }
}

// Compile times grow much faster than the number of functions in one kernel.
constexpr std::size_t most_together = 12;

template <std::size_t First = 0, class... Function>
void run_from(const std::tuple<Function...>& tests) {
  constexpr std::size_t count = std::min(most_together, sizeof...(Function) - First);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    run_together(std::get<First + I>(tests)...);
  }(std::make_index_sequence<count>());
  if constexpr (First + count < sizeof...(Function)) run_from<First + count>(tests);
}
template <class... Function>
void run(named<Function>... tests) {
  run_from(std::tuple(tests...));
}

#define OF(...) \
  named { #__VA_ARGS__, [](const input& in) { return __VA_ARGS__; } }
#define DO(...) \
  named { #__VA_ARGS__, [](const input& in) { __VA_ARGS__ } }

int sign(int x) { return (x > 0) - (x < 0); }
long long place(const void* found, const void* begin) {
  return found ? static_cast<const char*>(found) - static_cast<const char*>(begin) : -1;
}
template <class Range>
std::uint64_t digest(const Range& range) {
  std::uint64_t sum = 7;
  for (const auto& each : range) sum = sum * 1000003 + static_cast<std::uint64_t>(each);
  return sum;
}
/// Combines the results of the predicate `question` for all characters in one number.
template <class Question>
std::uint64_t answers(Question question) {
  std::uint64_t sum = 0;
  for (int c = -1; c < 256; ++c) sum = sum * 3 + (question(c) ? 1 : 0);
  return sum;
}

struct key {
  unsigned char byte[12];
  bool operator==(const key&) const = default;
  auto operator<=>(const key&) const = default;
};
key key_of(const bytes& from) {
  key result;
  std::copy_n(from.begin(), 12, result.byte);
  return result;
}

TEST("memory is compared, searched and copied") {
  run(OF(sign(std::memcmp(in.left.data(), in.right.data(), in.n))),
      OF(std::memcmp(in.left.data(), in.right.data(), 1) == 0),
      OF(std::memcmp(in.left.data(), in.right.data(), 8) == 0),
      OF(std::memcmp(in.left.data(), in.right.data(), 15) != 0),
      OF(sign(std::memcmp(in.left.data(), in.right.data(), 7))),
      OF(sign(std::memcmp(&in.left[1], &in.right[1], 16))), OF(sign(std::memcmp(in.left.data(), &in.left[1], 13))),
      OF(in.left == in.right), OF(in.left < in.right), OF(key_of(in.left) == key_of(in.right)),
      OF(key_of(in.left) < key_of(in.right)), OF(in.ints == std::array<int, 40>{}),
      OF(place(std::memchr(in.left.data(), in.right[in.n], in.n), in.left.data())),
      OF(place(::memrchr(in.left.data(), in.right[in.n], in.n), in.left.data())),
      DO(bytes to = in.right; std::memmove(&to[1], &to[0], in.n); return digest(to);),
      DO(bytes to = in.right; std::memcpy(&to[0], &in.left[1], in.n); return digest(to);),
      DO(bytes to = in.right; std::memset(&to[1], in.m, in.n); return digest(to);),
      DO(wchar_t a[4] = {L'a', L'b', static_cast<wchar_t>(in.n), 0}; wchar_t b[4] = {L'a', L'b', L'\n', 0};
         return sign(std::wmemcmp(a, b, 4)) * 10 + static_cast<int>(std::wcslen(a));));
}

TEST("texts are measured, compared, searched and joined") {
  run(OF(std::strlen(in.text)), OF(::strnlen(in.text, in.n)), OF(sign(std::strcmp(in.text, in.word))),
      OF(sign(std::strncmp(in.text, in.word, in.n % 5))), OF(sign(::strcasecmp(in.text, "ABC xy"))),
      OF(sign(std::strcmp(in.text, &in.text[std::strlen(in.text) / 2]))), OF(place(std::strchr(in.text, 'b'), in.text)),
      OF(place(std::strchr(in.text, 0), in.text)), OF(place(std::strrchr(in.text, 'a'), in.text)),
      OF(std::strspn(in.text, "abc")), OF(std::strcspn(in.text, " 1")), OF(place(std::strpbrk(in.text, "1-"), in.text)),
      OF(place(std::strstr(in.text, in.word), in.text)),
      DO(char to[32] = {}; std::strcpy(to, in.text); std::strcat(to, in.word); return digest(to);),
      DO(char to[32] = {}; std::strncpy(to, in.text, in.n); std::strncat(to, in.word, 2); return digest(to);));
}

TEST("views of texts") {
  run(OF(std::string_view(in.text) == std::string_view(in.word)), OF(std::string_view(in.text) < in.word),
      OF(std::string_view(in.text).find('c')), OF(std::string_view(in.text).find(in.word)),
      OF(std::string_view(in.text).rfind("a")), OF(std::string_view(in.text).find_first_of("1-")),
      OF(std::string_view(in.text).find_last_not_of("abc")), OF(std::string_view(in.text).starts_with(in.word)),
      OF(std::string_view(in.text).ends_with("a")), OF(std::wstring_view(L"abc").find(wchar_t(in.text[0]))),
      OF(std::u16string_view(u"abcabc").find(u"cab")), OF(std::hash<std::string_view>()(in.text)),
      OF(std::hash<double>()(in.x)), OF(std::hash<int>()(in.n)));
}

TEST("characters are those of the C locale") {
  run(OF(answers([](int c) { return std::isalpha(c); })), OF(answers([](int c) { return std::isdigit(c); })),
      OF(answers([](int c) { return std::isalnum(c); })), OF(answers([](int c) { return std::isblank(c); })),
      OF(answers([](int c) { return std::iscntrl(c); })), OF(answers([](int c) { return std::isgraph(c); })),
      OF(answers([](int c) { return std::islower(c); })), OF(answers([](int c) { return std::isprint(c); })),
      OF(answers([](int c) { return std::ispunct(c); })), OF(answers([](int c) { return std::isspace(c); })),
      OF(answers([](int c) { return std::isupper(c); })), OF(answers([](int c) { return std::isxdigit(c); })),
      OF(answers([](int c) { return std::tolower(c) != c; })), OF(answers([](int c) { return std::toupper(c) != c; })),
      OF(std::tolower(in.text[0])), OF(std::toupper(in.text[0])), OF(std::isdigit(in.text[1]) != 0));
}

TEST("numbers are divided, read and written") {
  run(OF(std::abs(in.m)), OF(std::labs(in.m)), OF(std::llabs(in.m)), OF(std::div(in.n * 77, in.m).quot),
      OF(std::div(-in.n * 77, in.m).rem), OF(std::ldiv(in.n * 77l, in.m).rem), OF(std::ldiv(-in.n * 77l, in.m).quot),
      OF(std::lldiv(in.n * 77ll, in.m).quot), OF(std::lldiv(in.n - 77ll, in.m).rem), OF(std::atoi(" -471x")),
      OF(std::atoi(in.text)), OF(std::atol("12345678901")), OF(std::atoll("-99")), OF(std::strtol("0x1fz", nullptr, 0)),
      OF(std::strtol(in.text, nullptr, 16)), OF(std::strtoll("-99999999999999999999", nullptr, 10)),
      OF(std::strtoull("077", nullptr, 0)), OF(std::strtoul(in.text, nullptr, 36)),
      DO(char* end; std::strtol(in.text, &end, 12); return place(end, in.text);),
      DO(char to[16] = {}; const auto end = std::to_chars(to, to + 16, in.m).ptr; return digest(to) + (end - to);),
      DO(char to[40] = {}; std::to_chars(to, to + 40, in.seed, 2 + in.n); return digest(to);),
      DO(int value = 0; std::from_chars(in.text, in.text + 4, value, 16); return value;));
}

template <class T>
auto tests_of_math() {
  return std::tuple{
      OF(std::fmod(T(in.x), T(in.y))), OF(std::remainder(T(in.x), T(in.y))),
      DO(int quotient; const T rest = std::remquo(T(in.x), T(in.y), &quotient); return rest + (quotient & 7);),
      OF(std::fma(T(in.x), T(in.y), T(in.z))), OF(std::fdim(T(in.x), T(in.y))), OF(std::fmax(T(in.x), T(in.y))),
      OF(std::fmin(T(in.x), T(in.y))), OF(std::lerp(T(in.x), T(in.y), T(in.z))), OF(std::midpoint(T(in.x), T(in.y))),
      OF(std::hypot(T(in.x), T(in.y))), OF(std::hypot(T(in.x), T(in.y), T(in.z))), OF(std::cbrt(T(in.x))),
      OF(std::exp(T(in.x))), OF(std::exp2(T(in.x))), OF(std::expm1(T(in.x))), OF(std::log(T(in.x + 5))),
      OF(std::log10(T(in.x + 5))), OF(std::log2(T(in.x + 5))), OF(std::log1p(T(in.x + 4.5))),
      OF(std::pow(T(in.x + 5), T(in.y))), OF(std::pow(T(in.x), in.n % 4)), OF(std::sqrt(T(in.x + 4))),
      OF(std::sin(T(in.x))), OF(std::cos(T(in.x))), OF(std::tan(T(in.x / 4))), OF(std::asin(T(in.x / 4))),
      OF(std::acos(T(in.x / 4))), OF(std::atan(T(in.x))), OF(std::atan2(T(in.x), T(in.y))), OF(std::sinh(T(in.x))),
      OF(std::cosh(T(in.x))), OF(std::tanh(T(in.x))), OF(std::asinh(T(in.x))), OF(std::acosh(T(in.x + 5))),
      OF(std::atanh(T(in.x / 5))), OF(std::erf(T(in.x))), OF(std::erfc(T(in.x))), OF(std::tgamma(T(in.x + 5))),
      OF(std::lgamma(T(in.x + 5))), OF(std::ceil(T(in.x))), OF(std::floor(T(in.x))), OF(std::trunc(T(in.x))),
      OF(std::round(T(in.x))), OF(std::lround(T(in.x))), OF(std::llround(T(in.x))), OF(std::rint(T(in.x))),
      OF(std::nearbyint(T(in.x))), OF(std::lrint(T(in.x))), OF(std::llrint(T(in.x))),
      DO(int exponent; const T part = std::frexp(T(in.x), &exponent); return part + exponent;),
      DO(T whole; const T part = std::modf(T(in.x), &whole); return part + whole;), OF(std::ldexp(T(in.x), in.n)),
      OF(std::scalbn(T(in.x), -in.n)), OF(std::scalbln(T(in.x), long(in.n))), OF(std::scalbln(T(in.x), -99999999999l)),
      OF(std::ilogb(T(in.x + 5))), OF(std::logb(T(in.x + 5))), OF(std::nextafter(T(in.x), T(in.y))),
      OF(std::nexttoward(T(in.x), 1.0L)), OF(std::nexttoward(T(1), 1.0L + LDBL_EPSILON) - T(1)),
      OF(std::nexttoward(T(in.x), (long double)in.y)), OF(std::copysign(T(in.x), T(in.y))), OF(std::nan("")),
      OF(std::bit_cast<std::uint64_t>(std::nan("17"))), OF(std::bit_cast<std::uint32_t>(std::nanf("0x5"))),
      OF(std::fpclassify(T(in.x))), OF(std::isfinite(T(in.x))), OF(std::isinf(T(in.x))), OF(std::isnan(T(in.x))),
      OF(std::isnormal(T(in.x))), OF(std::signbit(T(in.x))), OF(std::isgreater(T(in.x), T(in.y))),
      OF(std::isless(T(in.x), T(in.y))), OF(std::isunordered(T(in.x), T(in.y))), OF(std::abs(T(in.x)))};
}

TEST("<cmath> of floats") {
  std::apply([](auto... each) { run(each...); }, tests_of_math<float>());
}
TEST("<cmath> of doubles") {
  if (!e2e::make_queue().get_device().has(sycl::aspect::fp64)) return;
  std::apply([](auto... each) { run(each...); }, tests_of_math<double>());
}

/// Runs an algorithm on a copy of the numbers. Returns one number that depends on all results.
#define OF_COPY(...) \
  named { #__VA_ARGS__, [](const input& in) { auto a = in.ints; __VA_ARGS__; return digest(a); } }

/// Whether to skip tests that OpenCL drivers would compile for very long, because these drivers inline all code.
bool is_left_out() {
  const bool is_cpu = e2e::make_queue().get_device().get_backend() == sycl::backend::sinter_cpu;
  return !is_cpu && !std::getenv("TEST_LONG");
}

TEST("algorithms that look") {
  if (is_left_out()) return;
  run(OF(std::equal(in.left.begin(), in.left.begin() + in.n, in.right.begin())),
      OF(std::mismatch(in.left.begin(), in.left.end(), in.right.begin()).first - in.left.begin()),
      OF(std::lexicographical_compare(in.left.begin(), in.left.begin() + in.n, in.right.begin(), in.right.end())),
      OF(std::lexicographical_compare_three_way(in.ints.begin(), in.ints.end(), in.ints.begin() + in.n,
                                                in.ints.end()) < 0),
      OF(std::find(in.left.begin(), in.left.end(), in.right[in.n]) - in.left.begin()),
      OF(std::find_if(in.ints.begin(), in.ints.end(), [](int x) { return x > 20; }) - in.ints.begin()),
      OF(std::find_first_of(in.ints.begin(), in.ints.end(), in.left.begin(), in.left.end()) - in.ints.begin()),
      OF(std::search(in.left.begin(), in.left.end(), in.right.begin() + in.n / 2, in.right.begin() + in.n / 2 + 2) -
         in.left.begin()),
      OF(std::count(in.ints.begin(), in.ints.end(), 3)),
      OF(std::adjacent_find(in.ints.begin(), in.ints.end()) - in.ints.begin()),
      OF(*std::min_element(in.ints.begin(), in.ints.end())),
      OF(*std::minmax_element(in.ints.begin(), in.ints.end()).second),
      OF(std::minmax({in.n, in.m, 3}).first), OF(std::clamp(in.m, -5, 5)),
      OF(std::accumulate(in.ints.begin(), in.ints.begin() + in.n, 0)),
      OF(std::inner_product(in.ints.begin(), in.ints.begin() + in.n, in.left.begin(), 0)),
      OF(std::transform_reduce(in.ints.begin(), in.ints.end(), 1, std::plus<>(), std::negate<>())),
      OF(std::reduce(in.ints.begin(), in.ints.end())), OF(std::gcd(in.m, in.n)), OF(std::lcm(in.m, in.n)),
      OF(std::midpoint(in.m, in.n)), OF(std::is_permutation(in.left.begin(), in.left.end(), in.right.begin())),
      OF(std::ranges::equal(in.left, in.right)), OF(std::ranges::count_if(in.ints, [](int x) { return x % 2 == 0; })),
      OF(std::ranges::max(in.ints)), OF(std::ranges::find(in.left, in.right[3]) - in.left.begin()),
      DO(int sum = 0; for (int x : in.ints | std::views::filter([](int x) { return x % 3 == 0; }) |
                                       std::views::transform([](int x) { return x * x; }) | std::views::take(5)) {
           sum += x;
         }
         return sum;));
}

TEST("algorithms that change what they get") {
  if (is_left_out()) return;
  run(OF_COPY(std::partial_sort(a.begin(), a.begin() + in.n, a.end())),
      OF_COPY(std::nth_element(a.begin(), a.begin() + in.n, a.end()); a = {a[in.n]}),
      OF_COPY(std::make_heap(a.begin(), a.end()); std::pop_heap(a.begin(), a.end());
              std::sort_heap(a.begin(), a.end() - 1)),
      OF_COPY(std::push_heap(a.begin(), a.begin() + 2)), OF_COPY(std::reverse(a.begin(), a.begin() + in.n)),
      OF_COPY(std::rotate(a.begin(), a.begin() + in.n, a.end())),
      OF_COPY(std::fill(std::unique(a.begin(), a.end()), a.end(), 0)),
      OF_COPY(std::fill(std::remove(a.begin(), a.end(), 3), a.end(), 0)),
      OF_COPY(std::replace(a.begin(), a.end(), 1, in.m)),
      OF_COPY(std::iota(a.begin(), a.end(), in.n)), OF_COPY(std::partial_sum(a.begin(), a.end(), a.begin())),
      OF_COPY(std::adjacent_difference(a.begin(), a.end(), a.begin())),
      OF_COPY(std::next_permutation(a.begin(), a.end())),
      OF_COPY(std::exclusive_scan(a.begin(), a.end(), a.begin(), 4)),
      OF_COPY(std::swap_ranges(a.begin(), a.begin() + 9, a.begin() + 20)),
      OF_COPY(std::generate(a.begin(), a.end(), [i = in.n]() mutable { return i++ * 7; })),
      OF_COPY(std::copy_backward(a.begin(), a.begin() + in.n, a.begin() + in.n + 4)),
      OF_COPY(std::shift_left(a.begin(), a.end(), in.n)), OF_COPY(std::ranges::reverse(a)),
      OF_COPY(std::transform(in.left.begin(), in.left.end(), a.begin(), [](unsigned char c) { return c * 3; })),
      OF_COPY(std::merge(in.left.begin(), in.left.begin() + 7, in.right.begin(), in.right.begin() + 7, a.begin())),
      OF_COPY(std::minstd_rand draw(in.n + 1); std::shuffle(a.begin(), a.end(), draw)));
}

TEST("sorting, and what asks for sorted numbers") {
  run(OF_COPY(std::sort(a.begin(), a.end())), OF_COPY(std::sort(a.begin(), a.begin() + in.n, std::greater<>())),
      OF_COPY(std::ranges::sort(a)),
      DO(std::array<int, 8> a; std::copy_n(in.ints.begin(), 8, a.begin()); std::sort(a.begin(), a.end());
         return digest(a);),
      OF_COPY(std::sort(a.begin(), a.end());
              a = {static_cast<int>(std::lower_bound(a.begin(), a.end(), in.n) - a.begin()),
                   static_cast<int>(std::upper_bound(a.begin(), a.end(), in.n) - a.begin()),
                   std::binary_search(a.begin(), a.end(), in.n)}),
      DO(auto a = in.ints; std::qsort(a.data(), a.size(), sizeof(int), [](const void* x, const void* y) {
           return *static_cast<const int*>(x) - *static_cast<const int*>(y); });
         const int* found = static_cast<int*>(
             std::bsearch(&in.n, a.data(), a.size(), sizeof(int), [](const void* x, const void* y) {
               return *static_cast<const int*>(x) - *static_cast<const int*>(y); }));
         return digest(a) + (found ? *found : 0);));
}

/// The third number that an engine returns.
template <class Engine>
std::uint64_t third(std::uint64_t seed) {
  Engine engine(static_cast<typename Engine::result_type>(seed % 100000 + 1));
  engine.discard(2);
  return engine();
}
template <class Distribution, class... Parameter>
auto second(std::uint64_t seed, Parameter... parameters) {
  std::minstd_rand engine(static_cast<unsigned>(seed % 100000 + 1));
  Distribution distribution(parameters...);
  distribution(engine);
  return distribution(engine);
}

TEST("engines of random numbers") {
  run(OF(third<std::minstd_rand0>(in.seed)), OF(third<std::minstd_rand>(in.seed)), OF(third<std::mt19937>(in.seed)),
      OF(third<std::ranlux24_base>(in.seed)), OF(third<std::knuth_b>(in.seed)));
}
TEST("distributions of integers and of floats") {
  run(OF(second<std::uniform_int_distribution<int>>(in.seed, -5, 20)),
      OF(second<std::uniform_int_distribution<long long>>(in.seed, -5ll, 1ll << 40)),
      OF(second<std::uniform_real_distribution<float>>(in.seed, -1.0f, 3.0f)),
      OF(second<std::normal_distribution<float>>(in.seed, 1.0f, 2.0f)),
      OF(second<std::exponential_distribution<float>>(in.seed, 1.5f)),
      DO(std::mt19937 engine(in.n); std::uniform_real_distribution<float> unit; return unit(engine);));
}
TEST("distributions of doubles") {
  if (!e2e::make_queue().get_device().has(sycl::aspect::fp64)) return;
  run(OF(second<std::uniform_real_distribution<double>>(in.seed)),
      OF(second<std::normal_distribution<double>>(in.seed)),
      OF(second<std::lognormal_distribution<double>>(in.seed)),
      OF(second<std::weibull_distribution<double>>(in.seed, 2.0)),
      OF(second<std::cauchy_distribution<double>>(in.seed)), OF(second<std::bernoulli_distribution>(in.seed, 0.3)));
  run(OF(second<std::gamma_distribution<double>>(in.seed, 0.5, 2.0)),
      OF(second<std::geometric_distribution<int>>(in.seed, 0.2)));
  run(OF(second<std::poisson_distribution<int>>(in.seed, 30.0)));
  run(OF(second<std::binomial_distribution<int>>(in.seed, 40, 0.4)));
  if (!std::getenv("TEST_LONG")) return;
  run(OF(second<std::chi_squared_distribution<double>>(in.seed, 3.0)),
      OF(second<std::exponential_distribution<double>>(in.seed)),
      OF(second<std::student_t_distribution<double>>(in.seed, 4.0)),
      OF(second<std::extreme_value_distribution<double>>(in.seed)));
  run(OF(second<std::fisher_f_distribution<double>>(in.seed, 2.0, 3.0)));
  run(OF(second<std::negative_binomial_distribution<int>>(in.seed, 4, 0.5)));
  run(DO(std::mt19937_64 engine(in.n); std::uniform_real_distribution<double> unit; return unit(engine);));
}

TEST("small types") {
  run(OF(std::popcount(in.seed)), OF(std::countl_zero(static_cast<unsigned short>(in.n))),
      OF(std::bit_ceil(in.left[0] / 2u)), OF(std::bit_floor(in.seed)), OF(std::bit_width(in.seed)),
      OF(std::rotl(in.left[1], in.n)), OF(std::has_single_bit(in.seed)),
      OF(std::bitset<70>(in.seed).count()), OF((std::bitset<70>(in.seed) << in.n).any()),
      OF(std::bitset<70>(in.seed)._Find_first()), OF(std::optional<int>(in.n).value_or(2)),
      DO(std::optional<int> none; if (in.n % 2) none = in.m; return none ? *none : -1;),
      DO(const auto one = in.n % 2 ? std::variant<int, double>(in.m) : std::variant<int, double>(in.x);
         return std::visit([](auto value) { return static_cast<double>(value); }, one);),
      OF(std::tuple(in.n, in.m) < std::tuple(in.m, in.n)),
      OF(std::apply([](int a, int b) { return a * b; }, std::pair(in.n, in.m))),
      OF(std::invoke(&input::n, in)), OF(std::bind(std::minus<>(), std::placeholders::_1, 3)(in.n)),
      OF(std::chrono::duration_cast<std::chrono::seconds>(std::chrono::milliseconds(in.m * 10)).count()),
      OF(std::ratio_add<std::ratio<1, 2>, std::ratio<1, 3>>::num), OF(std::span(in.ints).subspan(in.n, 2)[1]),
      OF((in.n <=> in.m) < 0), OF(std::cmp_less(in.m, 5u)), OF(std::numeric_limits<float>::max() > in.x));
}

}  // namespace

E2E_MAIN
