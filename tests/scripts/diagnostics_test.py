#!/usr/bin/env python3
"""Constructs that a kernel must not use are reported when it is compiled, with the kernel, the call chain and,
with -g, file and line."""
import common

HEAD = """#include <sycl/sycl.hpp>
class bad_kernel;
"""
LAUNCH = """
int main() {
  sycl::queue queue;
  int* data = sycl::malloc_shared<int>(8, queue);
  queue.parallel_for<bad_kernel>(sycl::range<1>(8), [=](sycl::id<1> i) { %s }).wait();
}
"""

#: For each name: declarations, body of the kernel, words that the diagnostic must have.
CASES = {
    "throw": ("struct problem {};\nint __attribute__((noinline)) risky(int x) { if (x > 5) throw problem(); return x; }\n"
              "int __attribute__((noinline)) middle(int x) { return risky(x) + 1; }",
              "data[i] = middle(data[i]);", ["bad_kernel", "risky", "middle"]),
    "new": ("int* __attribute__((noinline)) make(int x) { return new int[static_cast<unsigned>(x)]; }\n"
            "inline int keep(int* p) { int v = p[0]; delete[] p; return v; }",
            "data[i] = keep(make(data[i]));", ["bad_kernel", "make"]),
    "virtual call": ("struct shape { virtual int sides() const = 0; };\n"
                     "int __attribute__((noinline)) count(const shape* s) { return s->sides(); }",
                     "data[i] = count(reinterpret_cast<const shape*>(data + i[0]));", ["bad_kernel", "count"]),
    "undefined function": ("int defined_elsewhere(int);\nint __attribute__((noinline)) caller(int x) { return defined_elsewhere(x); }",
                           "data[i] = caller(data[i]);", ["bad_kernel", "defined_elsewhere", "caller"]),
}


def compile_case(declarations, body, *flags):
    with common.Folder() as folder:
        source = folder.write("bad.cpp", HEAD + declarations + LAUNCH % body)
        known = common.read_headers("-std=c++20", *flags, *common.plugin_flags())
        return common.run([common.CLANGXX, *known, "-c", source, "-o", folder / "bad.o"])


def make(name, declarations, body, words):
    def test():
        common.not_sanitized()  # the plugin is the same
        for flags in (["-O0", "-g"], ["-O2", "-g"], ["-O2"]):
            result = compile_case(declarations, body, *flags)
            found = result.err
            common.check("warning:" in found or "error:" in found, f"no diagnostic with {flags}: {found}")
            missing = [word for word in words if word not in found]
            common.check(not missing, f"with {flags} the diagnostic lacks {missing}:\n{found}")
            if "-g" in flags:
                common.check("bad.cpp:" in found, f"with {flags} there is no file and line:\n{found}")

    test.__doc__ = f"{name} in a kernel is diagnosed"
    return test


for number, (case, parts) in enumerate(CASES.items()):
    globals()[f"test_{number}"] = make(case, *parts)


def test_good_code_is_silent():
    """there is no diagnostic if the plugin's simplification removes the problem"""
    good = ("#include <array>\n#include <stdexcept>\n"
            "inline int checked(int x) { if (x < 0 && x > 0) throw std::runtime_error(\"never\"); return x; }\n")
    common.not_sanitized()
    body = "std::array<int, 3> a{1, 2, 3}; data[i] = checked(data[i]) + a.at(1);"
    for flags in (["-O0"], ["-O0", "-g"], ["-O2"], ["-O3"]):
        result = compile_case(good, body, *flags)
        result.expect(code=0, lacks=["warning:", "error:"])


def compile_text(text, *flags, **files):
    """Compiles a program's text. `headers` are further files (name without .hpp: text) in a folder of that name."""
    common.not_sanitized()
    with common.Folder() as folder:
        for name, header in files.items():
            folder.write(f"headers/{name}.hpp", header)
        source = folder.write("user.cpp", "#include <sycl/sycl.hpp>\n" + text)
        flags = [flag.replace("HEADERS", folder / "headers") for flag in flags]
        known = ["-std=c++20", "-DSINTER_LEAN_HEADERS", *flags, *common.plugin_flags()]
        if not files:
            known = common.read_headers(*known)
        return common.run([common.CLANGXX, *known, "-c", source, "-o", folder / "user.o"])


MAIN = "int main() { sycl::queue queue; int* p = sycl::malloc_shared<int>(8, queue); %s }\n"


def test_captures():
    """references and types that are not device-copyable are reported where they are captured"""
    types = """#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>
struct own { std::vector<int> data; };
struct plain { int* p; };
struct fixed { const plain inner; fixed(int* q) : inner{q} {} };
struct copied { int* p; copied(int* q) : p(q) {} copied(const copied& other) : p(other.p) {} };
template <> struct sycl::is_device_copyable<copied> : std::true_type {};
template <class T> struct copied_too { T* p; copied_too(T* q) : p(q) {} copied_too(const copied_too& other) : p(other.p) {} };
template <class T> struct sycl::is_device_copyable<copied_too<T>> : std::true_type {};
struct named { int* p; std::string name; void operator()(sycl::id<1> i) const { p[i] = int(name.size()); } };
"""
    bad = {
        "int n = 3; queue.parallel_for(sycl::range(8), [&](sycl::id<1> i) { p[i] = n; });": ["captures 'n' by reference", "captures 'p' by reference"],
        "std::string s; queue.parallel_for(sycl::range(8), [=](sycl::id<1> i) { p[i] = int(s.size()); });": ["captures 's' of type 'std::string'", "not device-copyable"],
        "own o; queue.parallel_for(sycl::range(8), [=](sycl::id<1> i) { p[i] = o.data[0]; });": ["captures 'o' of type 'own'"],
        "std::vector<int> v; queue.parallel_for(sycl::range(8), sycl::reduction(p, sycl::plus<>()), [=](sycl::id<1> i, auto& sum) { sum += v[i]; });": ["captures 'v' of type"],
        "queue.parallel_for(sycl::range(8), named{p, {}});": ["kernel 'named' has the member 'name' of type 'std::string'"],
    }
    for body, words in bad.items():
        result = compile_text(types + MAIN % body).expect(contains=["user.cpp:", *words])
        common.check(result.err.count("warning:") == len([word for word in words if "'" in word]), result.err)
    good = """plain a{p}; fixed g(p); copied b(p); copied_too<int> c(p); std::pair<int, float> d{1, 2}; std::tuple<int, copied> e{1, b}; std::optional<int> f; int array[3] = {};
  sycl::buffer<int> memory{nullptr, sycl::range<1>(8)};
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor all(memory, handler);
    sycl::local_accessor<int> local(8, handler);
    sycl::stream out(100, 100, handler);
    auto inner = [=](int x) { return all[x] + array[0]; };
    handler.parallel_for(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1> item) {
      local[0] = inner(0);
      out << a.p[0] + g.inner.p[0] + b.p[0] + c.p[0] + d.first + std::get<0>(e) + f.value_or(1);
    });
  });"""
    compile_text(types + MAIN % good, "-O2").expect(lacks=["warning:"])


def test_kernel_functions():
    """a kernel function that can't be called is refused with one sentence and no other message"""
    for body, words in {
        "queue.parallel_for(sycl::range(8), [=](sycl::id<1> i) mutable { ++p; p[i] = 1; });": "Remove 'mutable'",
        "queue.parallel_for(sycl::range(8), [=](sycl::id<2> i) { p[i[0]] = 1; });": "does not take what this kernel gives it",
        "queue.parallel_for(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<2> i) { p[0] = 1; });": "does not take what",
        "queue.single_task([=](int i) { p[i] = 1; });": "does not take what",
    }.items():
        result = compile_text(MAIN % body).expect(code=1, contains=[words])
        common.check(result.err.count("error:") == 1, result.err)
    twins = """queue.parallel_for(sycl::range(8), [=](sycl::id<1> i) { p[i] = 1; });
  queue.parallel_for(sycl::range(8), [=](int i) { p[i] = 1; });
  queue.parallel_for(sycl::range(8), [=](auto i) { p[i] = 1; });
  queue.parallel_for(sycl::range(8), [=](sycl::item<1> i, sycl::kernel_handler) { p[i] = 1; });
  queue.parallel_for(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1> i) { p[0] = 1; });
  queue.single_task([=] { p[0] = 1; });
  queue.single_task([=](sycl::kernel_handler) { p[0] = 1; });"""
    compile_text(MAIN % twins).expect(lacks=["error:", "warning:"])


def test_recursion():
    """recursion is reported at the recursive call"""
    fib = "int fib(int n) {\n  if (n < 2) return n;\n  return fib(n - 1) + fib(n - 2);\n}\n"
    body = "queue.parallel_for(sycl::range(8),\n [=](sycl::id<1> i) { p[i] = fib(p[i]); });"
    for flags in (["-O0"], ["-O2"]):
        compile_text(fib + MAIN % body, *flags).expect(contains=["user.cpp:4:", "calls 'fib(int)' recursively", "note: in this kernel"])


def test_system_headers():
    """kernels in system headers are diagnosed as well; strict mode and the summary report refused kernels"""
    common.not_sanitized()
    header = """#pragma once
inline thread_local int* counter;
template <class F> auto bound(F f) {
  return [=](sycl::id<1> i) { if (counter) ++*counter; f(i); };
}
"""
    text = "#include <helper.hpp>\n" + MAIN % ("queue.parallel_for(8, bound([=](sycl::id<1> i) { p[i] = i * 2; })).wait();"
                                              "return p[3] == 6 ? 0 : 1;")
    words = ["helper.hpp:4:", "thread_local variable 'counter'", "SINTER_IF_HOST", "__SYCL_DEVICE_ONLY__"]
    for option in ("-I", "-isystem"):
        compile_text(text, option + "HEADERS", helper=header).expect(contains=words)
    with common.Folder() as folder:
        folder.write("headers/helper.hpp", header)
        source = folder.write("user.cpp", "#include <sycl/sycl.hpp>\n" + text)
        program = folder / "user"
        common.compile_program(source, program, "-isystem", folder / "headers").expect()
        common.run([program], SINTER_CACHE="0", SINTER_REPORT="summary").expect(contains=[", 1 not compiled"])
        common.run([program], SINTER_STRICT="1").expect(code=None, contains=["it was not compiled for devices"])
        common.check(common.run([program], SINTER_STRICT="1").code != 0, "strict mode did not stop the program")


def test_named_errors():
    """-Werror=backend-plugin turns warnings about kernels, and no others, into errors"""
    wrong = "thread_local int counter;\n" + MAIN % "int unused; queue.parallel_for(8, [=](sycl::id<1> i) { p[i] = counter++; });"
    result = compile_text(wrong, "-Wall", "-Werror=backend-plugin")
    result.expect(code=1, contains=["error: kernel", "warning: unused variable"])
    compile_text(wrong, "-Wno-backend-plugin").expect(lacks=["warning:"])


def test_fatal_errors_of_llvm():
    """a kernel that LLVM can't compile runs as host code; the process and its other kernels continue"""
    common.not_sanitized()
    old = """#include <x86intrin.h>
#include <cstdio>
__attribute__((target("xop"))) inline int old_instruction(int x) {
  return _mm_cvtsi128_si32(_mm_macc_epi32(_mm_set1_epi32(x), _mm_set1_epi32(2), _mm_set1_epi32(1)));
}
__attribute__((naked)) int plus_one(int) { asm("lea 1(%rdi), %eax; ret"); }
"""
    body = """bool never = false;
  queue.parallel_for(sycl::range(8), [=](sycl::id<1> i) { p[i] = int(i); if (never) p[i] = old_instruction(p[i]); }).wait();
  queue.parallel_for(sycl::range(8), [=](sycl::id<1> i) { p[i] = plus_one(p[i]); }).wait();
  int wrong = 0;
  for (int i = 0; i < 8; ++i) wrong += p[i] != i + 1;
  std::printf("wrong %d\\n", wrong);"""
    with common.Folder() as folder:
        source = folder.write("user.cpp", "#include <sycl/sycl.hpp>\n" + old + MAIN % body)
        common.compile_program(source, folder / "user", "-O2").expect()
        if "xop" in open("/proc/cpuinfo", encoding="utf-8").read().split():
            raise common.Skip("this CPU has the instruction")
        result = common.run([folder / "user"], SINTER_CACHE="0", SINTER_REPORT="summary")
        result.expect(contains=["wrong 0", "1 kernels compiled", "1 not compiled", "LLVM can't make code of it"])


common.main(globals())
