"""Scenes whose kernels keep values in private memory: arrays with indices known only at run time, structures with
padding and bit-fields, unions, bytes that are read as other types, and pointers to one of several variables."""
from arrays import SceneArray
from expressions import CAPACITY, Scope, Variable
from kernels import Kernel
from scenes import Scene
from tree import BITS, Block, Expr, Statement, span

# Types of structures, with their members: the name, the type, and the number of elements if the member is an array.
STRUCTURES = {
    "padded": [("a", "u8", 0), ("b", "u32", 0), ("c", "i16", 0), ("d", "u64", 0), ("e", "i8", 0)],
    "packed": [("a", "u8", 0), ("b", "u32", 0), ("c", "i16", 0), ("d", "u64", 0), ("e", "i8", 0)],
    "wide": [("a", "u16", 0), ("b", "u8", 5), ("c", "i32", 0)],
    "fields": [("a", "u32", 0), ("b", "i32", 0), ("c", "u64", 0), ("d", "u32", 0), ("e", "u16", 0), ("f", "i8", 0)],
    "either": [("whole", "u64", 0), ("bytes", "u8", 8), ("shorts", "i16", 4), ("words", "u32", 2)]}
DEFINITIONS = """struct padded { u8 a; u32 b; i16 c; u64 d; i8 e; };
struct __attribute__((packed)) packed { u8 a; u32 b; i16 c; u64 d; i8 e; };
struct alignas(32) wide { u16 a; u8 b[5]; i32 c; };
struct fields { u32 a : 3; i32 b : 5; u64 c : 33; u32 d : 13; u16 e : 9; i8 f : 4; };
union either { u64 whole; u8 bytes[8]; i16 shorts[4]; u32 words[2]; };
"""


class Numbers:
    """An array of numbers of one type, of one or two dimensions."""

    def __init__(self, kernel, scope, name):
        self.kernel, self.random, self.name = kernel, kernel.random, name
        r = self.random
        self.kind = r.choice(["u8", "i8", "u8", "u16", "i16", "u32", "u32", "i32", "u64", "i64"])
        self.rows, self.columns = r.choice([0, 0, 0, 2, 3, 5]), r.choice([2, 3, 4, 4, 7, 8, 16, 33])
        self.count = self.columns * max(self.rows, 1)
        dimensions = f"[{self.rows}][{self.columns}]" if self.rows else f"[{self.columns}]"
        counter = kernel.name("k")
        if r.random() < 0.3:
            filled = [f" std::memset({name}, ", scope.fit("i32", 0, 255, scope.leaf("i32")), f", sizeof({name}));"]
        else:
            inner = scope.inner()
            inner.variables.append(Variable(counter, "i32", 0, self.count - 1))
            if r.random() < 0.3:
                inner = scope.uniform()
            element = f"{counter} / {self.columns}][{counter} % {self.columns}" if self.rows else counter
            filled = [f" for (int {counter} = 0; {counter} < {self.count}; ++{counter}) {name}[{element}] = ",
                      inner.exact(self.kind, inner.value(self.kind, 1)), ";"]
        self.first = Statement([f"{self.kind} {name}{dimensions};"] + filled, declares=name)

    def place(self, scope):
        column = self.kernel.index(scope, self.columns)
        return ["[", self.kernel.index(scope, self.rows), "][", column, "]"] if self.rows else ["[", column, "]"]

    def statement(self, scope):
        r, name, kernel = self.random, self.name, self.kernel
        makers = [self.store, self.store, self.read, self.swap, self.read_as, self.all]
        makers += [] if self.rows else [self.sort, self.walk, self.move]
        return r.choice(makers)(scope, name, kernel)

    def store(self, scope, name, kernel):
        return [name, *self.place(scope), " = ", scope.exact(self.kind, scope.value(self.kind, 1)), ";"]

    def read(self, scope, name, kernel):
        return ["s = s * 3u + u64(", name, *self.place(scope), ");"]

    def swap(self, scope, name, kernel):
        return ["std::swap(", name, *self.place(scope), ", ", name, *self.place(scope), ");"]

    def read_as(self, scope, name, kernel):
        """Reads bytes as a number of another type, and writes a number to other bytes."""
        size = self.count * BITS[self.kind] // 8
        kind = self.random.choice([one for one in ("u8", "u16", "u32", "u64") if BITS[one] // 8 <= size])
        last = size - BITS[kind] // 8 + 1
        return [f"{{ {kind} w; std::memcpy(&w, reinterpret_cast<u8*>({name}) + ", kernel.index(scope, last),
                f", sizeof(w)); s = s * 3u + w; w = {kind}(s >> 3); std::memcpy(reinterpret_cast<u8*>({name}) + ",
                kernel.index(scope, last), ", &w, sizeof(w)); }"]

    def all(self, scope, name, kernel):
        if self.rows:
            return [f"for (const auto& row : {name}) for (const {self.kind} one : row) s = s * 3u + u64(one);"]
        k = kernel.name("k")
        order = self.random.choice([k, f"{self.columns} - 1 - {k}", f"({k} * 5 + 1) % {self.columns}"])
        return [f"for (int {k} = 0; {k} < {self.columns}; ++{k}) s = s * 3u + u64({name}[{order}]);"]

    def sort(self, scope, name, kernel):
        k, at, one = kernel.name("k"), kernel.name("at"), kernel.name("one")
        return [f"for (int {k} = 1; {k} < {self.columns}; ++{k}) {{ const {self.kind} {one} = {name}[{k}]; "
                f"int {at} = {k} - 1; for (; {at} >= 0 && {name}[{at}] > {one}; --{at}) {name}[{at} + 1] = "
                f"{name}[{at}]; {name}[{at} + 1] = {one}; }}"]

    def walk(self, scope, name, kernel):
        begin, end = kernel.name("p"), kernel.name("p")
        return [f"{{ {self.kind}* {begin} = {name} + ", kernel.index(scope, self.columns),
                f"; {self.kind}* {end} = {name} + ", kernel.index(scope, self.columns),
                f"; if ({begin} > {end}) std::swap({begin}, {end}); for (; {begin} != {end}; ++{begin}) "
                f"{{ s = s * 3u + u64(*{begin}); *{begin} = {self.kind}(s >> 5); }} }}"]

    def move(self, scope, name, kernel):
        k = kernel.name("k")
        return [f"{{ const int {k} = ", kernel.index(scope, self.columns), f"; std::memmove({name}, {name} + {k}, "
                f"({self.columns} - {k}) * sizeof({name}[0])); }}"]


class Structures:
    """An array of structures or unions."""

    def __init__(self, kernel, scope, name):
        self.kernel, self.random, self.name = kernel, kernel.random, name
        r = self.random
        self.type, self.count = r.choice(list(STRUCTURES)), r.choice([1, 2, 3, 4, 5])
        self.first = Statement([f"{self.type} {name}[{self.count}]; std::memset({name}, {r.randint(0, 255)}, "
                                f"sizeof({name}));"], declares=name)

    def member(self, scope):
        name, kind, count = self.random.choice(STRUCTURES[self.type])
        return kind, [f".{name}"] + (["[", self.kernel.index(scope, count), "]"] if count else [])

    def one(self, scope):
        return [self.name, "[", self.kernel.index(scope, self.count), "]"]

    def statement(self, scope):
        r = self.random
        kind, member = self.member(scope)
        value = scope.exact(kind, scope.value(kind, 1))
        choice = r.randrange(8)
        if choice < 3:
            return [*self.one(scope), *member, " = ", value, ";"]
        if choice < 5:
            return ["s = s * 3u + u64(", *self.one(scope), *member, ");"]
        if choice == 5:
            return [*self.one(scope), " = ", *self.one(scope), ";"]
        if choice == 6:
            return ["std::swap(", *self.one(scope), ", ", *self.one(scope), ");"]
        name = self.kernel.name("p")
        return [f"{{ {self.type}& {name} = ", scope.condition(1), " ? ", *self.one(scope), f" : {self.name}[0]; {name}",
                *member, " = ", value, "; }"]


class Pointers:
    """Four variables, and two pointers that lead to two of them."""

    def __init__(self, kernel, scope, name):
        self.kernel, self.random, self.name = kernel, kernel.random, name
        self.kind = self.random.choice(["u32", "u32", "u8", "u16", "u64"])
        parts = []
        for i in range(4):
            parts += [f"{self.kind} {name}_{i} = ", scope.exact(self.kind, scope.value(self.kind, 1)), "; "]
        self.first = Statement(parts + [f"{self.kind}* {name} = ", scope.condition(1), f" ? &{name}_0 : &{name}_1; "
                                        f"{self.kind}* {name}_other = &{name}_2;"], declares=name)

    def statement(self, scope):
        r, name = self.random, self.name
        any_of = lambda: f"{name}_{r.randrange(4)}"
        value = scope.exact(self.kind, scope.value(self.kind, 1))
        return r.choice([[f"*{name} = ", value, ";"], [f"s = s * 3u + *{name};"], [f"s = s * 3u + {any_of()};"],
                         ["if (", scope.condition(1), f") std::swap({name}, {name}_other);"],
                         [f"{name} = ", scope.condition(1), f" ? &{any_of()} : &{any_of()};"],
                         [f"*{name} = {self.kind}(*{name} + *{name}_other * 3u);"], [f"{any_of()} = ", value, ";"],
                         [f"s += {name} == {name}_other;"],
                         ["if (", scope.condition(1), f") {name}_other = {name}; else *{name}_other = ", value, ";"]])


class Stack:
    """A small stack."""

    def __init__(self, kernel, scope, name):
        self.kernel, self.random, self.name = kernel, kernel.random, name
        self.kind = self.random.choice(["u8", "u16", "u32"])
        self.first = Statement([f"{self.kind} {name}[6] = {{1, 2}}; {self.random.choice(['int', 'u8', 'unsigned'])} "
                                f"{name}_size = 0;"], declares=name)

    def statement(self, scope):
        r, name = self.random, self.name
        value = scope.exact(self.kind, scope.value(self.kind, 1))
        return r.choice([[f"if ({name}_size < 6) {name}[{name}_size++] = ", value, ";"],
                         [f"if ({name}_size > 0) s = s * 3u + {name}[--{name}_size];"],
                         [f"while ({name}_size > ", self.kernel.index(scope, 6), f") s = s * 3u + "
                          f"{name}[--{name}_size];"]])


class PrivateKernel(Kernel):
    """Each work-item changes its private memory, and stores a number that is computed from all that it read."""

    def __init__(self, scene, random, sources, target):
        self.sources, self.target = sources, target
        super().__init__(scene, random)

    def name(self, letter):
        self.scene.names[0] += 1
        return f"{letter}{self.scene.names[0]}"

    def index(self, scope, count):
        """An index below `count`, which differs from work-item to work-item, is the same in all, or is known."""
        r = self.random
        if count <= 1 or r.random() < 0.1:
            return Expr("u32", f"{r.randrange(max(count, 1))}u", 0, max(count, 1) - 1)
        number = scope.integer(1, r.choice(["u32", "u64"]))
        return scope.fit(r.choice(["u32", "i32", "u64", "u8"]), 0, count - 1, number)

    def write(self):
        r, scope = self.random, Scope(self.random)
        self.grouped, self.sub_groups, self.phased, self.dimensions = self.scene.grouped, False, False, 1
        self.sub_group_size = 0
        self.used = [*self.sources, self.target]
        for kind in ["u32", r.choice(["u8", "i32", "i64"])]:
            low, width = r.choice([(0, 8), (0, 100), (3, 250)])
            scope.variables.append(Variable(self.argument(kind, low, width), kind, max(low, span(kind)[0]),
                                            low + width - 1, uniform=True))
        self.ids(scope)
        for one in self.sources:
            scope.loads.append(lambda where, one=one: Expr(one.kind, [
                f"{one.name}[", where.fit("u32", 0, CAPACITY - 1, where.integer(1, "u32")), "]"]))
        objects = [r.choice([Numbers, Numbers, Numbers, Structures, Structures, Pointers, Stack])(
            self, scope, self.name("m")) for _ in range(r.randint(1, 4))]
        lines = [Statement(["u64 s = 1;"], keep=True, declares="s")] + [one.first for one in objects]
        inner = scope.inner()
        inner.variables.append(Variable("s", "u64"))
        self.budget = r.randint(6, 16)
        while self.budget > 0:
            lines.append(self.statement(inner, objects, 2, False))
        lines += [Statement(one.statement(inner)) for one in objects]
        lines.append(Statement([f"{self.target.name}[g] = {self.target.kind}(s ^ s >> 32);"], keep=True))
        self.body = Block(lines)

    def block(self, scope, objects, depth, looped):
        return Block([self.statement(scope, objects, depth, looped) for _ in range(self.random.randint(1, 3))])

    def statement(self, scope, objects, depth, looped):
        r = self.random
        self.budget -= 1
        choice = r.randrange(12) if depth and self.budget > 0 else 0
        if choice < 8:
            return Statement(r.choice(objects).statement(scope))
        if choice == 8 and looped:
            return Statement(["if (", scope.condition(1), f") {r.choice(['break', 'continue'])};"])
        if choice < 10:
            body = self.block(scope, objects, depth - 1, looped)
            other = [" else ", self.block(scope, objects, depth - 1, looped)] if r.random() < 0.4 else []
            return Statement(["if (", scope.condition(1), ") ", body] + other, bare=[body])
        kind, k = r.choice(["i32", "u32", "u8", "i64"]), self.name("k")
        inner, most = scope.inner(), r.choice([2, 3, 4, 6])
        inner.variables.append(Variable(k, kind, 0, most))
        bound = Expr(kind, f"{kind}({most})") if r.random() < 0.5 else scope.fit(kind, 0, most, scope.integer(1, "u32"))
        body = self.block(inner, objects, depth - 1, True)
        return Statement(r.choice([[f"for ({kind} {k} = 0; {k} < ", bound, f"; ++{k}) ", body],
                                   [f"for ({kind} {k} = ", bound, f"; {k}-- > 0;) ", body]]))


class PrivateScene(Scene):
    def __init__(self, random, name):
        super().__init__(random, name)
        self.helpers, self.tables = [], []

    def shape(self):
        r = self.random
        self.dimensions = 1
        if not self.grouped:
            return [r.choice([1, 15, 16, 33, 64, 100, 257])], [1]
        local = r.choice([1, 8, 16, 17, 32, 64])
        return [local * r.choice([1, 2, 3, 4])], [local]

    def make_arrays(self):
        r = self.random
        arrays = [SceneArray(f"i{i}", r.choice(list(BITS)), 1, "rows", None, "in", i + 1) for i in range(2)]
        arrays += [SceneArray(f"o{i}", r.choice(["u32", "u64"]), 1, "rows", None, "own", i + 3) for i in range(2)]
        for one in arrays:
            one.count = CAPACITY
        return arrays

    def make_kernels(self):
        r = self.random
        return [PrivateKernel(self, r, self.arrays[:2], r.choice(self.arrays[2:])) for _ in range(r.choice([1, 1, 2]))]

    def text(self):
        head = f"namespace scene_{self.name} {{\n"
        return super().text().replace(head, head + DEFINITIONS, 1)
