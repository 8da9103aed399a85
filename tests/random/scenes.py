"""Random scenes: arrays with their sizes, and one to three kernels over them."""
from arrays import SceneArray
from commands import make_command
from kernels import ATOMIC_KINDS, Kernel
from refusals import LocalMemory
from statements import make_helper
from tables import make_tables
from taste import Taste
from tree import SCALARS, VECTORS

SHAPES = {1: [[1], [2], [3], [5], [7], [8], [13], [16], [17], [24], [31], [32], [33], [48], [64], [65], [100], [128]],
          2: [[1, 8], [4, 8], [3, 5], [2, 16], [8, 16], [5, 17], [16, 4], [7, 3], [4, 32], [32, 1]],
          3: [[2, 2, 8], [1, 3, 16], [2, 3, 5], [4, 2, 7], [2, 4, 16], [3, 1, 33], [1, 8, 8]]}


class Scene:
    """One function of a random program, with its arrays, kernels and results. `rows`: the scene also uses sub-groups in
    several dimensions. `fond_of`: the kinds of statements of which the scene mainly consists."""

    is_known = True  # all indices are sums of ids; otherwise the kernels of a list run one by one

    def __init__(self, random, name, rows=True, fond_of=()):
        r = self.random = random
        self.name, self.rows, self.fond_of = name, rows, fond_of
        self.lean = bool(fond_of) or r.random() < 0.5  # short kernels over dense arrays
        self.in_place = not fond_of and self.lean and r.random() < 0.2  # short kernels with two names per array
        self.names, self.taste = [0], Taste(r, self.lean, ["store_again"] if self.in_place else fond_of)
        self.dimensions = r.choice([1, 1, 1, 1, 1, 1, 2] if self.lean else [1, 1, 1, 2, 3])
        self.grouped = r.random() < (0.9 if self.lean else 0.7)
        self.buffers = r.random() < 0.3
        self.count_type = r.choice(["int", "unsigned", "std::size_t"])
        self.structures = []
        # With a third layout of groups, the code that was made for the second layout runs again.
        self.shapes = [self.shape() for _ in range(3 if self.grouped and r.random() < 0.6 else 2)]
        self.shapes += self.shapes[:1]  # queues with auto_fusion fuse only lists that occur again
        self.arrays = self.make_arrays()
        self.tables = make_tables(r, self.arrays, bool(fond_of))
        self.helpers = []
        for _ in range(r.choice([0, 1, 1, 2])):
            self.helpers.append(make_helper(r, self.names, self.helpers))
        for kind in sorted({one.kind for one in self.arrays if one.role == "own" and one.kind in SCALARS
                            and one.slots > 1}):
            if r.random() < 0.7:
                self.helpers.append(make_helper(r, self.names, self.helpers, memory=kind))
        self.kernels = self.make_kernels()
        self.commands = ["" if self.buffers or r.random() < 0.85 else make_command(r, self.arrays)
                         for _ in self.kernels]
        self.refusals = [LocalMemory(r, "too_much")] if r.random() < 0.03 else []

    def make_kernels(self):
        r = self.random
        return [Kernel(self, r) for _ in range(r.choice([1, 1, 1, 1, 2, 3]))]

    def shape(self):
        r, d = self.random, self.dimensions
        local = list(r.choice(SHAPES[d]))
        if r.random() < 0.08:
            local = [1] * d
        elif d == 1 and r.random() < 0.5:  # the last vector of a group is full, half full, or one lane
            local = [r.choice([8 * r.randint(1, 9), 16 * r.randint(1, 5) + 1, r.randint(1, 128)])]
        while True:
            groups = [r.choice([1, 1, 2, 3, 4, 7] if i == 0 else [1, 1, 2, 3]) for i in range(d)]
            total = [a * b for a, b in zip(local, groups)]
            size = 1
            for one in total:
                size *= one
            if size <= 1000:
                break
        if not self.grouped:
            local = [1] * d
            if d == 1:
                total = [r.choice([1, 2, 3, 15, 16, 17, 31, 33, 64, 100, 127, 255, 1000])]
        return total, local

    def make_arrays(self):
        r = self.random
        arrays = []
        for role, count in (("in", r.randint(1, 3)), ("own", r.randint(1, 3)), ("atomic", r.choice([0, 0, 1]))):
            for _ in range(count):
                kind, fields = r.choice(SCALARS + ["u8", "i8", "u16", "i16", "bool"]), None
                if role == "atomic":
                    kind = r.choice(ATOMIC_KINDS)
                elif self.in_place and role == "own":
                    pass
                elif r.random() < 0.15:
                    kind = r.choice(VECTORS)
                elif r.random() < 0.15:
                    kind, fields = f"structure{len(self.structures)}", []
                    if r.random() < 0.4:  # of an odd number of bytes
                        fields = [(f"m{i}", kinds) for kinds in [r.choice(["u8", "u16"])]
                                  for i in range(r.choice([3, 3, 5, 6, 7]))]
                    for position in range(0 if fields else r.randint(2, 4)):
                        fields.append((f"m{position}", r.choice(SCALARS)))
                    self.structures.append((kind, fields))
                slots = r.choice([2, 2, 2, 3, 4] if self.in_place else [1, 1, 2, 2, 4])
                form = r.choice(["rows", "rows", "columns", "reverse"])
                if self.lean and not self.in_place and r.random() < 0.8:
                    slots, form = 1, "rows"
                array = SceneArray(f"{role[0]}{len(arrays)}", kind, slots, form, fields, role, len(arrays) + 1)
                if role == "atomic":
                    array.count = 16
                    array.operations = [""]
                    array.operation = r.choice(["add", "or", "and", "xor", "max", "min"] if kind[0] == "u"
                                               else ["or", "and", "max", "min"])
                arrays.append(array)
        return arrays

    def text(self):
        lines = []
        for kind, fields in self.structures:
            body = " ".join(f"{type_name} {field};" for field, type_name in fields)
            each = " ".join(f"use({field});" for field, _ in fields)
            lines.append(f"struct {kind} {{\n  {body}\n  template <class Use> void each(Use use) {{ {each} }}\n}};\n")
        lines += [one.declaration() for one in self.tables]
        lines += [helper.text() + "\n" for helper in self.helpers]
        lines += [one.declaration() for kernel in self.kernels for one in kernel.constants]
        lines.append(
            f"void run() {{\n  sycl::queue queue = program::make_queue({'false' if self.buffers else 'true'});\n")
        lines.append("  struct shape { std::size_t global[3], local[3]; };\n")
        shapes = ", ".join("shape{{%s}, {%s}}" % (", ".join(map(str, total)), ", ".join(map(str, local))) for total,
                           local in self.shapes)
        lines.append(f"  for (const shape& s : {{{shapes}}}) {{\n")
        product = lambda which: " * ".join(f"s.{which}[{i}]" for i in range(self.dimensions))
        lines.append(f"    const {self.count_type} n = static_cast<{self.count_type}>({product('global')});\n")
        lines.append(f"    const {self.count_type} lsize = static_cast<{self.count_type}>({product('local')});\n")
        lines.append("    (void)n, (void)lsize;\n")
        for one in self.arrays:
            lines.append(f"    program::array<{one.kind_text()}> array_{one.name}(queue, \"{one.name}\", {one.count}, "
                         f"{one.seed}u);\n")
        reductions = [one for kernel in self.kernels for one in kernel.reductions]
        lines += [f"    {one.array()}\n" for one in reductions]
        depth = "    "
        if self.buffers:
            lines.append("    {\n")
            for one in self.arrays:
                lines.append(f"    sycl::buffer<{one.kind_text()}, 1> buffer_{one.name}(array_{one.name}.data, "
                             f"sycl::range<1>({one.count}));\n")
        lines.append(f"    program::list list(queue, {'true' if self.buffers else 'false'});\n")
        for i, kernel in enumerate(self.kernels):
            lines += [kernel.text(self.buffers), f"    {self.commands[i]}\n"]
        lines.append("    list.complete();\n    queue.wait();\n")
        if self.buffers:
            lines.append("    }\n")
        lines += [one.text(self.name) for one in self.refusals]
        printed = [one for one in self.arrays if one.role != "in"] + reductions
        lines += [f"    array_{one.name}.print(\"{self.name}\");\n" for one in printed]
        lines.append("  }\n}\n")
        return f"namespace scene_{self.name} {{\n" + "".join(lines) + f"}}  // namespace scene_{self.name}\n"
