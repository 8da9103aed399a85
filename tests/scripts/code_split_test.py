#!/usr/bin/env python3
"""Device-code split: the images that each option makes, and programs that run with these images."""
import os
import re

import common

INFO = os.path.join(common.BUILD, "jitd", "tools", "sinter_info", "sinter-info")

# A kernel's name says what the kernel requires. Several kernels call `helper`. `shared` and `halves` are exported
# functions.
PROGRAM = """#include <sycl/sycl.hpp>
#include <cstdio>
using namespace sycl;
inline int helper(int x) { return x * 3 + 1; }
SYCL_EXTERNAL int shared(int x) { return helper(x) + 1; }
SYCL_EXTERNAL int halves(int x) { return int(x * 0.5); }
int elsewhere(queue& q, int x);
int main() {
  queue q;
  int* p = malloc_shared<int>(8, q);
  nd_range<1> r(4, 4);
  const auto in = [&](int x) { for (int i = 0; i < 8; ++i) p[i] = x; };
  long sum = 0;
  const auto add = [&] { q.wait(); for (int i = 0; i < 8; ++i) sum = sum * 7 + p[i]; };
  in(2);
  q.parallel_for<class plain>(r, [=](nd_item<1> i) { p[i.get_global_id(0)] += helper(1); });
  add();
  q.parallel_for<class plain_too>(r, [=](nd_item<1> i) { p[i.get_global_id(0)] += shared(2); });
  add();
  q.parallel_for<class uses_fp64>(r, [=](nd_item<1> i) { p[i.get_global_id(0)] += int(helper(4) * 0.5); });
  add();
  q.parallel_for<class calls_fp64>(r, [=](nd_item<1> i) { p[i.get_global_id(0)] += halves(4); });
  add();
  q.parallel_for<class declares_fp64>(r, [=](nd_item<1> i) [[sycl::device_has(aspect::fp64)]] { p[i.get_global_id(0)] -= 1; });
  add();
  q.parallel_for<class group_4>(r, [=](nd_item<1> i) [[sycl::reqd_work_group_size(4)]] { p[i.get_global_id(0)] ^= 3; });
  add();
  q.parallel_for<class group_2>(nd_range<1>(4, 2), [=](nd_item<1> i) [[sycl::reqd_work_group_size(2)]] { p[i.get_global_id(0)] ^= 5; });
  add();
  q.parallel_for<class sub_group_4>(r, [=](nd_item<1> i) [[sycl::reqd_sub_group_size(4)]] { p[i.get_global_id(0)] |= 64; });
  add();
  q.parallel_for<class group_4_too>(r, [=](nd_item<1> i) [[sycl::reqd_work_group_size(4)]] { p[i.get_global_id(0)] += 9; });
  add();
  std::printf("sum %ld, elsewhere %d\\n", sum, elsewhere(q, 5));
  free(p, q);
}
"""
SECOND = """#include <sycl/sycl.hpp>
using namespace sycl;
SYCL_EXTERNAL int shared(int x);
SYCL_EXTERNAL [[sycl::device_has(aspect::fp64)]] int halves(int x);
int elsewhere(queue& q, int x) {
  int* p = malloc_shared<int>(1, q);
  q.single_task<class from_elsewhere>([=] { *p = shared(x) + halves(x); }).wait();
  const int result = *p;
  free(p, q);
  return result;
}
"""


def expected():
    p, total = [2] * 8, 0
    for change in (lambda x: x + 4, lambda x: x + 8, lambda x: x + 6, lambda x: x + 2, lambda x: x - 1, lambda x: x ^ 3, lambda x: x ^ 5,
                   lambda x: x | 64, lambda x: x + 9):
        p[:4] = map(change, p[:4])
        for value in p:
            total = total * 7 + value
    total = (total + 2**63) % 2**64 - 2**63
    return f"sum {total}, elsewhere {5 * 3 + 2 + 2}"


PLAIN, FP64 = {"plain", "plain_too", "shared"}, {"uses_fp64", "calls_fp64", "declares_fp64", "halves"}
SIZES = [{"group_4", "group_4_too"}, {"group_2"}, {"sub_group_4"}]
WHOLE = [PLAIN.union(FP64, *SIZES)]
BY_RULES = [PLAIN, FP64, *SIZES]
ALONE = [{name} for part in WHOLE for name in part]


def compile_object(folder, text, name, *flags):
    source = folder.write(name + ".cpp", text)
    common.compile_object(source, folder / (name + ".o"), *flags).expect()
    return folder / (name + ".o")


def images(path):
    """For each image: its kernels and their requirements."""
    parts = []
    for text in common.run([INFO, "--image", path]).expect().out.split("image ")[1:]:
        head = re.match(r"\w+: (\d+) kernels, (\d+) exported functions", text)
        kernels = re.findall(r"^  kernel '(\w+)'", text, re.M)
        functions = re.findall(r"^  function '_Z\d+([a-z]+)i'", text, re.M)
        common.check((int(head[1]), int(head[2])) == (len(kernels), len(functions)), text)
        sets = {body.split("[SYCL/device requirements]\n")[1].split("  function")[0] for body in text.split("  kernel '")[1:]}
        parts.append(({*kernels, *functions}, sets))
    return parts


def same(found, wanted):
    return sorted(map(sorted, found)) == sorted(map(sorted, wanted))


def split(way):
    return "-fplugin-arg-sinter-device-code-split" + (f"={way}" if way else "")


def test_images():
    """kernels and exported functions share an image only if their aspects and required sizes are equal, whatever
    the split mode"""
    common.not_sanitized()
    fixed = "-fplugin-arg-sinter-fixed-targets=x86_64"
    with common.Folder() as folder:
        for flags, wanted in (((), WHOLE), ((split("off"),), BY_RULES), ((split("per_source"),), BY_RULES), ((split("auto"),), BY_RULES),
                              ((split(""),), BY_RULES), ((split("per_kernel"),), ALONE),
                              # With fixed targets, the option alone determines how kernels are split.
                              ((split("off"), fixed), WHOLE), ((split("per_source"), fixed), WHOLE),
                              ((split("auto"), fixed), WHOLE), ((split("per_kernel"), fixed), ALONE)):
            found = images(compile_object(folder, PROGRAM, "user", *flags))
            common.check(same([names for names, _ in found], wanted), f"{flags}: {[sorted(names) for names, _ in found]}")
            if wanted is BY_RULES:
                common.check(all(len(sets) <= 1 for _, sets in found), f"{flags}: kernels of one image require different things")
                common.check(len({next(iter(sets)) for _, sets in found}) == len(BY_RULES), f"{flags}: images that require the same")


def test_other_process():
    """both parts of the plugin get the split mode, also with -save-temps and in unoptimised code"""
    common.not_sanitized()
    with common.Folder() as folder:
        for flags in (("-O1", f"-save-temps={folder / 'temps'}"), ("-O0", "-g")):
            os.makedirs(folder / "temps", exist_ok=True)
            found = images(compile_object(folder, PROGRAM, "user", split("per_kernel"), *flags))
            common.check(same([names for names, _ in found], ALONE), f"{flags}: {found}")


def test_runs():
    """programs run alike from one image and from many, and kernels of other files find exported functions"""
    common.not_sanitized()
    with common.Folder() as folder:
        second = {way: compile_object(folder, SECOND, "second" + way, split(way)) for way in ("off", "per_kernel")}
        for flags in ((), (split("off"),), (split("per_kernel"),), (split("per_kernel"), "-O0", "-g")):
            user = compile_object(folder, PROGRAM, "user", *flags)
            for other in second.values():
                common.run([common.CLANGXX, user, other, "-o", folder / "program", *common.link_flags()]).expect()
                for _ in range(2):
                    common.run([folder / "program"], SINTER_STRICT="1", SINTER_CACHE_DIR=folder / "cache",
                               SINTER_DEVICE="sinter:cpu").expect(contains=[expected()], lacks=["warning"])


def test_words():
    """unknown split modes are errors that list the known modes"""
    with common.Folder() as folder:
        source = folder.write("user.cpp", "int main() {}\n")
        for word in ("=per_file", "=", "s", "=off,auto"):
            result = common.run([common.CLANGXX, "-std=c++20", "-c", source, "-o", folder / "user.o", split("") + word, *common.plugin_flags()])
            common.check(result.code == 1 and "there are 'off', 'per_source', 'per_kernel', 'auto'" in result.err, result.text)


common.main(globals())
