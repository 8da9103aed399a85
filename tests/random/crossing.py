"""Scenes whose kernels read results of other work-items of earlier kernels, so that fusing them may give wrong results.

The kernels of a list run one by one if their fusion is not proved to be right. Scenes that are "known" contain only
indices that the analysis understands, so that enough lists are fused.
"""
from arrays import SceneArray
from expressions import CAPACITY, Scope, Variable
from kernels import Kernel
from scenes import Scene
from tree import INTS, Block, Expr, Statement

KINDS = ["u8", "u16", "u32", "i32", "u64", "i64", "f32", "f64"]


class CrossingKernel(Kernel):
    """Each element of `target` is written by one work-item, which computes it from elements of `source` at other
    indices."""

    def __init__(self, scene, random, source, target):
        self.source, self.target = source, target
        self.per_range = random.random() < scene.small
        self.items = "lsize" if scene.part else random.choice(["n", "n", "lsize", "lsize * 2"])
        super().__init__(scene, random)

    def write(self):
        r, scope = self.random, Scope(self.random)
        self.dimensions, self.grouped, self.sub_groups, self.sub_group_size, self.phased = 1, True, False, 0, False
        self.used = [self.source, self.target]
        if self.per_range:
            self.grouped, self.items = False, self.scene.part or r.choice(["n", "n", "n / 2 + 1", "7"])
        kind = r.choice(["int", "unsigned", "std::size_t"])
        own = {"int": "i32", "unsigned": "u32", "std::size_t": "u64"}[kind]
        numbers = {"g": "it.get_global_id(0)" if self.grouped else "it[0]",
                   "all": "it.get_global_range(0)" if self.grouped else "it.get_range(0)"}
        if self.grouped:
            numbers.update(l="it.get_local_id(0)", group="it.get_group(0)", groups="it.get_group_range(0)")
        for name, text in numbers.items():
            self.prologue.append(Statement([f"const {kind} {name} = static_cast<{kind}>({text});"], keep=True,
                                           declares=name))
        self.prologue.append(Statement([f"const {kind} m = static_cast<{kind}>(n);"], keep=True, declares="m"))
        scope.variables.append(Variable("j", own, 0, 1023))
        if r.random() < 0.4:
            width = r.choice([3, 40])
            scope.variables.append(Variable(self.argument("u32", 0, width), "u32", 0, width - 1, uniform=True))
        read = self.read(scope, kind)
        store = Block(read + [Statement([f"{self.target.name}[j] = ", self.computed(scope), ";"], keep=True)])
        self.body = Block(self.written(store, kind))

    def computed(self, scope):
        """The value to store. Most such values depend on the loaded value, in addition to other values."""
        kind, value = self.target.kind, scope.value(self.target.kind, 2)
        if self.random.random() < 0.7:
            needed = scope.variables[-1].expr()  # see read()
            if kind in INTS:
                value = Expr("u64", ["(", scope.to("u64", needed), " + ", scope.to("u64", value), ")"])
            else:
                value = Expr(kind, [f"(({kind})(", needed, f") - ({kind})(", value, "))"])
        return scope.exact(kind, value)

    def written(self, store, kind):
        """How the elements are distributed among the work-items."""
        r = self.random
        forms = [f"for ({kind} j = g; j < m; j += all) ",
                 f"for ({kind} k = 0, j = g; j < m; ++k, j = g + k * all) ",
                 f"for ({kind} j = g, k = 1; j < m; j = k++ * all + g) ",
                 f"for ({kind} j = g; j < m; j = static_cast<{kind}>(static_cast<std::size_t>(j) + std::size_t(all))) ",
                 f"for ({kind} j = m - 1 - g; {'j >= 0' if kind == 'int' else 'j < m'}; j -= all) "]
        if not self.scene.is_known:
            forms += [f"for ({kind} j = m / all * g + (g < m % all ? g : m % all), e = j + m / all + (g < m % all); "
                      "j < e; ++j) "]
        if self.items == "n":
            forms += [f"if (const {kind} j = g; j < m) ", f"if (const {kind} j = m - 1 - g; j < m) "] * 2
        elif self.grouped:
            forms += [f"for ({kind} j = group * {kind}(lsize) + l; j < m; j += groups * {kind}(lsize)) "]
        if self.items == "n" and self.grouped and not self.scene.is_known:
            forms += [f"for ({kind} j = group * {kind}(lsize); l == 0 && j < (group + 1) * {kind}(lsize); ++j) "]
        return [Statement([r.choice(forms), store], keep=True)]

    def read(self, scope, kind):
        """Statements before the store, which load an element and make it available as a value."""
        r, name = self.random, self.source.name
        u = f"static_cast<{kind}>"
        near = r.choice([1, 2, 3, 16, 32])
        other = f"{self.source.kind}(1)"
        places = ["j", "m - 1 - j"]
        if not self.scene.is_known:
            places += [f"j / {u}(2)", f"(j + {near}) % m", f"(j ^ {near}) % m", f"{u}(hidden[j] % static_cast<u32>(m))"]
        choice = r.randrange(6)
        if choice < 2:
            text = f"{name}[{r.choice(places)}]"
        elif choice == 2:
            text = f"(j + {near} < m ? {name}[j + {near}] : {other})"
        elif choice == 3:
            text = f"(j >= {near} ? {name}[j - {near}] : {other})"
        elif choice == 4 or not self.grouped or self.source.kind not in INTS:
            k, total = "k", "t"
            steps = [("0", "1"), ("0", "1"), ("j", "1"), ("j", "all")]
            begin, step = r.choice(steps if self.scene.is_known else steps + [("j % all", "all")])
            scope.variables.append(Variable(total, self.source.kind))
            body = Block([Statement([f"{total} = static_cast<{self.source.kind}>({total} "
                                     f"{'^' if self.source.kind in INTS else '+'} {name}[{k}]);"])])
            return [Statement([f"{self.source.kind} {total} = 0;"], declares=total),
                    Statement([f"for ({kind} {k} = {begin}; {k} < m; {k} += {step}) ", body])]
        else:
            return self.together(scope, kind)
        scope.loads.append(lambda where: Expr(self.source.kind, text))
        scope.variables.append(Variable("s", self.source.kind))
        return [Statement([f"const {self.source.kind} s = {text};"], declares="s")]

    def together(self, scope, kind):
        """The whole group reads the array together, before all other statements."""
        r, one, name = self.random, self.source.kind, self.source.name
        begin = r.choice(["l", "l", "it.get_local_linear_id()"])
        text = r.choice([f"sycl::joint_reduce(it.get_group(), &{name}[0], &{name}[0] + n, sycl::bit_xor<{one}>())",
                         f"sycl::joint_reduce(it.get_sub_group(), &{name}[0], &{name}[0] + n, sycl::bit_xor<{one}>())",
                         "sycl::reduce_over_group(it.get_group(), part, sycl::bit_xor<" + one + ">())"])
        if "part" in text:
            self.prologue += [
                Statement([f"{one} part = 0;"], keep=True, declares="part"),
                Statement([f"for ({kind} k = {begin}; k < m; k += static_cast<{kind}>(lsize)) part ^= {name}[k];"])]
        self.prologue.append(Statement([f"const {one} t = {text};"], keep=True, declares="t"))
        scope.variables.append(Variable("t", one))
        return []

    def launch(self):
        total = f"static_cast<std::size_t>({self.items})"
        if not self.grouped:
            return f"sycl::range<1>({total}), [=](sycl::item<1> it)"
        return f"sycl::nd_range<1>({total}, s.local[0]), [=](sycl::nd_item<1> it)"


class CrossingScene(Scene):
    def __init__(self, random, name):
        self.is_known = random.random() < 0.7
        # The number of work-items of kernels without groups, if each kernel runs in a single group; otherwise None.
        self.part = random.choice([None, None, "7", "7", "lsize / 2 + 1", "lsize"])
        self.small = random.choice([0.2, 0.5, 0.8])  # the share of kernels without groups
        super().__init__(random, name)

    def shape(self):
        r = self.random
        self.dimensions, self.grouped = 1, True
        local = r.choice([1, 4, 8, 16, 17, 32, 64])
        return [local * r.choice([1, 2, 3, 4, 8])], [local]

    def make_arrays(self):
        r = self.random
        arrays = [SceneArray("hidden", "u32", 1, "rows", None, "in", 1)]
        for i, role in enumerate(["in"] + ["own"] * r.choice([2, 2, 3])):
            arrays.append(SceneArray(f"{role[0]}{i}", r.choice(KINDS), 1, "rows", None, role, i + 2))
        for one in arrays:
            one.count = CAPACITY
        return arrays

    def make_kernels(self):
        """Mostly, each kernel reads the array that the kernel before it wrote; sometimes a kernel writes an array that
        an earlier kernel has read."""
        r = self.random
        own = [one for one in self.arrays if one.role == "own"]
        kernels, source = [], self.arrays[1]
        for _ in range(r.choice([2, 2, 3, 4])):
            target = r.choice([one for one in own if one is not source])
            kernels.append(CrossingKernel(self, r, source, target))
            source = target if r.random() < 0.75 else r.choice([one for one in own if one is not target])
        if not self.is_known:
            for one in kernels:
                one.used.append(self.arrays[0])
        return kernels
