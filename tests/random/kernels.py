"""Random scenes: arrays, one to three kernels over them, and how large they are.

Who may touch what is decided here, so that there are no races: a work-item writes its own elements; between two
barriers an array of a group is written by owners, or read by all, or changed by one atomic operation.
"""
from expressions import CAPACITY, Scope, Variable
from statements import SCALARS, VECTORS, Writer, depth_of, make_helper
from tree import BITS, FLOATS, INTS, Block, Expr, Statement, literal, spelled

ATOMIC_KINDS = ["u32", "u64", "i32", "i64"]
OPERATIONS = {"plus": ["u32", "u64", "u8", "u16"], "multiplies": ["u32", "u64"], "minimum": INTS, "maximum": INTS,
              "bit_and": INTS, "bit_or": INTS, "bit_xor": INTS}
SHAPES = {1: [[1], [2], [3], [5], [7], [8], [13], [16], [17], [24], [31], [32], [33], [48], [64], [65], [100], [128]],
          2: [[1, 8], [4, 8], [3, 5], [2, 16], [8, 16], [5, 17], [16, 4], [7, 3], [4, 32], [32, 1]],
          3: [[2, 2, 8], [1, 3, 16], [2, 3, 5], [4, 2, 7], [2, 4, 16], [3, 1, 33], [1, 8, 8]]}


class Array:
    """An array as a kernel sees it; copies differ in what the kernel may do at a place."""

    def __init__(self, name, kind, slots, form, fields=None):
        self.name, self.kind, self.slots, self.form, self.fields = name, kind, slots, form, fields
        self.owned = self.atomic = self.local = self.whole = self.pointer = False
        self.leader = None
        self.count = CAPACITY
        self.linear, self.total, self.ids = "g", "n", "g"
        self.most = 1023

    def with_mode(self, **changes):
        other = Array(self.name, self.kind, self.slots, self.form, self.fields)
        other.__dict__.update(self.__dict__)
        other.__dict__.update(changes)
        return other

    def slot(self, scope, part=None):
        """An index of one of the work-item's own elements."""
        r = scope.random
        if part is None and self.slots > 1 and r.random() < 0.3 and not scope.uniform_only:
            inner = scope.fit("i32", 0, self.slots - 1, scope.integer(1, "i32"))
        else:
            value = r.randrange(self.slots) if part is None else part
            inner = Expr("i32", str(value), value, value)
        g, n = self.linear, self.total
        if self.slots == 1:
            text = {"rows": [g], "columns": [g], "reverse": [f"{n} - 1 - {g}"]}[self.form]
        else:
            text = {"rows": [f"{g} * {self.slots} + ", inner], "columns": ["(", inner, f") * {n} + {g}"],
                    "reverse": [f"({n} - 1 - {g}) * {self.slots} + ", inner]}[self.form]
        return Expr("index", text)

    def load_own(self, scope):
        if scope.uniform_only:
            return None
        return self.element(scope, self.slot(scope))

    def element(self, scope, where):
        if self.fields:
            field, kind = scope.random.choice(self.fields)
            return Expr(kind, [f"{self.name}[", where, f"].{field}"])
        return Expr(self.kind, [f"{self.name}[", where, "]"])

    def load_any(self, scope):
        """An element at an index of many forms."""
        r = scope.random
        choice = r.randrange(6)
        if scope.uniform_only or choice == 0:
            return self.element(scope, scope.fit(r.choice(["i32", "u32", "u64"]), 0, self.count - 1,
                                                 scope.integer(1, "u32")))
        g = self.linear
        if choice < 4:
            k = r.choice([1, 1, 2, 3, 4])
            c = r.randrange(k)
            text = r.choice([f"{g}", f"{g} * {k} + {c}", f"({g} & {r.choice([1, 3, 7, 15, 31, 255])})",
                             f"{g} / {r.choice([2, 3, 4, 8])}",
                             f"({g} ^ {r.choice([1, 2, 3, 8])})", f"{self.total} - 1 - {g}",
                             f"{g} + {r.choice([1, 2, 5, 16])}"])
            return self.element(scope, Expr("index", text))
        return self.element(scope, scope.fit(r.choice(["i32", "u32", "i64", "u64"]), 0, self.count - 1,
                                             scope.integer(2, r.choice(["i32", "u32", "i64"]))))

    def load_in_group(self, scope):
        """Any element of the group."""
        if scope.uniform_only:
            return None
        at = Expr("u32", ["(", scope.integer(1, "u32"), " % lsize)"])
        if self.local:
            return self.element(scope, Expr("index", ["(", at,
                                                      f") * {self.slots} + {scope.random.randrange(self.slots)}"]
                                            if self.slots > 1 else [at]))
        g = ["(group * lsize + ", at, ")"]
        part = scope.random.randrange(self.slots)
        text = {"rows": g + [f" * {self.slots} + {part}"], "columns": [f"{part} * {self.total} + "] + g,
                "reverse": [f"({self.total} - 1 - "] + g + [f") * {self.slots} + {part}"]}[self.form]
        return self.element(scope, Expr("index", text))


class Kernel:
    def __init__(self, scene, random, index):
        self.scene, self.random = scene, random
        r = random
        self.grouped = scene.grouped
        self.dimensions = scene.dimensions
        self.phased = self.grouped and r.random() < 0.6
        self.sub_groups = self.phased and (self.dimensions == 1 or scene.rows) and r.random() < 0.6
        self.sub_group_size = r.choice([0, 0, 4, 8, 16, 32]) if self.sub_groups else 0
        self.locals = []
        self.prologue, self.body = [], None
        self.arguments = []
        self.write()

    def write(self):
        r, scene = self.random, self.scene
        scope = Scope(r, [one for one in scene.helpers if not one.memory])
        for position in range(r.randint(0, 3)):
            kind = r.choice(["i32", "u32", "i64", "u64", "f32", "u8"])
            name = f"q{scene.names[0]}"
            scene.names[0] += 1
            low, width = r.choice([(0, 8), (0, 64), (-20, 41), (1, 1000)])
            if kind[0] == "u":
                low = max(low, 0)
            self.arguments.append(
                f"const {kind} {name} = program::argument<{kind}>({r.getrandbits(32)}u, {low}, {width});")
            scope.variables.append(Variable(name, kind, low, low + width - 1, uniform=True) if kind in BITS else
                                   Variable(name, kind, uniform=True))
        self.ids(scope)
        arrays = self.views(scope)
        writer = Writer(r, scene.names, arrays, scene.helpers)
        writer.budget = r.choice([6, 12, 20, 30])
        if not self.phased:
            if r.random() < 0.5:
                writer.may_return = lambda where: "return;"
            self.body = writer.block(scope, r.randint(2, 10), 3)
            return
        self.body = Block(self.phases(writer, scope, r.randint(1, 3), 2))

    def ids(self, scope):
        """g: the linear id; n: how many there are; for groups also l, group and lsize."""
        r, d = self.random, self.dimensions
        kind = r.choice(["int", "int", "unsigned", "std::size_t", "long"])
        own = {"int": "i32", "unsigned": "u32", "std::size_t": "u64", "long": "i64"}[kind]
        one = (lambda i: f"it.get_global_id({i})") if self.grouped else (lambda i: f"it[{i}]")
        names = ["x", "y", "z"][:d]
        for i, name in enumerate(names):
            self.prologue.append(Statement([f"const {kind} {name} = static_cast<{kind}>({one(i)});"], keep=True,
                                           declares=name))
            scope.variables.append(Variable(name, own, 0, 1023))
        all_of = "get_global_range" if self.grouped else "get_range"
        if r.random() < 0.5 or d == 1:
            linear = names[0]
            for i in range(1, d):
                linear = f"({linear}) * static_cast<{kind}>(it.{all_of}({i})) + {names[i]}"
        else:
            linear = f"static_cast<{kind}>(it.{'get_global_linear_id' if self.grouped else 'get_linear_id'}())"
        self.prologue.append(Statement([f"const {kind} g = {linear};"], keep=True, declares="g"))
        scope.variables.append(Variable("g", own, 0, 1023))
        if self.grouped:
            self.prologue.append(Statement([f"const {kind} l = static_cast<{kind}>(it.get_local_linear_id());"],
                                           keep=True, declares="l"))
            self.prologue.append(Statement([f"const {kind} group = static_cast<{kind}>(it.get_group_linear_id());"],
                                           keep=True,
                                           declares="group"))
            scope.variables.append(Variable("l", own, 0, 255))
            scope.variables.append(Variable("group", own, 0, 1023, uniform=True))
        if self.sub_groups:
            self.prologue.append(Statement(["const sycl::sub_group sg = it.get_sub_group();"], keep=True,
                                           declares="sg"))
            self.prologue.append(Statement(["const u32 lane = sg.get_local_linear_id();"], keep=True, declares="lane"))
            scope.variables.append(Variable("lane", "u32", 0, 31))
        if self.phased:
            self.prologue.append(Statement(["const auto gr = it.get_group();"], keep=True, declares="gr"))

    def views(self, scope):
        r, scene = self.random, self.scene
        chosen = [one for one in scene.arrays if r.random() < 0.75] or scene.arrays[:1]
        self.used = chosen
        arrays = []
        for one in chosen:
            if one.role == "in":
                view = one.with_mode(whole=True)
                scope.loads.append(view.load_any)
            elif one.role == "atomic":
                view = one.with_mode(atomic=r.choice(one.operations))
                view.atomic = one.operation
            else:
                view = one.with_mode(owned=True, ids=r.choice(["g", "l", "lane"] if self.sub_groups else ["g", "l"]
                                                              if self.grouped else ["g"]),
                                     leader="sg.leader()" if self.sub_groups else None)
                if not self.phased:
                    scope.loads.append(view.load_own)
            view.pointer = True
            arrays.append(view)
        if self.phased:
            for _ in range(r.randint(0, 2)):
                kind = r.choice(SCALARS + ATOMIC_KINDS)
                local = Array(f"local{scene.names[0]}", kind, r.choice([1, 1, 2, 4]),
                              r.choice(["rows", "columns", "reverse"]))
                scene.names[0] += 1
                local.local, local.owned, local.linear, local.total, local.pointer = True, True, "l", "lsize", True
                local.ids = r.choice(["l", "lane"]) if self.sub_groups else "l"
                self.locals.append(local)
                place = f"static_cast<u32>(l) * {local.slots} + k"
                local.first = Statement([f"for (u32 k = 0; k < {local.slots}; ++k) {local.name}[{place}] = ",
                                         scope.exact(kind, scope.value(kind, 1)), ";"], keep=True)
                self.prologue.append(local.first)
            if self.locals:
                self.prologue.append(Statement(["sycl::group_barrier(gr);"], keep=True))
        return arrays + self.locals

    # ------------------------------------------------------------------------------------------- phases

    def phases(self, writer, scope, count, depth):
        """Statements that end with a barrier each, some in loops and branches that whole groups take."""
        r = self.random
        statements = []
        everything = writer.arrays
        for _ in range(count):
            choice = r.random()
            if depth > 0 and choice < 0.2:
                k = writer.name("k")
                inner = scope.inner()
                inner.variables.append(Variable(k, "i32", 0, 3, uniform=True))
                bound = Expr("i32", "3", 3, 3)
                if r.random() < 0.6:
                    same = scope.uniform()
                    bound = same.fit("i32", 0, 4, same.integer(1, "i32"))
                body = Block(self.phases(writer, inner, r.randint(1, 2), depth - 1))
                bare = Block([Statement([f"const int {k} = 0;"], declares=k)] + body.statements)
                statements.append(Statement([f"for (int {k} = 0; {k} < ", bound, f"; ++{k}) ", body], bare=[bare]))
                continue
            if depth > 0 and choice < 0.3:
                body = Block(self.phases(writer, scope.inner(), 1, depth - 1))
                statements.append(Statement(["if (", scope.uniform().condition(1), ") ", body], bare=[body]))
                continue
            inner = scope.inner()
            writer.arrays = []
            for one in everything:
                view = one
                if one.role_in_phase():
                    mode = r.choice(["own", "own", "read", "atomic"] if one.kind in ATOMIC_KINDS and not one.fields
                                    else ["own", "read"])
                    if mode == "own":
                        view = one.with_mode(owned=True)
                        inner.loads.append(view.load_own)
                    elif mode == "read":
                        view = one.with_mode(owned=False)
                        inner.loads += [view.load_in_group] * 2
                    else:
                        operations = ["add", "or", "xor", "max",
                                      "min"] if one.kind[0] == "u" else ["or", "and", "max", "min"]
                        view = one.with_mode(owned=False)
                        if one.local:
                            view.atomic = r.choice(operations)
                            view.count = 1
                        else:
                            view = None
                if view is not None:
                    writer.arrays.append(view)
            body = []
            for _ in range(r.randint(1, 5)):
                if r.random() < 0.35:
                    body += self.together(writer, inner)
                else:
                    body += writer.statement(inner, 2)
            barrier = Statement(["sycl::group_barrier(gr);"], keep=True)
            phase = Block(body + [barrier])
            statements.append(Statement([phase]))
        writer.arrays = everything
        return statements

    def together(self, writer, scope):
        """A function of the group or sub-group."""
        r = self.random
        name = writer.name("v")
        sub = self.sub_groups and r.random() < 0.75
        where = "sg" if sub else "gr"
        uniform = not sub
        choice = r.randrange(10)
        if choice < 2:
            text = [f"const bool {name} = sycl::{r.choice(['any', 'all', 'none'])}_of_group({where}, ",
                    scope.condition(2), ");"]
            scope.variables.append(Variable(name, "bool", uniform=uniform))
            return [Statement(text, declares=name)]
        if choice < 6:
            operation = r.choice(list(OPERATIONS))
            kind = r.choice(OPERATIONS[operation])
            function = r.choice(["reduce", "reduce", "inclusive_scan", "exclusive_scan"])
            value = scope.exact(kind, scope.value(kind, 2))
            initial = f"{literal(kind, 3)}, " if function == "exclusive_scan" else ""
            if initial:
                initial = f"{kind}({literal(kind, 3)}), "
            text = [f"const {kind} {name} = sycl::{function}_over_group({where}, ", value,
                    f", {initial}sycl::{operation}<{kind}>());"]
            scope.variables.append(Variable(name, kind, uniform=uniform and function == "reduce"))
            return [Statement(text, declares=name)]
        kind = r.choice(SCALARS)
        value = scope.exact(kind, scope.value(kind, 2))
        if not sub or choice == 6:
            size = "sg.get_local_linear_range()" if sub else "lsize"
            at = scope.uniform().integer(1, "u32")
            text = [f"const {kind} {name} = sycl::group_broadcast({where}, ", value, ", (", at, f") % {size});"]
            scope.variables.append(Variable(name, kind, uniform=uniform))
            return [Statement(text, declares=name)]
        other = scope.exact(kind, scope.value(kind, 1))
        raw = writer.name("v")
        if choice == 7:
            text = [f"const {kind} {raw} = sycl::select_from_group(sg, ", value, ", (", scope.integer(1, "u32"),
                    ") % sg.get_local_linear_range());"]
            scope.variables.append(Variable(raw, kind))
            return [Statement(text, declares=raw)]
        by = r.choice([1, 2, 3])
        function, test = r.choice([("shift_group_left", f"lane + {by} < sg.get_local_linear_range()"),
                                   ("shift_group_right", f"lane >= {by}"),
                                   ("permute_group_by_xor", f"(lane ^ {by}) < sg.get_local_linear_range()")])
        scope.variables.append(Variable(name, kind))
        # What lies outside of the sub-group is any value: it is looked at behind the test only.
        return [Statement([f"const {kind} {raw} = sycl::{function}(sg, ", value, f", {by}u);"], keep=True,
                          declares=raw),
                Statement([f"const {kind} {name} = {test} ? {raw} : ", other, ";"], declares=name)]

    # ------------------------------------------------------------------------------------------- text

    def text(self, buffers):
        d = self.dimensions
        lines = list(self.arguments)
        lines += [f"program::sub_group_size({self.sub_group_size});", "queue.submit([&](sycl::handler& handler) {"]
        for one in self.used:
            if buffers:
                tag = "sycl::read_only" if one.role == "in" else "sycl::read_write"
                lines.append(f"  sycl::accessor {one.name}(buffer_{one.name}, handler, {tag});")
            else:
                lines.append(
                    f"  {'const ' if one.role == 'in' else ''}{one.kind_text()}* {one.name} = array_{one.name}.data;")
        for one in self.locals:
            lines.append(
                f"  sycl::local_accessor<{one.kind}> {one.name}(sycl::range<1>(lsize * {one.slots}), handler);")
        sizes = ", ".join(f"s.global[{i}]" for i in range(d))
        local = ", ".join(f"s.local[{i}]" for i in range(d))
        attribute = f" [[sycl::reqd_sub_group_size({self.sub_group_size})]]" if self.sub_group_size else ""
        if self.grouped:
            lines.append(
                f"  handler.parallel_for(sycl::nd_range<{d}>(sycl::range<{d}>({sizes}), sycl::range<{d}>({local})), "
                         f"[=](sycl::nd_item<{d}> it){attribute} {{")
        else:
            lines.append(f"  handler.parallel_for(sycl::range<{d}>({sizes}), [=](sycl::item<{d}> it) {{")
        lines = ["    " + line + "\n" for line in lines]
        lines += [one.text(4) for one in self.prologue + self.body.statements]
        return "".join(lines) + "      });\n    });\n"


class SceneArray(Array):
    role = "own"

    def role_in_phase(self):
        return self.role == "own"

    def kind_text(self):
        return spelled(self.kind)


Array.role_in_phase = lambda self: self.local or getattr(self, "role", "") == "own"


class Scene:
    """One function of a program: arrays, kernels, results. `rows`: sub-groups in several dimensions too."""

    def __init__(self, random, name, rows=True):
        r = self.random = random
        self.name, self.rows = name, rows
        self.names = [0]
        self.dimensions = r.choice([1, 1, 1, 2, 3])
        self.grouped = r.random() < 0.7
        self.buffers = r.random() < 0.3
        self.count_type = r.choice(["int", "unsigned", "std::size_t"])
        self.structures = []
        self.shapes = [self.shape() for _ in range(2)]
        self.shapes += self.shapes[:1]  # queues with auto_fusion fuse what they see again
        self.arrays = self.make_arrays()
        self.helpers = []
        for _ in range(r.choice([0, 1, 1, 2])):
            self.helpers.append(make_helper(r, self.names, self.helpers))
        for kind in sorted({one.kind for one in self.arrays if one.role == "own" and one.kind in SCALARS
                            and one.slots > 1}):
            if r.random() < 0.7:
                self.helpers.append(make_helper(r, self.names, self.helpers, memory=kind))
        self.kernels = [Kernel(self, r, i) for i in range(r.choice([1, 1, 1, 1, 2, 3]))]

    def shape(self):
        r, d = self.random, self.dimensions
        local = list(r.choice(SHAPES[d]))
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
                kind, fields = r.choice(SCALARS + ["u8", "i8", "u16", "i16"]), None
                if role == "atomic":
                    kind = r.choice(ATOMIC_KINDS)
                elif r.random() < 0.15:
                    kind = r.choice(VECTORS)
                elif r.random() < 0.15:
                    kind, fields = f"structure{len(self.structures)}", []
                    for position in range(r.randint(2, 4)):
                        fields.append((f"m{position}", r.choice(SCALARS)))
                    self.structures.append((kind, fields))
                array = SceneArray(f"{role[0]}{len(arrays)}", kind, r.choice([1, 1, 2, 4]),
                                   r.choice(["rows", "rows", "columns", "reverse"]),
                                   fields)
                array.role, array.seed = role, len(arrays) + 1
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
        lines += [helper.text() + "\n" for helper in self.helpers]
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
        depth = "    "
        if self.buffers:
            lines.append("    {\n")
            for one in self.arrays:
                lines.append(f"    sycl::buffer<{one.kind_text()}, 1> buffer_{one.name}(array_{one.name}.data, "
                             f"sycl::range<1>({one.count}));\n")
        lines.append("    program::list list(queue);\n")
        lines += [kernel.text(self.buffers) for kernel in self.kernels]
        lines.append("    list.complete();\n    queue.wait();\n")
        if self.buffers:
            lines.append("    }\n")
        lines += [f"    array_{one.name}.print(\"{self.name}\");\n" for one in self.arrays if one.role != "in"]
        lines.append("  }\n}\n")
        return f"namespace scene_{self.name} {{\n" + "".join(lines) + f"}}  // namespace scene_{self.name}\n"


def program_text(scenes, comment):
    head = "".join(f"// {line}\n" for line in comment.splitlines())
    table = ", ".join(f"{{\"{one.name}\", scene_{one.name}::run}}" for one in scenes)
    return (head + "#include \"program.hpp\"\n\n" + "\n".join(one.text() for one in scenes) +
            f"\nint main(int count, char** words) {{\n  const program::scene scenes[] = {{{table}}};\n"
            "  return program::run(scenes, count, words);\n}\n")
