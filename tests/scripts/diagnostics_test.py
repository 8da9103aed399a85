#!/usr/bin/env python3
"""What a kernel must not do is diagnosed when it is compiled, with kernel, call chain and, under -g, file and line."""
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

#: name: (declarations, body of the kernel, words the diagnostic must have)
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
        return common.run([common.CLANGXX, "-std=c++20", "-c", source, "-o", folder / "bad.o", *flags, *common.plugin_flags()])


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
    """code that the fixed simplification frees of problems is not diagnosed"""
    good = ("#include <array>\n#include <stdexcept>\n"
            "inline int checked(int x) { if (x < 0 && x > 0) throw std::runtime_error(\"never\"); return x; }\n")
    common.not_sanitized()
    body = "std::array<int, 3> a{1, 2, 3}; data[i] = checked(data[i]) + a.at(1);"
    for flags in (["-O0"], ["-O0", "-g"], ["-O2"], ["-O3"]):
        result = compile_case(good, body, *flags)
        result.expect(code=0, lacks=["warning:", "error:"])


common.main(globals())
