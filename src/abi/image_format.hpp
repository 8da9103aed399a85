#pragma once
/// Contract 2 of 3: the device image that capture embeds in a host object file, and its registration record.
///
/// An image is one contiguous blob: header, kernel, leaf, import, export, constant and call tables, strings, bitcode.
/// Offsets count bytes from the first byte of the header. Strings are zero-terminated, and a field refers to a string
/// by its offset into the string area. The blob is untrusted input: `src/images` validates all of it before any other
/// code reads it.

#include <cstdint>

namespace sinter::abi {

inline constexpr char image_magic[8] = {'S', 'I', 'N', 'T', 'E', 'R', 'I', 'M'};
inline constexpr std::uint32_t image_format_version = 7;

/// ELF section of the blobs (one per translation unit with kernels).
inline constexpr const char* image_section = "sinter_image";

enum image_flags : std::uint32_t {
  image_bitcode_zstd = 1u << 0,  ///< bitcode is one zstd frame of `bitcode_raw_size` bytes
  image_full_debug = 1u << 1,    ///< compiled with -O0 -g: kernels are not optimised, so that debuggers show all
                                 ///< variables
};

enum kernel_flags : std::uint32_t {
  /// The kernel runs on the host CPU only, because it has imports, indirect calls or allocations. The compiler has
  /// warned about the kernel.
  kernel_not_portable = 1u << 0,
  /// image_kernel::required_work_group_size is not a requirement on launches: it is the size of the groups that the
  /// kernel itself forms.
  kernel_own_groups = 1u << 1,
  kernel_needs_groups = 1u << 3,   ///< a kernel from SPIR-V that uses its work-group, so it must be launched with
                                   ///< groups
  /// The required size of work-groups holds for CPUs only. Other devices may launch the kernel with other sizes.
  kernel_sizes_for_cpu = 1u << 2,
  /// The host code that clang made for the kernel gives the same results as the JIT's code for the CPU.
  kernel_host_copy = 1u << 4,
  /// Like kernel_host_copy, but for CPUs with an FMA: the host copy rounds a * b + c once.
  kernel_host_adds_products_once = 1u << 5,
  kernel_host_loops = 1u << 6,               ///< the host copy has loops, so a work-item's duration has no limit
  kernel_takes_turns = 1u << 7,  ///< work-items can do the work of several groups (__sinter_has_turn)
  /// The kernel is compiled for the fixed targets whose bits are set; 0: for any device. Each of abi::known_targets
  /// (device_targets.hpp) has one bit.
  kernel_fixed_targets = 3u << 8 | 1u << 14,
  kernel_groups_meet = 1u << 10,  ///< all work-groups meet at a barrier (root_group)
  kernel_device_globals = 1u << 11,  ///< the kernel accesses device_globals by their address
  kernel_group_dimensions = 3u << 12,  ///< number of sizes in reqd_work_group_size; 0: not known
};
constexpr std::uint32_t group_dimensions(std::uint32_t count) { return count << 12; }
constexpr std::uint32_t dimensions_of_group(std::uint32_t kernel_flags) { return kernel_flags >> 12 & 3; }

/// An image has seven entries for each kernel from SPIR-V, one for each kind of launch, in this order: single_task,
/// range<1> to <3>, nd_range<1> to <3>.
inline constexpr std::uint32_t imported_forms = 7;

/// The kind of launch. The kind decides whether the interval [first, last) of cpu_entry (launch_abi.hpp) counts
/// work-items or work-groups.
enum class kernel_shape : std::uint32_t { single_task = 0, range = 1, nd_range = 2 };

/// The kind of one leaf of the argument block. GPU backends use the kinds to find pointers in the block. Bytes that
/// belong to no leaf are padding.
enum class leaf_kind : std::uint16_t {
  scalar = 0,          ///< a number or an enumerator, `size` bytes
  global_pointer = 1,  ///< raw pointer: USM or system memory
  accessor = 2,        ///< sycl::accessor; `element_size`, `dimensions`, `access_mode` are valid
  local_accessor = 3,  ///< sycl::local_accessor: holds an offset into the group's local memory
  opaque_bytes = 4,    ///< unions and anything else, copied as bytes
  constants = 5,       ///< pointer to the launch's table of specialization constants (abi::specialization_table)
  stream = 6,
  specialized = 7,     ///< a value that is part of the code: experimental::spec_constant, format of an image, sampler
};

/// This access mode marks a local_accessor leaf that is no argument of the kernel. Such a leaf describes an array of
/// `element_size` bytes that an imported kernel has in local memory.
inline constexpr std::uint8_t leaf_is_own_array = 0xff;

struct image_leaf {
  std::uint32_t offset;        ///< offset in bytes from the start of the argument block
  std::uint32_t size;          ///< bytes
  leaf_kind kind;
  std::uint8_t dimensions;     ///< dimensions of an accessor: 0 to 3
  std::uint8_t access_mode;    ///< an accessor's value of sycl::access_mode
  std::uint32_t element_size;  ///< size of one element of an accessor
};
static_assert(sizeof(image_leaf) == 16);

/// A set with a bit for each aspect, in two words. Low bits are in the first word.
struct aspect_set {
  std::uint64_t words[2] = {};

  explicit constexpr operator bool() const { return (words[0] | words[1]) != 0; }
  constexpr bool has(std::uint32_t bit) const { return (words[bit / 64] >> bit % 64 & 1) != 0; }
  constexpr aspect_set operator~() const { return {{~words[0], ~words[1]}}; }
  constexpr aspect_set operator&(const aspect_set& other) const {
    return {{words[0] & other.words[0], words[1] & other.words[1]}};
  }
  constexpr aspect_set& operator|=(const aspect_set& other) {
    words[0] |= other.words[0];
    words[1] |= other.words[1];
    return *this;
  }
  friend constexpr aspect_set operator|(aspect_set a, const aspect_set& b) { return a |= b; }
  friend constexpr bool operator==(const aspect_set&, const aspect_set&) = default;
  friend constexpr bool operator<(const aspect_set& a, const aspect_set& b) {
    return a.words[1] != b.words[1] ? a.words[1] < b.words[1] : a.words[0] < b.words[0];
  }
};

/// All unknown aspects share the bit with this number. No device has the bit.
inline constexpr std::uint32_t aspect_limit = 127;
constexpr aspect_set aspect_bit(std::uint64_t aspect) {
  const std::uint64_t bit = aspect < aspect_limit ? aspect : aspect_limit;
  aspect_set set;
  set.words[bit / 64] = std::uint64_t{1} << bit % 64;
  return set;
}
/// Calls `visit` with the value of each aspect of the set, or with aspect_limit for unknown aspects.
template <class Visitor>
constexpr void for_each_aspect(const aspect_set& set, const Visitor& visit) {
  for (std::uint32_t word = 0; word < 2; ++word) {
    for (std::uint64_t rest = set.words[word]; rest != 0; rest &= rest - 1) {
      visit(64 * word + static_cast<std::uint32_t>(__builtin_ctzll(rest)));
    }
  }
}

struct image_kernel {
  std::uint32_t symbol;           ///< string: name of the kernel function, void(ptr argument_block), in the bitcode
  std::uint32_t display_name;     ///< string: readable name for messages, reports and profilers
  std::uint32_t source_position;  ///< string: "file:line:column" of the kernel, or empty
  std::uint32_t flags;            ///< kernel_flags
  kernel_shape shape;
  std::uint32_t dimensions;       ///< 1 to 3
  std::uint32_t block_size;       ///< bytes of the argument block
  std::uint32_t block_alignment;
  std::uint32_t first_leaf;       ///< index into the leaf table
  std::uint32_t leaf_count;
  std::uint32_t required_work_group_size[3];  ///< SYCL order, padded in front with 1; all 0: no requirement
  std::uint32_t required_sub_group_size;      ///< 0: no requirement
  /// The aspects that the kernel uses or declares with [[sycl::device_has]].
  aspect_set required_aspects;
  std::uint32_t first_constant;    ///< index into the constant table
  std::uint32_t constant_count;
  std::uint32_t first_call;        ///< index into the call table
  std::uint32_t call_count;
};
static_assert(sizeof(image_kernel) == 88);

/// Values of sycl::aspect. A kernel requires these aspects as soon as it uses certain types or operations, even without
/// an attribute.
inline constexpr std::uint32_t aspect_fp16 = 5, aspect_fp64 = 6, aspect_atomic64 = 28;

/// A specialization constant that a kernel refers to, even if the kernel does not use the constant's value.
struct image_constant {
  std::uint64_t key;  ///< operand of __sinter_specialization_constant
};

/// A host function or variable to which captured code refers by address. Entry i corresponds to
/// image_record::import_addresses[i]. Addresses differ between processes, so compiled code reads the address from a
/// table. The code itself can then be cached.
struct image_import {
  std::uint32_t symbol;  ///< string: name of the declaration in the bitcode
  std::uint32_t unused;
  /// The size of a device_global, in bytes; 0 for other imports. Each device with its own memory has its own copy of a
  /// device_global.
  std::uint64_t device_global_bytes;
};
static_assert(sizeof(image_import) == 16);

/// A function of this image that other images may call (SYCL_EXTERNAL). Entry i corresponds to
/// image_record::export_addresses[i]. Other images find the function by its address on the host.
struct image_export {
  std::uint32_t symbol;
  std::uint32_t flags;             ///< kernel_fixed_targets, kernel_groups_meet
  aspect_set required_aspects;     ///< see image_kernel::required_aspects
  std::uint32_t required_sub_group_size;
  std::uint32_t first_call;        ///< index into the call table
  std::uint32_t call_count;
  std::uint32_t unused;
};
static_assert(sizeof(image_export) == 40);

/// An imported function that a kernel or exported function calls, directly or through functions of this image. The
/// caller requires all device features that the imported function requires.
struct image_call {
  std::uint32_t import;  ///< index into the import table
};

struct image_header {
  char magic[8];
  std::uint32_t version;        ///< image_format_version
  std::uint32_t device_abi;     ///< device_abi_version
  std::uint64_t total_size;     ///< bytes of the whole blob
  std::uint32_t flags;          ///< image_flags
  std::uint32_t kernel_count;
  std::uint32_t leaf_count;
  std::uint32_t import_count;
  std::uint32_t export_count;
  std::uint32_t constant_count;
  std::uint32_t call_count;
  std::uint32_t unused;
  std::uint64_t kernels_offset;
  std::uint64_t leaves_offset;
  std::uint64_t imports_offset;
  std::uint64_t exports_offset;
  std::uint64_t constants_offset;
  std::uint64_t calls_offset;
  std::uint64_t strings_offset;
  std::uint64_t strings_size;
  std::uint64_t bitcode_offset;
  std::uint64_t bitcode_size;      ///< bytes as stored
  std::uint64_t bitcode_raw_size;  ///< bytes after decompression
  std::uint64_t hash_low;          ///< hash (XXH3-128, seed 0) of all bytes after the header
  std::uint64_t hash_high;
};
static_assert(sizeof(image_header) == 160);

struct kernel_descriptor;

/// Capture makes one writable record for each translation unit with kernels or SYCL_EXTERNAL functions. The object
/// file's constructor registers the record, and its destructor unregisters it. So the record is registered exactly as
/// long as its program or shared library is loaded.
struct image_record {
  std::uint32_t version;   ///< image_format_version
  std::uint32_t descriptor_count;
  const image_header* image;
  std::uint64_t image_size;                  ///< bytes of the blob; equals image->total_size if the blob is intact
  const void* const* import_addresses;       ///< image->import_count entries
  const void* const* export_addresses;       ///< image->export_count entries
  kernel_descriptor* const* descriptors;     ///< descriptor_count entries; descriptors[i]->index says which kernel
  image_record* next;                        ///< owned by the registry; initially null
  void* runtime;                             ///< owned by the registry; initially null
};
static_assert(sizeof(image_record) == 64);

} // namespace sinter::abi

extern "C" {
/// The constructor and the destructor that capture adds to an object file call these functions, which never throw. If
/// an image is malformed, the runtime reports it once and runs its kernels through their host entries.
__attribute__((visibility("default"))) void __sinter_register_image(sinter::abi::image_record* record) noexcept;
__attribute__((visibility("default"))) void __sinter_unregister_image(sinter::abi::image_record* record) noexcept;
}
