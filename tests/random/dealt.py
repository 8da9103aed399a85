"""Scenes whose kernels distribute the iterations of one loop among work-items: by grid-stride loops, by the number of
an element in a tile, or among the lanes of a sub-group. Other kernels load pairs of neighbouring elements at any
address."""
from arrays import SceneArray
from crossing import KINDS
from expressions import CAPACITY, Scope, Variable
from kernels import Kernel
from scenes import Scene
from tree import BITS, Block, Expr, Statement

COUNTERS = {"int": "i32", "unsigned": "u32", "std::size_t": "u64", "long": "i64"}


class DealtKernel(Kernel):
    """Each element of `target` is written by one iteration of one work-item, from elements of `sources`."""

    def __init__(self, scene, random, sources, target):
        self.sources, self.target, self.tile = sources, target, None
        super().__init__(scene, random)

    def write(self):
        r, scope = self.random, Scope(self.random)
        self.grouped, self.sub_groups, self.phased, self.dimensions = True, False, False, self.scene.dimensions
        self.sub_group_size = 0
        self.used = [*self.sources, self.target]
        self.kind = r.choice(list(COUNTERS))
        self.prologue = []
        for _ in range(r.choice([0, 1, 1, 2])):
            low, width = r.choice([(0, 8), (0, 90), (1, 1000)])
            scope.variables.append(Variable(self.argument("u32", low, width), "u32", low, low + width - 1,
                                            uniform=True))
        makers = [self.by_tile, self.by_tile, self.by_lanes, self.pairs]
        if self.dimensions == 1:
            makers += [self.by_grid] * 3 + [self.sums] * 3
        self.body = Block(r.choice(makers)(scope))

    def number(self, name, text):
        return Statement([f"const {self.kind} {name} = static_cast<{self.kind}>({text});"], keep=True, declares=name)

    def computed(self, scope):
        """A value for the target, which mostly contains the scope's last variable."""
        kind, value = self.target.kind, scope.value(self.target.kind, 2)
        if self.random.random() < 0.8 and scope.variables:
            needed = scope.variables[-1].expr()
            value = Expr("u64", ["(", scope.to("u64", needed), " * 3u + ", scope.to("u64", value), ")"]) \
                if kind in BITS else Expr(kind, [f"(({kind})(", needed, f") - ({kind})(", value, "))"])
        return scope.exact(kind, value)

    def loads(self, scope, places):
        """Statements that load elements into variables."""
        r, lines = self.random, []
        for _ in range(r.choice([1, 1, 2, 3])):
            one, name = r.choice(self.sources), f"e{len(scope.variables)}"
            lines.append(Statement([f"const {one.kind} {name} = {one.name}[{r.choice(places)}];"], declares=name))
            scope.variables.append(Variable(name, one.kind))
        return lines

    @staticmethod
    def whole(kind, text):
        """An element as u64."""
        return f"u64({text})" if kind in BITS else f"u64(program::to_int({text}))"

    def counted(self, i, start, bound, step, body, effects=""):
        r, kind = self.random, self.kind
        forms = [f"for ({kind} {i} = {start}; {i} < {bound}; {i} += {step}) "] * 4
        forms += [f"for ({kind} {i} = {start}; {bound} > {i}; {i} = static_cast<{kind}>({i} + std::size_t({step}))) ",
                  f"for ({kind} {i} = {start}; {i} + 1 <= {bound}; {i} += {step}) "]
        if effects:
            forms += [f"for ({kind} {i} = {start}; {i} < {bound} && {effects}; {i} += {step}) ",
                      f"for ({kind} {i} = {start}; {effects} && {i} < {bound}; {i} += {step}) "]
        return Statement([r.choice(forms), Block(body)], keep=True)

    def by_grid(self, scope):
        """for (i = global id; i < end; i += global range)"""
        r, kind, target = self.random, self.kind, self.target.name
        size = r.choice(["it.get_local_range(0)", "lsize"])
        start = r.choice(["it.get_global_id(0)"] * 3 + ["it.get_global_linear_id()",
                         f"it.get_group(0) * {size} + it.get_local_id(0)"] +
                         [f"{kind}(it.get_group(0)) * {kind}({size}) + {kind}(it.get_local_id(0))"] * 2)
        lines = [self.number("g", start)]
        step = r.choice(["it.get_global_range(0)", "n", f"it.get_group_range(0) * {size}",
                         f"{kind}(it.get_group_range(0)) * {kind}({size})", "n * 2", "1024"])
        step = f"static_cast<{kind}>({step})" if r.random() < 0.7 else step
        most = CAPACITY - 1024
        bound = r.choice([f"static_cast<{kind}>({self.argument('u32', 1, most)})", f"{kind}({r.randint(1, most)})",
                          f"static_cast<{kind}>(n)", f"static_cast<{kind}>(n * 3 - 1)"])
        if r.random() < 0.2:
            lines.append(Statement([f"if (g {r.choice(['>', '<'])} ", scope.fit(COUNTERS[kind], 0, 511, scope.uniform()
                                    .integer(1, "u32")), ") return;"]))
        inner = scope.inner()
        inner.variables.append(Variable("i", COUNTERS[kind], 0, CAPACITY))
        body = self.loads(inner, ["i"] * 6 + ["i ^ 1", "i / 3", "i + 1", f"(i * 7) % {kind}({CAPACITY})", "g"])
        if r.random() < 0.4:
            own, name = self.target.kind, target
            if not self.scene.buffers and r.random() < 0.5:
                name = f"{target}_again"
                self.again.append(self.target.with_mode(name=name))
            body.append(Statement([f"const {own} o = {name}[i];"], declares="o"))
            inner.variables.append(Variable("o", own))
        if r.random() < 0.15:
            inner.variables.append(Variable("g", COUNTERS[kind], 0, 1023))
        store = Statement([f"{target}[i] = ", self.computed(inner), ";"], keep=True)
        if r.random() < 0.3:
            store = Statement(["if (", inner.condition(1), ") ", Block([store])])
        body.append(store)
        return lines + [self.counted("i", "g", bound, step, body, f"{self.sources[0].name}[i] != 7")]

    def sums(self, scope):
        """Each work-item adds up elements. The distance between two such elements is the size of the grid or group, or
        a captured number."""
        r, kind = self.random, self.kind
        lines = [self.number("g", "it.get_global_id(0)")]
        step = r.choice(["it.get_global_range(0)", "it.get_global_range(0)", "n", "it.get_local_range(0)",
                         self.argument("u32", 1, 1024)])
        step = f"static_cast<{kind}>({step})" if r.random() < 0.8 or step.isidentifier() else step
        most = CAPACITY - 1024
        bound = r.choice([f"{kind}({most})", f"static_cast<{kind}>({self.argument('u32', 1, most)})"])
        own = r.choice(["u32", "u64"])
        lines.append(Statement([f"{own} s = 1;"], keep=True, declares="s"))
        inner = scope.inner()
        inner.variables.append(Variable("i", COUNTERS[kind], 0, CAPACITY))
        one = r.choice(self.sources)
        body = [Statement([f"s = s * 3u + {own}({self.whole(one.kind, one.name + '[i]')});"], keep=True)]
        if r.random() < 0.2:
            body.insert(0, Statement(["if (", inner.condition(1), ") s += 7;"]))
        lines.append(self.counted("i", "g", bound, step, body))
        if r.random() < 0.4:
            lines.append(Statement([f"s = sycl::reduce_over_group(it.get_group(), s, sycl::plus<{own}>());"],
                                   keep=True))
        scope.variables.append(Variable("s", own))
        lines.append(Statement([f"{self.target.name}[it.get_global_linear_id()] = ", self.computed(scope), ";"],
                               keep=True))
        return lines

    def by_tile(self, scope):
        """for (i = local id; i < width * height; i += group size) tile[i] = in[...i / width...i % width...]"""
        r, kind = self.random, self.kind
        width, height, deep = r.choice([3, 5, 7, 10, 18, 18, 34, 66]), r.choice([1, 3, 6, 10, 18]), 1
        if r.random() < 0.25:
            width, deep = min(width, 10), r.choice([2, 3])
        count = width * height * deep
        pitch = width + r.choice([0, 0, 0, 1, 3])
        places = pitch * height * deep
        one = self.sources[0]
        tile, self.tile = "tile", ("tile", one.kind, places)
        lines = [self.number("l", "it.get_local_linear_id()"), self.number("group", "it.get_group_linear_id()")]
        lines.append(self.number("all", "lsize"))
        fill = Statement([f"for ({kind} k = l; k < {kind}({places}); k += all) {tile}[k] = {one.kind}(k);"],
                         keep=True)
        barrier = Statement(["sycl::group_barrier(it.get_group());"], keep=True)
        end = r.choice([str(count), str(count), str(max(count - 5, 1)),
                        f"static_cast<{kind}>({self.argument('u32', 0, count + 1)})"])
        inner = scope.inner()
        inner.variables += [Variable("group", COUNTERS[kind], 0, 1023, uniform=True)]
        high, low = f"i / {width}", r.choice([f"i % {width}"] * 3 + [f"(i - i / {width} * {width})"])
        stride = r.choice([40, 64, 70])
        body = [Statement([f"const {kind} y = {high}, x = {low};"], keep=True, declares="y")]
        inner.variables += [Variable("i", COUNTERS[kind], 0, count), Variable("y", COUNTERS[kind], 0, count),
                            Variable("x", COUNTERS[kind], 0, width)]
        where = f"((group * {r.choice([1, 5])} + y) * {stride} + group + x) % {kind}({CAPACITY})"
        if deep > 1:
            where = f"((y / {height} * 20 + y % {height}) * {stride} + x) % {kind}({CAPACITY})"
        load = [f"{one.name}[{where}]"]
        if r.random() < 0.4:
            load = [inner.condition(1), f" ? {one.name}[{where}] : {one.kind}(", inner.value("u8", 1), ")"]
        place = "i" if pitch == width else f"y * {pitch} + x"
        if r.random() < 0.15:
            place = r.choice([f"{count} - 1 - i", f"y * {pitch} + {width - 1} - x"])
        keeps = place == "i"  # each work-item has its own elements from here to the next barrier
        lines += [fill] + ([] if keeps and r.random() < 0.5 else [barrier])
        what = inner.exact(one.kind, Expr(one.kind, [f"({one.kind})(", *load, ")"]))
        body.append(Statement([f"{tile}[{place}] = ", what, ";"], keep=True))
        if r.random() < 0.2:
            body.insert(1, Statement(["if (", inner.condition(1), f") {r.choice(['continue', 'continue', 'break'])};"]))
        lines += [self.counted("i", "l", f"{kind}({end})", "all", body)]
        if r.random() < 0.8:
            lines.append(barrier)
            reads = ["places - 1 - l % places", f"(l * {r.choice([1, 3, width])} + k) % places", "(l + group) % places"]
            read = r.choice(reads)
        else:
            if keeps:
                lines.append(Statement(["if (l < places) ", Block([Statement(
                    [f"{tile}[l] = {one.kind}({tile}[l] + {one.kind}(1));"])])]))
            lines.append(barrier)
            read = "(l * 3 + k) % places"
        lines.insert(0, Statement([f"const {kind} places = {places};"], keep=True, declares="places"))
        lines.append(Statement(["u64 s = 0;"], keep=True, declares="s"))
        to_int = self.whole(one.kind, f"{tile}[{read}]")
        lines.append(Statement([f"for ({kind} k = 0; k < {r.choice([1, 3, 9])}; ++k) s = s * 3u + {to_int};"],
                               keep=True))
        scope.variables.append(Variable("s", "u64"))
        lines.append(Statement([f"{self.target.name}[it.get_global_linear_id()] = ", self.computed(scope), ";"],
                               keep=True))
        return lines

    def by_lanes(self, scope):
        """for (i = lane; i < end; i += size of the sub-group), where each sub-group goes along a row."""
        r, kind = self.random, self.kind
        self.sub_groups = True
        lines = [Statement(["const auto sg = it.get_sub_group();"], keep=True, declares="sg"),
                 self.number("lane", "sg.get_local_linear_id()"), self.number("size", "sg.get_local_linear_range()"),
                 self.number("row", r.choice(["it.get_global_linear_id() / 8", "it.get_group_linear_id()"]) + " % 16")]
        if r.random() < 0.5:
            lines[-1] = self.number("row", "it.get_group_linear_id() % 16")
        length = r.choice(["100", "37", "128", f"{kind}({self.argument('u32', 0, 120)})", f"{kind}(row * 7)",
                           f"{kind}({self.sources[0].name}[row] % 90)"]) if self.sources[0].kind in BITS and \
            self.sources[0].kind[0] == "u" else f"{kind}({self.argument('u32', 0, 120)})"
        lines.append(Statement(["u64 s = 0;"], keep=True, declares="s"))
        inner = scope.inner()
        inner.variables += [Variable("i", COUNTERS[kind], 0, 200)]
        parts = r.choice([1, 1, 2, 4, 8])
        one = r.choice(self.sources)
        order = list(range(parts))
        if r.random() < 0.3:
            r.shuffle(order)
        body = [self.number("at", f"row * {r.choice([64, 131])} + i * {parts}")] if parts > 1 or r.random() < 0.5 else \
            [self.number("at", f"row * {r.choice([64, 131])} + i")]
        for p in order:
            value = self.whole(one.kind, f"{one.name}[at + {p}]")
            body.append(Statement([f"s = s * {r.choice([1, 3, 5])}u + {value};"]))
        if r.random() < 0.4:
            other = self.sources[-1]
            body.append(Statement([f"s ^= {self.whole(other.kind, other.name + '[i]')};"]))
        if r.random() < 0.2:
            body.append(Statement(["if (", inner.condition(1), ") continue;"]))
            body.append(Statement(["s += 1;"]))
        lines.append(self.counted("i", "lane", length, "size", body, f"{self.sources[0].name}[i] != 7"))
        scope.variables.append(Variable("s", "u64"))
        lines.append(Statement([f"{self.target.name}[it.get_global_linear_id()] = ", self.computed(scope), ";"],
                               keep=True))
        return lines

    def pairs(self, scope):
        """Loads table[k] and table[k + 1], where k comes from the data."""
        r, kind = self.random, self.kind
        one, other = r.choice(self.sources), r.choice(self.sources)
        lines = [self.number("g", "it.get_global_linear_id()")]
        index = f"u32(g * {r.choice([1, 7, 37, 411])}u)"
        if other.kind in BITS:
            index = r.choice([f"u32({other.name}[g])", f"{kind}({other.name}[g])", index])
        most = r.choice([1023, 4095, 2047])
        near = r.choice([1, 1, 1, 2])
        lines.append(Statement([f"const {kind} k = static_cast<{kind}>({index} & {most}u);"], keep=True, declares="k"))
        places = [f"{one.name}[{place}]" for place in r.choice([
            [f"(k + {near}) & {most}", "k"], ["k", f"k < {most} ? k + {near - 1} : k"],
            [f"k & {most - 7}", f"(k & {most - 7}) + {near}"], [f"(k & {most - 7}) + 3", f"(k & {most - 7}) + 2",
                                                                f"(k & {most - 7}) + 4"]])]
        guard = r.random() < 0.4
        lines.append(Statement(["u64 s = 7;"], keep=True, declares="s"))
        body = [Statement([f"s = s * 3u + {self.whole(one.kind, place)};"]) for place in places]
        lines += [Statement(["if (", scope.condition(1), ") ", Block(body)])] if guard else body
        scope.variables.append(Variable("s", "u64"))
        lines.append(Statement([f"{self.target.name}[g] = ", self.computed(scope), ";"], keep=True))
        return lines

    def text(self, buffers):
        text = super().text(buffers)
        if self.tile is None:
            return text
        name, kind, places = self.tile
        head = "  handler.parallel_for("
        line = f"  sycl::local_accessor<{kind}> {name}(sycl::range<1>({places}), handler);\n    "
        return text.replace(head, line + head, 1)


class DealtScene(Scene):
    def __init__(self, random, name):
        self.all_dimensions = random.choice([1, 1, 1, 2, 3])
        super().__init__(random, name)

    def shape(self):
        r = self.random
        self.grouped = True
        self.dimensions = self.all_dimensions
        local = {1: [[1], [8], [16], [17], [32], [64], [64], [100], [128], [256]],
                 2: [[16, 16], [8, 8], [8, 32], [4, 16], [3, 5], [2, 64]], 3: [[2, 4, 16], [2, 2, 13], [1, 8, 8]]}
        local = list(r.choice(local[self.dimensions]))
        groups = [r.choice([1, 2, 3, 4])] + [1] * (self.dimensions - 1)
        return [a * b for a, b in zip(local, groups)], local

    def make_arrays(self):
        r = self.random
        arrays = [SceneArray(f"i{i}", r.choice(KINDS + ["u8", "u8", "u16", "f32"]), 1, "rows", None, "in", i + 1)
                  for i in range(2)]
        arrays += [SceneArray(f"o{i}", r.choice(KINDS), 1, "rows", None, "own", i + 3) for i in range(2)]
        for one in arrays:
            one.count = CAPACITY
        return arrays

    def make_kernels(self):
        r = self.random
        ins, owns = self.arrays[:2], self.arrays[2:]
        return [DealtKernel(self, r, ins, r.choice(owns)) for _ in range(r.choice([1, 1, 2]))]
