#!/usr/bin/env python3
"""clangd finds no errors in right user code. sinter-clangd and the page's commands show the errors that clangd
omits."""
import json
import os
import re
import shutil

import common

SOURCES = [("examples/vector_add", "vector_add.cpp"), ("examples/local_memory", "local_memory.cpp"),
           ("tests/e2e", "barriers.cpp"), ("tests/e2e", "captures.cpp")]


def check_by(clangd, folder, source, command):
    """Runs `clangd --check` for a source that `command` compiles. Returns the result of the run, and the lines of its
    output that are about errors."""
    database = [{"directory": folder.path, "file": source, "arguments": command}]
    folder.write("compile_commands.json", json.dumps(database))
    result = common.run([clangd, "--check=" + source, "--compile-commands-dir=" + folder.path,
                         "--background-index=false", "--check-locations=false", "--log=error"], timeout=300)
    return result, [line for line in result.err.splitlines() if line.startswith("E[") and "tweak" not in line]


def test_clangd():
    """clangd --check finds no errors in user code, with the flags of sinter-library and of sinter"""
    common.not_sanitized()
    clangd = "clangd-" + common.LLVM
    common.need(clangd)
    for package, sources in (("sinter-library", SOURCES[:1]), ("sinter", SOURCES)):
        for folder_name, name in sources:
            with common.Folder() as folder:
                source = os.path.join(common.SOURCE, folder_name, name)
                command = [common.CLANGXX, "-std=c++20", *common.pkg_config(package, "--cflags"), "-c", source]
                result, errors = check_by(clangd, folder, source, command)
                common.check(result.code == 0 and not errors, f"{package}, {name}: {errors or result.err[-2000:]}")


PACKAGING = os.path.join(common.BUILD, "packaging")

#: In this program, line 6 captures by reference, and line 7 calls a function without a body.
WRONG_KERNELS = """#include <sycl/sycl.hpp>
int elsewhere(int);
int main() {
  sycl::queue queue;
  int *data = sycl::malloc_shared<int>(8, queue), local = 3;
  queue.parallel_for(sycl::range<1>(8), [=, &local](sycl::id<1> i) { data[i] = local; }).wait();
  queue.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) { data[i] = elsewhere(3); }).wait();
}
"""
SAID = {6: "captures 'local' by reference", 7: "calls 'elsewhere(int)'"}


def of_page(language):
    """The block in this language of the page's section about editors."""
    with open(os.path.join(common.SOURCE, "docs/building.md"), encoding="utf-8") as file:
        section = file.read().split("\n## Editors\n")[1].split("\n## ")[0]
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    common.check(len(blocks) == 1, f"{len(blocks)} blocks of {language}")
    return blocks[0]


def test_clangd_of_sinter_compiler():
    """with the page's .clangd file, clangd reads programs that sinter++ compiles, and shows errors and static
    assertions of classes"""
    common.not_sanitized()
    clangd = "clangd-" + common.LLVM
    common.need(clangd)
    with common.Folder() as folder:
        folder.write(".clangd", of_page("yaml").replace("<prefix>/share/sinter", PACKAGING))
        bad = "int wrong = undeclared;\nvoid dimensions(sycl::buffer<int, 2> flat, sycl::handler& handler) {\n"
        bad += "  sycl::accessor<int, 1> row(flat, handler);\n}\n"
        expected = ["'undeclared'", "the accessor has other dimensions"]
        for name, text, shown in (("good", WRONG_KERNELS, []), ("bad", WRONG_KERNELS + bad, expected)):
            source = folder.write(name + ".cpp", text)
            command = [os.path.join(PACKAGING, "sinter++"), "-fsycl", "-O2", "-c", source]
            _, errors = check_by(clangd, folder, source, command)
            right = len(errors) == len(shown) and all(word in "".join(errors) for word in shown)
            common.check(right, f"{name}: {errors}")


def test_clangd_with_plugin():
    """sinter-clangd shows what the plugin finds in the syntax, and assertions in function bodies of headers, and
    shows nothing for right code"""
    common.not_sanitized()
    common.need("clangd-" + common.LLVM)
    sizes = "[=](sycl::nd_item<1> i) [[sycl::reqd_work_group_size(4)]] { data[i.get_global_id(0)] = 1; }"
    good = WRONG_KERNELS.replace(", &local]", "]").replace("int elsewhere(int);", "int elsewhere(int a) { return a; }")
    good = good.replace("\n}\n", f"\n  queue.parallel_for(sycl::nd_range<1>(8, 4), {sizes}).wait();\n}}\n")
    wrong = WRONG_KERNELS.replace("[=](sycl::id<1> i)", "[=](sycl::id<2> i)")
    for name, text, shown in (("good", good, []), ("bad", WRONG_KERNELS, [SAID[6]]),
                              ("wrong", wrong, ["the kernel function does not take"])):
        with common.Folder() as folder:
            source = folder.write(name + ".cpp", text)
            # With -Werror, the compiler lists only errors.
            command = [common.CLANGXX, "-std=c++20", "-Werror", *common.pkg_config("sinter", "--cflags"), "-c", source]
            result, errors = check_by(os.path.join(PACKAGING, "sinter-clangd"), folder, source, command)
            right = bool(errors) == bool(shown) and all(word in "".join(errors) for word in shown)
            common.check(right, f"{name}: {errors or result.err[-2000:]}")


def check_list(found):
    """Checks a list of (line, message): it must contain the expected messages about WRONG_KERNELS, and no others."""
    right = [line for line, message in found if SAID.get(line, "none") in message]
    common.check(len(found) == len(SAID) and sorted(right) == sorted(SAID), f"listed: {found}")


def test_task_of_page():
    """the page's task for Visual Studio Code prints the plugin's warnings as the task's pattern expects them"""
    common.not_sanitized()
    with common.Folder() as folder:
        source = folder.write("wrong.cpp", WRONG_KERNELS)
        task = json.loads(of_page("json"))["tasks"][0]
        words = [word.replace("${file}", source) for word in task["args"]]
        search = PACKAGING + ":" + os.environ["PATH"]
        cache = {"SINTER_CACHE_DIR": folder / "cache"}
        result = common.run([task["command"], *words], PATH=search, **cache).expect()
        pattern = task["problemMatcher"]["pattern"]
        matches = [match for line in result.text.splitlines() if (match := re.match(pattern["regexp"], line))]
        right = all(match[pattern["file"]] == source and match[pattern["severity"]] == "warning" for match in matches)
        common.check(right, result.text)
        check_list([(int(match[pattern["line"]]), match[pattern["message"]]) for match in matches])
        result = common.run([task["command"], "-fsyntax-only", source], PATH=search, **cache).expect()
        result.expect(contains=[SAID[6]], lacks=[SAID[7]])
        folder.write("wrong.cpp", WRONG_KERNELS.replace("sycl::id<1> i", "sycl::id<2> i"))
        result = common.run([task["command"], *words], PATH=search, **cache)
        result.expect(code=1, contains=["the kernel function does not take what this kernel gives it"])


def test_make_of_vim():
    """with the page's setting, Vim lists the same warnings; without Vim, the setting's command prints them"""
    common.not_sanitized()
    setting = of_page("vim")
    with common.Folder() as folder:
        folder.write("wrong.cpp", WRONG_KERNELS)
        variables = {"PATH": PACKAGING + ":" + os.environ["PATH"], "SINTER_CACHE_DIR": folder / "cache"}
        if not shutil.which("vim"):
            command = setting.partition("makeprg=")[2].replace("\\ ", " ").replace("%", "wrong.cpp")
            common.run(command.split(), cwd=folder.path, **variables).expect(contains=SAID.values())
            return
        script = folder.write("script.vim", setting + "edit wrong.cpp\nsilent make\n"
                              "call writefile([json_encode(filter(getqflist(), 'v:val.valid'))], 'list')\nqall!\n")
        common.run(["vim", "-N", "-u", "NONE", "-es", "-S", script], cwd=folder.path, **variables)
        with open(folder / "list", encoding="utf-8") as file:
            check_list([(each["lnum"], each["text"]) for each in json.load(file)])


common.main(globals())
