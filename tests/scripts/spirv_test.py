#!/usr/bin/env python3
"""Kernels for OpenCL drivers: kernels of the end-to-end programs are valid SPIR-V modules, or are refused with a
message. Drivers that can't be used are listed with the reason."""
import glob
import os
import re
import shutil
import struct

import common

LOWER = os.path.join(common.BUILD, "jitd", "sinter-lower")
INFO = os.path.join(common.BUILD, "jitd", "tools", "sinter_info", "sinter-info")
VECTOR_ADD = os.path.join(common.BUILD, "examples", "vector_add")
# Messages of refused kernels that can run only on the host CPU.
REFUSALS = ["it can run on the host CPU only", "which only the host has", "an array of variable length",
            "devices have powers of two up to 64", "that sub-groups of 8 to 64 work-items can hold",
            "for which there is no SPIR-V:  %1 = tail call noundef i64 @llvm.readcyclecounter"]
#: Programs without device images, because the source of their kernels is in other languages.
NO_IMAGES = ("e2e_source_bundles",)
HEAD = """#include <sycl/sycl.hpp>
int main(int count, char**) {
  sycl::queue q;
  int *in = nullptr, *out = nullptr;
  %s
}
"""


def compile_kernels(source, output):
    flags = common.read_headers("-std=c++20", "-O2", "-w", *common.plugin_flags())
    common.run([common.CLANGXX, *flags, "-c", source, "-o", output]).expect()


def modules(program, *options, **variables):
    """The SPIR-V modules of a program's kernels, and the messages about kernels that are refused."""
    result = common.subprocess.run([LOWER, "--emit=spirv", *options, str(program)], stdout=common.subprocess.PIPE,
                                   stderr=common.subprocess.PIPE, env=dict(os.environ, SINTER_VERIFY="1", **variables))
    common.check(result.returncode in (0, 1), f"{program}: {result.stderr[-500:]}")
    found, at = [], 0
    while at < len(result.stdout):
        line = result.stdout.index(b"\n", at)
        size = int(result.stdout[at:line])
        found.append(result.stdout[line + 1:line + 1 + size])
        at = line + 1 + size + 1
    return found, result.stderr.decode(errors="replace").splitlines()


def text_of(body, *options):
    """The kernels of a program as SPIR-V assembly."""
    if not shutil.which("spirv-dis"):
        raise common.Skip("no spirv-dis (package spirv-tools)")
    with common.Folder() as folder:
        source = folder.write("kernels.cpp", HEAD % body)
        compile_kernels(source, folder / "kernels.o")
        found, refused = modules(folder / "kernels.o", *options)
        common.check(not refused, refused)
        text = ""
        for module in found:
            with open(folder / "kernel.spv", "wb") as file:
                file.write(module)
            text += common.run(["spirv-dis", folder / "kernel.spv"]).expect().out
        return text


def test_all_kernels():
    """every kernel of half of the end-to-end programs becomes valid SPIR-V 1.4"""
    common.not_sanitized()
    if not shutil.which("spirv-val"):
        raise common.Skip("no spirv-val (package spirv-tools)")
    programs = [each for each in glob.glob(os.path.join(common.BUILD, "tests", "e2e", "e2e_*"))
                if os.path.isfile(each) and os.path.basename(each) not in NO_IMAGES]
    common.check(len(programs) > 40, f"only {len(programs)} programs")
    # CI has time for half of the programs. The other half becomes PTX in the test of PTX, and the tests on OpenCL's
    # drivers run all programs by SPIR-V.
    programs = [each for each in programs if common.in_half(each, 0)]
    count = 0
    with common.Folder() as folder:
        for program in programs:
            found, refused = modules(program)
            for line in refused:
                common.check(any(reason in line for reason in REFUSALS), line)
            for module in found:
                with open(folder / "kernel.spv", "wb") as file:
                    file.write(module)
                common.run(["spirv-val", "--target-env", "spv1.4", folder / "kernel.spv"]).expect()
                count += 1
    common.check(count > (1500 if common.LONG else 750), f"only {count} kernels")


def test_steps_left_out():
    """SINTER_PASSES skips steps for SPIR-V, too, and the result is valid"""
    common.not_sanitized()
    if not shutil.which("spirv-val"):
        raise common.Skip("no spirv-val (package spirv-tools)")
    with common.Folder() as folder:
        for name in ("barriers", "private_memory"):
            program = os.path.join(common.BUILD, "tests", "e2e", "e2e_" + name)
            whole, refused = modules(program)
            found, said = modules(program, SINTER_PASSES="-all")
            common.check(len(found) == len(whole) and found != whole and said == refused, said)
            for module in found:
                with open(folder / "kernel.spv", "wb") as file:
                    file.write(module)
                common.run(["spirv-val", "--target-env", "spv1.4", folder / "kernel.spv"]).expect()
        _, said = modules(program, SINTER_BISECT="1")
        common.check(any("step 1 takes known-arguments" in line for line in said), said)
        common.check(any("step 2 leaves out llvm" in line for line in said), said)


def test_narrowed_numbers():
    """loop counters keep their width: LLVM would shift 64-bit numbers by 32-bit counts after narrowing them"""
    common.not_sanitized()
    if not shutil.which("spirv-val"):
        raise common.Skip("no spirv-val (package spirv-tools)")
    with common.Folder() as folder:
        source = folder.write("kernels.cpp", HEAD % """const int size = in[0];
          q.submit([&](sycl::handler& h) { sycl::local_accessor<int, 1> left(4, h), right(4, h);
          h.parallel_for(sycl::nd_range<2>({16, 16}, {2, 2}), [=](sycl::nd_item<2> item) {
            int x = item.get_group(0), y = item.get_group(1), column = item.get_local_id(0), row = item.get_local_id(1);
            int first = size * 2 * y, last = first + size - 1, sum = 0;
            for (int a = first, b = 2 * x; a <= last; a += 2, b += 2 * size) {
              left[row * 2 + column] = in[a + size * row + column];
              right[column * 2 + row] = in[b + size * row + column];
              item.barrier();
              for (int k = 0; k < 2; k++) sum += left[row * 2 + k] * right[column * 2 + k];
              item.barrier();
            }
            out[item.get_global_linear_id()] = sum; }); });""")
        compile_kernels(source, folder / "kernels.o")
        found, refused = modules(folder / "kernels.o", "--local=1,2,2")
        common.check(len(found) == 1 and not refused, refused)
        with open(folder / "kernel.spv", "wb") as file:
            file.write(found[0])
        common.run(["spirv-val", "--target-env", "spv1.4", folder / "kernel.spv"]).expect()


def test_specialization_ids():
    """specialization constants that the driver sets: one instruction reads each number, at its first use"""
    common.not_sanitized()
    text = text_of("""constexpr static sycl::specialization_id<int> terms(3);
      constexpr static sycl::specialization_id<float> factor(2.0f);
      q.submit([&](sycl::handler& h) { h.parallel_for(sycl::range<1>(16), [=](sycl::item<1> i, sycl::kernel_handler k) {
        int sum = 0;
        for (int t = 0; t < k.get_specialization_constant<terms>(); ++t) sum += in[i.get_linear_id() + t];
        out[i.get_linear_id()] = sum * k.get_specialization_constant<factor>(); }); });""", "--specialization-ids=4")
    for number in (0, 1):
        common.check(len(re.findall(rf"OpDecorate %\w+ SpecId {number}\b", text)) == 1, text)
    common.check(len(re.findall(r"= OpSpecConstant %uint 0", text)) == 2, text)


def test_without_sub_groups():
    """for drivers without sub-groups, each work-item is a sub-group, and no capability is required"""
    common.not_sanitized()
    text = text_of("""q.parallel_for(sycl::nd_range<2>({16, 16}, {4, 4}), [=](sycl::nd_item<2> i) {
      const sycl::sub_group mine = i.get_sub_group();
      sycl::group_barrier(mine);
      int value = sycl::any_of_group(mine, in[0] > 3) ? in[1] : sycl::select_from_group(mine, in[2], 1);
      value += sycl::reduce_over_group(mine, in[3], sycl::plus<int>());
      out[i.get_global_linear_id()] = sycl::inclusive_scan_over_group(i.get_group(), value, sycl::plus<int>()); });""",
                   "--sub-group=1", "--local=1,4,4")
    for word in ("Subgroup", "OpCapability Groups", "OpCapability GroupNonUniform"):
        common.check(word not in text, word + "\n" + text)
    common.check(re.search(r"OpExecutionMode .* LocalSize 4 4 1", text), text)


def test_words():
    """required sizes, barriers and scopes in the module are those of the kernel"""
    common.not_sanitized()
    text = text_of("""q.parallel_for(sycl::nd_range<1>(256, 64), [=](sycl::nd_item<1> i) [[sycl::reqd_sub_group_size(8)]] {
      out[i.get_global_id(0)] = sycl::reduce_over_group(i.get_sub_group(), in[i.get_local_id(0)], sycl::plus<int>());
      sycl::group_barrier(i.get_group()); });""", "--local=1,1,64")
    for pattern in (r"OpExecutionMode .* LocalSize 64 1 1", r"OpExecutionMode .* SubgroupSize 8",
                    r"OpExecutionMode .* ContractionOff", r"OpControlBarrier %\w+ %\w+ %\w+", r"OpEntryPoint Kernel"):
        common.check(re.search(pattern, text), pattern + "\n" + text)


def test_atomic_accesses():
    """atomic loads and stores stay atomic, in both kinds of memory"""
    common.not_sanitized()
    text = text_of("""q.submit([&](sycl::handler& h) { sycl::local_accessor<unsigned long, 1> flag(1, h);
      h.parallel_for(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> i) {
      using sycl::memory_order; using sycl::memory_scope;
      sycl::atomic_ref<int, memory_order::relaxed, memory_scope::device> global(out[1]);
      sycl::atomic_ref<unsigned long, memory_order::relaxed, memory_scope::work_group> local(flag[0]);
      while (global.load(memory_order::acquire) == 0) {}
      local.store(7, memory_order::release);
      out[0] = local.load(); }); });""")
    for pattern in (r"OpAtomicLoad %uint %\w+ %\w+ %uint_514", r"OpAtomicStore %\w+ %\w+ %uint_260 %ulong_7",
                    r"OpAtomicLoad %ulong"):
        common.check(re.search(pattern, text), pattern + "\n" + text)


def test_atomics_of_either_memory():
    """an atomic tests at run time if its memory is global: drivers for CPUs call all memory local, too"""
    common.not_sanitized()
    text = text_of("""q.submit([&](sycl::handler& h) { sycl::local_accessor<int, 1> own(1, h);
      h.parallel_for(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> i) {
      int* place = i.get_local_id(0) % 3 == 0 ? &own[0] : &out[0];
      sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(*place) += 1; }); });""")
    questions = re.findall(r"OpGenericCastToPtrExplicit \S+ \S+ (\w+)", text)
    common.check(questions == ["CrossWorkgroup"], f"{questions}\n{text}")


def test_prints():
    """printf becomes OpenCL's; its strings are constants of the module, and other strings are refused"""
    common.not_sanitized()
    text = text_of("""q.parallel_for(10, [=](sycl::id<1> i) {
      std::printf("%zu %-3lld of %5.1f%% in %s\\n", i[0], (long long)in[i], in[i] * 0.5, "here");
      std::printf("plain\\n"); std::printf("%s\\n", "alone"); std::printf(""); });""")
    common.check(len(re.findall(r"OpExtInst %uint %\d+ printf", text)) == 4, text)
    strings = re.findall(r"OpConstantComposite %_arr_uchar\w* (.*)", text)
    found = ["".join(chr(int(word)) for word in re.findall(r"%uchar_(\d+)", row)) for row in strings]
    common.check({"%lu %-3ld of %5.1f%% in %s\n", "here", "plain\n", "alone"} <= set(found), f"{found}\n{text}")
    for body, reason in {"std::printf(reinterpret_cast<const char*>(in), 1)": "a format that is no constant",
                         'std::printf("%s\\n", reinterpret_cast<const char*>(in))': "a string that is no constant, by %s",
                         'std::printf("%*d\\n", in[0], in[1])': "its printf has '*' in the format"}.items():
        with common.Folder() as folder:
            source = folder.write("kernels.cpp", HEAD % ("q.single_task([=] { " + body + "; });"))
            compile_kernels(source, folder / "kernels.o")
            found, refused = modules(folder / "kernels.o")
            common.check(not found and any(reason in line for line in refused), f"{reason}: {refused}")


#: Expressions of floats f and g, halves h, bfloat16 b, integers n, and vectors of floats v, for devices without double.
#: The names of functions of one and of two numbers stand for calls with f and with h.
OF_ONE = """acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi erf erfc exp exp10 exp2 expm1
fabs floor lgamma log log10 log1p log2 logb rint round rsqrt sin sinh sinpi sqrt tan tanh tanpi tgamma trunc degrees
radians sign length normalize isfinite isinf isnan isnormal signbit ilogb"""
OF_TWO = """atan2 atan2pi copysign distance dot fdim fmax fmin fmod hypot max maxmag min minmag nextafter pow powr remainder
step isequal isless isordered"""
FLOAT_EXPRESSIONS = """sycl::pown(f, n) | sycl::rootn(f, n) | sycl::ldexp(f, n) | sycl::pown(h, n) | sycl::rootn(h, n)
sycl::fma(f, g, f) | sycl::fma(h, h, h) | sycl::mad(h, h, h) | sycl::mix(f, g, f) | sycl::clamp(h, h, h)
sycl::smoothstep(f, g, f) | sycl::frexp(f, &n) | sycl::frexp(h, &n) | sycl::lgamma_r(f, &n) | sycl::lgamma_r(h, &n)
sycl::remquo(f, g, &n) | sycl::remquo(h, h, &n) | sycl::modf(f, &g) | sycl::fract(f, &g) | sycl::sincos(f, &g)
sycl::modf(h, &h2) | sycl::fract(h, &h2) | sycl::sincos(h, &h2) | sycl::nan(unsigned(n)) | sycl::select(f, g, n != 0)
sycl::native::divide(f, g) | sycl::native::exp10(f) | sycl::native::powr(f, g) | sycl::native::tan(f)
sycl::half_precision::divide(f, g) | sycl::half_precision::exp10(f) | sycl::half_precision::powr(f, g)
sycl::length(v) | sycl::distance(v, v) | sycl::normalize(v)[0] | sycl::fast_length(v) | sycl::fast_normalize(v)[1]
sycl::length(v.swizzle<0, 1, 2>()) | sycl::cross(v, v)[2] | sycl::pown(v, sycl::int4(n))[3]
sycl::rootn(v, sycl::int4(n))[3] | sycl::length(sycl::marray<float, 3>(f)) | sycl::length(sycl::half3(h))
sycl::fma(sycl::half2(h), sycl::half2(h), sycl::half2(h))[0] | bf::fma(b, b, b) | bf::exp10(b) | bf::rsqrt(b)
b * b + b | bf::fma(pair, pair, pair)[0] | CONVERTED(float, f, int) | CONVERTED(float, f, unsigned long)
CONVERTED(sycl::half, h, short) | CONVERTED(int, n, float) | CONVERTED(unsigned, n, float) | CONVERTED(long, n, float)
CONVERTED(float, f, sycl::half) | CONVERTED(int, n, sycl::half) | CONVERTED(unsigned long, n, sycl::half)
h * 2 + h / n | half(n) | f < h | std::sin(f) | std::pow(f, g) | std::hypot(f, g) | std::hypot(f, g, f)
std::fma(f, g, f) | std::cbrt(f) | std::fmod(f, g) | std::remainder(f, g) | std::lround(f) | std::llrint(f)
std::ldexp(f, n) | std::frexp(f, &n) | std::modf(f, &g) | std::nextafter(f, g) | std::tgamma(f) | std::lgamma(f)
std::erf(f) | std::lerp(f, g, f) | std::scalbn(f, n) | std::ilogb(f) | std::logb(f) | std::exp2(f) | std::fdim(f, g)
std::remquo(f, g, &n) | std::abs(std::complex<float>(f, g)) | std::exp(std::complex<float>(f, g)).real()
std::log(c).imag() | std::sqrt(c).real() | std::pow(c, c).real() | (c / c).real() | (c * c).imag()
std::tanh(c).real() | std::acos(c).real() | std::asinh(c).imag() | std::atan(c).real() | std::acosh(c).imag()
std::atanh(c).imag() | std::tan(c).real() | std::polar(f, g).real() | exp(cx::complex<sycl::half>(h, h)).real()
pow(d, d).real() | sqrt(d).real() | (d / d).imag() | acosh(d).real()"""


def test_floats_without_doubles():
    """functions of floats, halves and bfloat16 need no doubles, and neither do streams that print them"""
    common.not_sanitized()
    expressions = [f"sycl::{name}({x})" for name in OF_ONE.split() for x in "fh"]
    expressions += [f"sycl::{name}({x})" for name in OF_TWO.split() for x in ("f, g", "h, h2")]
    expressions += [each.strip() for line in FLOAT_EXPRESSIONS.splitlines() for each in line.split(" | ")]
    kernels = "".join(f"""q.parallel_for<struct k{number}>(10, [=](sycl::id<1> i) {{
      float f = real[i], g = real[i + 10];
      sycl::half h(f), h2(g);
      const bfloat16 b(f);
      int n = in[i];
      const sycl::float4 v(f, g, 1.0f, f);
      const sycl::marray<bfloat16, 2> pair(b);
      const std::complex<float> c(f, g);
      const cx::complex<float> d(f, g);
      real[i] = static_cast<float>({text}) + g + float(h2) + n; }});
      """ for number, text in enumerate(expressions))
    kernels += """q.submit([&](sycl::handler& group) {
      sycl::stream out(1000, 100, group);
      group.parallel_for<struct printing>(10, [=](sycl::id<1> i) { out << real[i] << half(real[i]) << "\\n"; }); });
    q.single_task<struct of_doubles>([=] { real[0] = real[1] * 1.1; });"""
    head = HEAD.replace("int main", """#include <cmath>
#include <complex>
#include <sycl/ext/oneapi/experimental/bfloat16_math.hpp>
#include <sycl/ext/oneapi/experimental/complex/complex.hpp>
namespace bf = sycl::ext::oneapi::experimental;
namespace cx = sycl::ext::oneapi::experimental;
using sycl::half, sycl::ext::oneapi::bfloat16;
#define CONVERTED(From, x, To) CONVERTED_AS(From, x, To, rte) + CONVERTED_AS(From, x, To, rtz) \\
  + CONVERTED_AS(From, x, To, rtp) + CONVERTED_AS(From, x, To, rtn)
#define CONVERTED_AS(From, x, To, mode) \\
  float(sycl::vec<From, 2>(x).template convert<To, sycl::rounding_mode::mode>()[1])
int main""", 1).replace("int *in", "float* real = nullptr;\n  int *in", 1)
    with common.Folder() as folder:
        source = folder.write("kernels.cpp", head % kernels)
        compile_kernels(source, folder / "kernels.o")
        every, _ = modules(folder / "kernels.o")
        found, refused = modules(folder / "kernels.o", "--lacks=fp64")
        common.check(not refused, refused)
        with_doubles = [name_of(module) for module in every if has_doubles(module)]
        text = [expressions[int(name[1:])] if name[1:].isdigit() else name for name in with_doubles]
        common.check(text == ["of_doubles"], f"doubles in {text}")
        common.check(len(every) == len(found) + 1 == len(expressions) + 2, f"{len(found)} of {len(every)} kernels")


def instructions_of(module):
    """Each instruction's number and words."""
    words = struct.unpack(f"<{len(module) // 4}I", module)
    at = 5
    while at < len(words):
        yield words[at] & 0xffff, words[at + 1:at + (words[at] >> 16)]
        at += words[at] >> 16


def has_doubles(module):
    """Whether a module has a type of floats of 64 bits (OpTypeFloat)."""
    return any(number == 22 and words[1] == 64 for number, words in instructions_of(module))


def name_of(module):
    """The kernel's name (OpEntryPoint)."""
    words = next(words for number, words in instructions_of(module) if number == 15)
    return struct.pack(f"<{len(words) - 2}I", *words[2:]).split(b"\0")[0].decode().removeprefix("sinter_")


def test_pointers_apart():
    """if memory has no addresses, kernels get a parameter for each pointer, and hidden pointers are refused"""
    common.not_sanitized()

    def parameters(body):
        text = text_of(body, "--pointers-apart")
        common.check("OpConvertUToPtr" not in text, text)
        # The kernel is the last function. Earlier functions are only declared, so their parameters don't count.
        return text[text.rindex("OpFunction "):].count("OpFunctionParameter")

    plain = parameters("q.single_task([=] {});")
    common.check(plain == 4, plain)
    both = parameters("""int* unused = in + 1;
      q.parallel_for(10, [=](sycl::id<1> i) { (void)unused; out[i] = in[i] * 2; });""")
    common.check(both == plain + 2, both)
    chosen = parameters("""struct { int* all[3]; } arrays{{in, out, in + 5}};
      q.parallel_for(10, [=](sycl::id<1> i) { out[i] = arrays.all[i % 3][i]; });""")
    common.check(chosen == plain + 4, chosen)
    with common.Folder() as folder:
        source = folder.write("kernels.cpp", HEAD % """union { int* pointer; long number; } hidden{in};
          q.parallel_for(10, [=](sycl::id<1> i) { out[i] = hidden.pointer[i]; });""")
        compile_kernels(source, folder / "kernels.o")
        found, refused = modules(folder / "kernels.o", "--pointers-apart")
        common.check(not found and any("hidden in a union" in line for line in refused), refused)


def test_padded_ranges():
    """if a launch has more work-items than the range, the additional ones do nothing, and the range is read from
    the geometry"""
    common.not_sanitized()
    body = "q.parallel_for(sycl::range(3, 10), [=](sycl::item<2> i) { out[i.get_linear_id()] = in[i.get_range(0)]; });"
    plain, padded = text_of(body), text_of(body, "--folded")
    common.check("GlobalSize" in plain and "OpBranchConditional" not in plain, plain)
    common.check("GlobalSize" not in padded and padded.count("OpBranchConditional") == 1, padded)
    # Single tasks have no range, so they need no test.
    task = text_of("q.single_task([=] { *out = *in; });", "--folded")
    common.check("OpBranchConditional" not in task, task)


def layered_driver():
    """Environment variables with which a program uses Intel's driver behind the layer."""
    common.not_sanitized()
    driver = os.path.join(common.BUILD, "opencl-driver")
    if not os.path.exists(os.path.join(driver, "intel.icd")):
        raise common.Skip("no OpenCL driver")
    layer = os.path.join(common.BUILD, "tests", "devices", "libsinter-opencl-layer.so")
    return {"OCL_ICD_VENDORS": driver, "LD_LIBRARY_PATH": driver, "OPENCL_LAYERS": layer}


def check_versions(info, platform):
    """The lines that sinter-info prints about a platform, its driver and the loader."""
    of_driver = re.escape(platform) + r" \(OpenCL \d.*\): .*, driver \d+\.\d.*: "
    for pattern in (of_driver, r"by the ICD loader \(.* \d+\.\d"):
        common.check(re.search(pattern, info), pattern + "\n" + info)


def test_memory_of_drivers():
    """sinter-info prints the kind of a driver's memory, and its version, for each device"""
    driver = layered_driver()
    for hidden, words in {"": "unified shared memory (cl_intel", "fine": "fine-grained shared virtual",
                          "coarse": "no shared and host USM", "objects": "memory objects (cl_mem)"}.items():
        info = common.run([INFO], **driver, TEST_CL_MEMORY=hidden).expect(contains=[words]).out
        check_versions(info, "Intel(R) OpenCL")


def test_shared_modules():
    """from a kernel's fifth set of constants on, the driver sets the values in one shared module"""
    driver = layered_driver()
    text = common.run([os.path.join(common.BUILD, "tests", "e2e", "e2e_specialization_sets")], **driver,
                      SINTER_DEVICE="opencl:0", SINTER_CACHE=0, SINTER_REPORT="summary").expect().text
    launches, compiled = (int(re.search(words, text)[1]) for words in (r"jit=(\d+)", r"(\d+) kernels compiled"))
    common.check(launches > 90 and compiled < 25, text)


def test_driver_of_few_arguments():
    """a device whose kernels accept too few bytes of arguments is listed with the reason, and never selected"""
    driver = layered_driver()
    common.run([INFO], **driver, TEST_CL_PARAMETERS=64).expect(
        contains=["not used, because its kernels take 64 bytes of arguments, and ours need 128"])
    common.run([VECTOR_ADD], **driver, TEST_CL_PARAMETERS=64, SINTER_DEVICE="opencl:*").expect(
        code=None, contains=["matches no device"])


def test_refused_binaries():
    """if the driver refuses a binary, the message names kernel, device, and the remedy for cached binaries"""
    driver = layered_driver()
    with common.Folder() as folder:
        there = dict(driver, SINTER_DEVICE="opencl:0", SINTER_CACHE_DIR=folder / "cache")
        words = ["device '", "loading kernel '", "vector_add.cpp", "CL_INVALID_BINARY"]
        common.run([VECTOR_ADD], **there, SINTER_CACHE=0, TEST_CL_BINARIES="none").expect(
            code=None, contains=words, lacks=["SINTER_CACHE"])
        common.run([VECTOR_ADD], **there).expect()
        common.run([VECTOR_ADD], **there, TEST_CL_BINARIES="none").expect(
            code=None, contains=[*words, "from the cache", "SINTER_CACHE=0"])
        common.run([VECTOR_ADD], **there).expect()


def test_driver_without_spirv():
    """a driver that does not accept SPIR-V is listed with the reason, and never selected"""
    vendors = "/etc/OpenCL/vendors"
    if not os.path.exists(os.path.join(vendors, "pocl.icd")):
        raise common.Skip("no PoCL (package pocl-opencl-icd)")
    info = common.run([INFO], OCL_ICD_VENDORS=vendors).expect(contains=["not used, because its driver takes no SPIR-V"])
    check_versions(info.out, "Portable Computing Language")
    common.run([VECTOR_ADD], OCL_ICD_VENDORS=vendors, SINTER_DEVICE="opencl:*").expect(
        code=None, contains=["matches no device", "0 = sinter:"])
    common.run([VECTOR_ADD], OCL_ICD_VENDORS=vendors).expect()


def write_driver(folder, name, code="", *flags):
    """Writes an .icd file, and the library that it names."""
    library = folder / f"lib{name}.so"
    source = folder.write(name + ".c", code)
    common.run([common.CLANGXX.replace("++", ""), "-shared", "-fPIC", source, "-o", library, *flags]).expect()
    return folder.write(name + ".icd", library + "\n")


def said_of(folder, name, reason, library=None):
    """The line that sinter-info prints about an ICD file."""
    return f"{folder / name}.icd: {library + ': ' if library else ''}not used, because {reason}"


def test_broken_drivers():
    """sinter-info prints one line for each broken ICD file, and for each driver that can't be opened"""
    with common.Folder() as folder:
        folder.write("broken.icd", "/nonexistent/libdriver.so\n")
        folder.write("empty.icd", "")
        folder.write("line.icd", "\n/nonexistent/libdriver.so\n")
        folder.write("strange.icd", "\1\2 no library\n" * 50)
        folder.write("long.icd", "x" * 5000)
        folder.write("libempty.so", "")
        folder.write("short.icd", str(folder / "libempty.so") + "\n")
        os.mkdir(folder / "folder.icd")
        write_driver(folder, "plain")
        # Intel's driver fails in this way if its folder is not in LD_LIBRARY_PATH.
        write_driver(folder, "absent", "", "-Wl,-soname,libabsent.so.7")
        write_driver(folder, "needy", "", "-Wl,--no-as-needed", folder / "libabsent.so")
        os.remove(folder / "absent.icd")
        write_driver(folder, "idle", """void* clGetExtensionFunctionAddress(const char* name) { return 0; }
          int clGetPlatformInfo(void) { return -30; }
          int clIcdGetPlatformIDsKHR(unsigned size, void** platforms, unsigned* count) { return -1001; }""")
        lines = [said_of(folder, "broken", "its library can't be opened: /nonexistent/libdriver.so: cannot open",
                         "/nonexistent/libdriver.so"),
                 said_of(folder, "empty", "it is empty"), said_of(folder, "line", "its first line is empty"),
                 said_of(folder, "strange", "it is no text"), said_of(folder, "long", "it is no text"),
                 said_of(folder, "folder", "it can't be read: Is a directory"),
                 said_of(folder, "short", "its library can't be opened: ", folder / "libempty.so"), "file too short",
                 said_of(folder, "plain", "its library is no driver: it has no clGetExtensionFunctionAddress",
                         folder / "libplain.so"),
                 said_of(folder, "needy", "its library can't be opened: libabsent.so.7: cannot open",
                         folder / "libneedy.so"),
                 said_of(folder, "idle", "its driver has no platform: error -1001", folder / "libidle.so")]
        common.run([INFO], OCL_ICD_VENDORS=folder.path).expect(contains=["a loader, and no drivers", *lines],
                                                               lacks=["signal"])
        common.run([INFO], OCL_ICD_VENDORS=None, OPENCL_VENDOR_PATH=folder.path).expect(contains=lines)
        common.run([VECTOR_ADD], OCL_ICD_VENDORS=folder.path).expect()
        common.run([VECTOR_ADD], OCL_ICD_VENDORS=folder.path, SINTER_DEVICE="gpu").expect(
            code=None, contains=["matches no device"])


def test_named_drivers():
    """the variables of OpenCL's loader may name folders, files and libraries; if they name nothing that exists,
    sinter-info prints a line"""
    with common.Folder() as folder:
        write_driver(folder, "plain")
        library, reason = folder / "libplain.so", "its library is no driver: it has no clGetExtensionFunctionAddress"
        line = said_of(folder, "plain", reason, library)
        os.mkdir(folder / "nothing")
        nothing = folder / "nothing"
        for variables, words in [({"OCL_ICD_VENDORS": folder / "plain.icd"}, line),
                                 ({"OCL_ICD_VENDORS": "plain.icd", "OPENCL_VENDOR_PATH": folder.path}, line),
                                 ({"OCL_ICD_VENDORS": library}, f"  {library}: not used, because {reason}"),
                                 ({"OCL_ICD_VENDORS": nothing, "OCL_ICD_FILENAMES": f"{library}:libabsent.so.7"},
                                  f"  {library}: not used, because {reason}"),
                                 ({"OCL_ICD_VENDORS": nothing, "OCL_ICD_FILENAMES": f"{library}:libabsent.so.7"},
                                  "  libabsent.so.7: not used, because its library can't be opened: libabsent.so.7: "),
                                 ({"OCL_ICD_VENDORS": nothing}, f"no .icd files in {nothing}"),
                                 ({"OCL_ICD_VENDORS": folder / "absent.icd"},
                                  said_of(folder, "absent", "it can't be read: No such file or directory"))]:
            common.run([INFO], **variables).expect(contains=["a loader, and no drivers", words])


def test_drivers_that_end_processes():
    """sinter-info prints a line if a driver ends the process that opens it, and if a file crashes the loader"""
    opened = "the process that opened it ended "
    start = "#include <stdlib.h>\n__attribute__((constructor)) static void start(void) { %s; }"
    for code, end in {"abort()": "by signal 6", "*(volatile int*)8 = 1": "by signal 11", "exit(3)": "with exit code 3",
                      "exit(0)": "with exit code 0"}.items():
        with common.Folder() as folder:
            write_driver(folder, "rude", start % code)
            write_driver(folder, "plain")
            info = common.run([INFO], OCL_ICD_VENDORS=folder.path).expect(
                contains=["device 0", "used here, because the process that asked its loader ended " + end,
                          said_of(folder, "rude", opened + end, folder / "librude.so"),
                          said_of(folder, "plain", "its library is no driver", folder / "libplain.so"), "Level Zero"])
            common.check(info.out.count("device 0") == 1, info.out)
    with common.Folder() as folder:
        folder.write("zero.icd", "\0/nonexistent/libdriver.so\n")
        # With this file, Debian's loader searches for the line's end 4 GiB behind its beginning, and crashes.
        words = [] if common.SANITIZED else ["because the process that asked its loader ended by signal 11"]
        common.run([INFO], OCL_ICD_VENDORS=folder.path).expect(
            contains=["device 0", said_of(folder, "zero", "it is no text"), *words])


def test_selection():
    """devices are selected by backend, also in the spelling of other implementations"""
    common.run([VECTOR_ADD], ONEAPI_DEVICE_SELECTOR="native_cpu:*").expect()
    common.run([VECTOR_ADD], ONEAPI_DEVICE_SELECTOR="level_zero:gpu").expect(
        code=None, contains=["ONEAPI_DEVICE_SELECTOR='level_zero:gpu' matches no device"])
    common.run([VECTOR_ADD], ONEAPI_DEVICE_SELECTOR="level_zero:gpu", SINTER_DEVICE="cpu").expect()


common.main(globals(), needs_device_code=True)
