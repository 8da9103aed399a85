/// Tests facts of fused code. The reader comes to an end for any bytes. Facts that the reader accepts do not change if
/// they are written and read again.

#include <cstdint>
#include <cstdlib>
#include <images/fusion_facts.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::size_t members = size == 0 ? 1 : 1 + bytes[0] % 16;
  sinter::fusion_facts facts, again;
  if (!sinter::read_fusion_facts({reinterpret_cast<const char*>(bytes), size}, members, facts)) return 0;
  if (facts.range_member >= members || facts.local_member >= members) std::abort();
  for (const sinter::abi::fusion_dependence& place : facts.depends_on) {
    if (place.member >= members) std::abort();
  }
  const std::string written = sinter::write_fusion_facts(facts);
  if (std::string_view(reinterpret_cast<const char*>(bytes), size) != written) std::abort();
  if (!sinter::read_fusion_facts(written, members, again)) std::abort();
  if (again.refused != facts.refused || again.code != facts.code || again.numbers != facts.numbers) {
    std::abort();
  }
  return 0;
}
