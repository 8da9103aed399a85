/// Tests operations that some targets are known to compute wrongly: operations on integers of unusual widths, which
/// LLVM's passes create, on truth values as numbers, and others. The results must equal the host's.

#include <sycl/sycl.hpp>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "check.hpp"
#include "same_check.hpp"

namespace {

template <std::size_t Bytes>
struct packed {
  unsigned char bytes[Bytes];
};

template <std::size_t Bytes>
void check_copies() {
  e2e::check_same<std::uint64_t>([](std::uint64_t bits, std::size_t i) {
    packed<Bytes> first, second;
    std::memcpy(&first, &bits, Bytes);
    for (std::size_t k = 0; k < Bytes; ++k) second.bytes[k] = static_cast<unsigned char>(i + k);
    const packed<Bytes> chosen = (bits & 1) != 0 ? first : second;
    std::uint64_t result = 0;
    std::memcpy(&result, &chosen, Bytes);
    return result * 3;
  });
}

template <int Width>
struct narrow {
  std::uint64_t value : Width;
  std::int64_t signed_value : 64 - Width;
};

template <int Width>
void check_fields() {
  e2e::check_same<std::uint64_t>([](std::uint64_t bits, std::size_t i) {
    narrow<Width> fields{bits & ((std::uint64_t{1} << Width) - 1), 0};
    fields.value = fields.value * 5 + i;
    fields.signed_value = static_cast<std::int64_t>(fields.value) / -3 >> 1;
    return static_cast<std::uint64_t>(fields.value / 7) + static_cast<std::uint64_t>(fields.signed_value);
  });
}

}  // namespace

TEST("structures of 3, 5, 6 and 7 bytes, and of 16 and more") {
  check_copies<3>();
  check_copies<5>();
  check_copies<6>();
  check_copies<7>();
  e2e::check_same<std::uint64_t>([](std::uint64_t bits, std::size_t i) {
    struct pair {
      std::uint64_t low, high;
    };
    const pair pairs[3] = {{bits, i}, {i, bits}, {bits ^ i, bits + i}};
    pair chosen;
    std::memcpy(&chosen, &pairs[i % 3], sizeof(chosen));
    return chosen.low * 3 + chosen.high;
  });
}

TEST("fields of bits") {
  check_fields<17>();
  check_fields<24>();
  check_fields<33>();
  check_fields<40>();
  check_fields<56>();
}

TEST("sums that the compiler knows in closed form") {
  e2e::check_same<std::uint64_t>([](std::uint64_t bits, std::size_t i) {
    const std::uint64_t end = bits % 5000 + i;
    std::uint64_t sum = 0;
    for (std::uint64_t k = 0; k < end; ++k) sum += k * k + 3 * k;
    return sum;
  });
  e2e::check_same<std::uint32_t>([](std::uint64_t bits, std::size_t) {
    const auto end = static_cast<std::uint32_t>(bits % 70000);
    std::uint32_t sum = 0;
    for (std::uint32_t k = 0; k < end; ++k) sum += k;
    return sum;
  });
}

TEST("integers of 128 bits") {
  e2e::check_same<std::uint64_t>([](std::uint64_t bits, std::size_t i) {
    __extension__ using wide = unsigned __int128;
    const wide product = static_cast<wide>(bits) * (bits + i) + (static_cast<wide>(i) << 70);
    const wide turned = (product >> (i % 128)) | (product << ((128 - i % 128) % 128));
    return static_cast<std::uint64_t>(turned >> 64) ^ static_cast<std::uint64_t>(turned) ^ (product > turned ? 1u : 0u);
  });
  e2e::check_same<std::uint64_t>([](std::uint64_t bits, std::size_t i) {
    __extension__ using wide = __int128;
    const wide value = static_cast<wide>(static_cast<std::int64_t>(bits)) * -static_cast<std::int64_t>(i + 1);
    const wide least = value < -5 ? value >> 3 : value - 9;
    return static_cast<std::uint64_t>(least >> 64) + static_cast<std::uint64_t>(least);
  });
}

TEST("overflow, saturation and rotation") {
  e2e::check_same<std::uint64_t>([](std::uint64_t bits, std::size_t i) {
    std::int32_t sum, difference;
    std::int64_t product;
    std::uint64_t unsigned_product;
    unsigned flags = 0;
    flags |=
        __builtin_add_overflow(static_cast<std::int32_t>(bits), static_cast<std::int32_t>(bits >> 32), &sum) ? 1 : 0;
    flags |= __builtin_sub_overflow(static_cast<std::int32_t>(bits), static_cast<std::int32_t>(i << 24), &difference)
                 ? 2
                 : 0;
    flags |=
        __builtin_mul_overflow(static_cast<std::int64_t>(bits), static_cast<std::int64_t>(i) - 150, &product) ? 4 : 0;
    flags |= __builtin_mul_overflow(bits, std::uint64_t{i}, &unsigned_product) ? 8 : 0;
    const auto mixed = static_cast<std::uint64_t>(sum) ^ static_cast<std::uint64_t>(difference) ^
                       static_cast<std::uint64_t>(product) ^ unsigned_product;
    return (mixed ^ sycl::rotate(bits, std::uint64_t{i})) + flags +
           sycl::add_sat(static_cast<std::uint32_t>(bits), 0x80000000u) +
           static_cast<std::uint64_t>(sycl::sub_sat(static_cast<std::int16_t>(bits), std::int16_t{30000}));
  });
}

TEST("truth values as numbers") {
  e2e::check_same<float>([](std::uint64_t bits, std::size_t i) {
    const bool odd = (bits & 1) != 0, late = i > 150;
    const auto sign = static_cast<float>(-static_cast<int>(odd));
    return sign + static_cast<float>(late) * 4 + static_cast<float>(odd < late) * 8 +
           static_cast<float>(odd != late) * 16 + static_cast<float>(odd >= late) * 32;
  });
}

TEST("copies whose ends meet") {
  e2e::check_same<std::uint64_t>([](std::uint64_t bits, std::size_t i) {
    unsigned char bytes[32];
    for (std::size_t k = 0; k < sizeof(bytes); ++k) bytes[k] = static_cast<unsigned char>((bits >> (k % 8)) + k);
    std::memmove(bytes + i % 9, bytes + i % 5, 16 + i % 7);
    std::uint64_t result = 0;
    for (unsigned char each : bytes) result = result * 31 + each;
    return result;
  });
}

TEST("atomic operations on memory that may be local or global") {
  auto queue = e2e::make_queue();
  // The launch has so many work-items that several work-items access the same global address at the same time.
  constexpr std::uint32_t size = 64, groups = 256, rounds = 300;
  std::vector<std::uint32_t> totals(groups + 1, 0);
  {
    sycl::buffer<std::uint32_t> buffer(totals.data(), groups + 1);
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor all(buffer, handler, sycl::read_write);
      sycl::local_accessor<std::uint32_t> own(1, handler);
      handler.parallel_for(sycl::nd_range<1>(groups * size, size), [=](sycl::nd_item<1> item) {
        if (item.get_local_id(0) == 0) own[0] = 0;
        sycl::group_barrier(item.get_group());
        std::uint32_t* place = item.get_local_id(0) % 3 == 0 ? &own[0] : &all[groups];
        sycl::atomic_ref<std::uint32_t, sycl::memory_order::relaxed, sycl::memory_scope::device> counter(*place);
        for (std::size_t round = 0; round < rounds; ++round) {
          counter += static_cast<std::uint32_t>(item.get_global_id(0));
        }
        sycl::group_barrier(item.get_group());
        if (item.get_local_id(0) == 0) all[item.get_group(0)] = own[0];
      });
    });
  }
  std::vector<std::uint32_t> expected(groups + 1, 0);
  for (std::uint32_t i = 0; i < groups * size; ++i) expected[i % size % 3 == 0 ? i / size : groups] += i * rounds;
  CHECK_ALL_EQUAL(totals, expected);
}

namespace {

/// Each work-item multiplies a row of narrow numbers by factors that all work-items share.
template <class Number, std::size_t Length>
void check_rows(std::size_t rows, std::size_t length) {
  const double least = std::is_signed_v<Number> ? -120 : 0;
  const std::vector<Number> numbers = e2e::random_values<Number>(rows * length + 1, least, 120);
  const std::vector<Number> factors = e2e::random_values<Number>(length + 1, least, 120);
  const auto combined = [=](const Number* row, const Number* shared) {
    std::int32_t products = 0, both = 0, bits = 0;
    for (std::size_t i = 0; i < (Length != 0 ? Length : length); ++i) {
      products += row[i] * shared[i];
      both += (row[i] & 15) - shared[i];
      bits ^= row[i];
    }
    return products * 3 + both * 5 + bits;
  };
  std::vector<std::int32_t> expected(rows), result(rows);
  for (std::size_t r = 0; r < rows; ++r) expected[r] = combined(numbers.data() + r * length, factors.data());
  sycl::queue queue = e2e::make_queue();
  {
    sycl::buffer<Number> all(numbers.data(), numbers.size()), shared(factors.data(), factors.size());
    sycl::buffer<std::int32_t> sums(result.data(), sycl::range<1>(std::max<std::size_t>(rows, 1)));
    queue.submit([&](sycl::handler& group) {
      const sycl::accessor in(all, group, sycl::read_only), by(shared, group, sycl::read_only);
      const sycl::accessor out(sums, group, sycl::write_only);
      group.parallel_for(sycl::range<1>(rows), [=](sycl::id<1> r) { out[r] = combined(&in[r * length], &by[0]); });
    });
  }
  CHECK_ALL_EQUAL(result, expected);
}

}  // namespace

TEST("rows of bytes and short numbers combine as plain loops do, of lengths that are known and that are not") {
  for (const std::size_t rows : {1, 17, 100}) {
    check_rows<std::int8_t, 32>(rows, 32);
    check_rows<std::uint8_t, 16>(rows, 16);
    for (const std::size_t length : {0, 1, 15, 33, 70}) check_rows<std::int16_t, 0>(rows, length);
  }
}

namespace {

/// A block of quantised numbers. A work-item reads eight bytes of a block at a time.
struct quantised {
  std::int16_t scale;
  std::int8_t numbers[32];
};
struct factors_of_all {
  std::int16_t scale, offset;
  std::int8_t numbers[32];
};

std::int32_t word_of_pairs(const std::int8_t* from) {
  const auto* pairs = reinterpret_cast<const std::uint16_t*>(from);
  return static_cast<std::int32_t>(pairs[0] | static_cast<std::uint32_t>(pairs[1]) << 16);
}
std::int32_t product_of_bytes(std::int32_t a, std::int32_t b) {
  std::int32_t sum = 0;
  for (int k = 0; k < 32; k += 8) sum += static_cast<std::int8_t>(a >> k) * static_cast<std::int8_t>(b >> k);
  return sum;
}

/// Each sub-group multiplies a row by factors that all rows share. A work-item takes a quarter of a block at a time
/// until the row ends, so the work-items of a sub-group may need different numbers of iterations.
void check_shared_rows(std::size_t rows, std::size_t blocks, std::size_t local) {
  sycl::queue queue = e2e::make_queue();
  auto* in = sycl::malloc_shared<quantised>(rows * blocks + 1, queue);
  auto* by = sycl::malloc_shared<factors_of_all>(blocks + 1, queue);
  auto* pairs = sycl::malloc_shared<float>(2 * rows * blocks + 2, queue);
  auto* sums = sycl::malloc_shared<std::int32_t>(2 * rows + 2, queue);
  const auto numbers = e2e::random_values<std::int16_t>(34 * (rows * blocks + blocks + 1), -128, 127);
  const std::int16_t* next = numbers.data();
  for (std::size_t i = 0; i < rows * blocks; ++i) {
    in[i].scale = *next++;
    for (std::int8_t& each : in[i].numbers) each = static_cast<std::int8_t>(*next++);
    pairs[2 * i] = in[i].numbers[0];
    pairs[2 * i + 1] = in[i].numbers[1];
  }
  for (std::size_t i = 0; i < blocks; ++i) {
    by[i] = {next[0], 1, {}};
    ++next;
    for (std::int8_t& each : by[i].numbers) each = static_cast<std::int8_t>(*next++);
  }
  const sycl::event cleared = queue.fill(sums, 0, 2 * rows + 2);
  queue.parallel_for(sycl::nd_range<1>(rows * local, local), cleared, [=](sycl::nd_item<1> item) {
    const sycl::sub_group group = item.get_sub_group();
    const int row = static_cast<int>(item.get_group(0)), count = static_cast<int>(blocks);
    const int lane = static_cast<int>(item.get_local_id(0)), all = static_cast<int>(item.get_local_range(0));
    std::uint32_t sum = 0;
    float products = 0;
    for (int i = lane / 4; i < count; i += all / 4) {
      const quantised& a = in[row * count + i];
      std::int32_t words = 0;
      for (int k = 0; k < 8; k += 4)
        words += product_of_bytes(word_of_pairs(a.numbers + lane % 4 * 8 + k),
                                  word_of_pairs(by[i].numbers + lane % 4 * 8 + k));
      sum += static_cast<std::uint32_t>(a.scale * by[i].scale) * static_cast<std::uint32_t>(words & 0xffff);
    }
    for (int i = lane; i < count; i += all) {
      const int at = row * count + i;
      products += pairs[2 * at] * static_cast<float>(i % 3) + pairs[2 * at + 1] * static_cast<float>(i % 5);
    }
    sum = sycl::reduce_over_group(group, sum, sycl::plus<>());
    products = sycl::reduce_over_group(group, products, sycl::plus<>());
    // Sums of small whole numbers are exact.
    if (group.leader()) {
      sycl::atomic_ref<std::int32_t, sycl::memory_order::relaxed, sycl::memory_scope::device> first(sums[2 * row]),
          second(sums[2 * row + 1]);
      first += static_cast<std::int32_t>(sum);
      second += static_cast<std::int32_t>(products);
    }
  });
  queue.wait();
  for (std::size_t row = 0; row < rows; ++row) {
    std::uint32_t sum = 0;
    std::int32_t products = 0;
    for (std::size_t i = 0; i < blocks; ++i) {
      const quantised& a = in[row * blocks + i];
      for (int quarter = 0; quarter < 4; ++quarter) {
        std::int32_t words = 0;
        for (int k = 0; k < 8; ++k) words += a.numbers[8 * quarter + k] * by[i].numbers[8 * quarter + k];
        sum += static_cast<std::uint32_t>(a.scale * by[i].scale) * static_cast<std::uint32_t>(words & 0xffff);
      }
      products += a.numbers[0] * static_cast<int>(i % 3) + a.numbers[1] * static_cast<int>(i % 5);
    }
    CHECK_EQUAL(sums[2 * row], static_cast<std::int32_t>(sum));
    CHECK_EQUAL(sums[2 * row + 1], products);
  }
  sycl::free(in, queue);
  sycl::free(by, queue);
  sycl::free(pairs, queue);
  sycl::free(sums, queue);
}

}  // namespace

TEST("rows that the work-items of a sub-group share are right for lengths at which these end in different iterations") {
  for (const std::size_t blocks : {0, 1, 2, 3, 4, 5, 16, 17, 67}) {
    for (const std::size_t local : {4, 16, 32, 40}) check_shared_rows(5, blocks, local);
  }
}

E2E_MAIN
