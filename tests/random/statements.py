"""Random statements of kernels and helpers: declarations, branches, loops, stores, atomics, private arrays, structs."""
from expressions import CAPACITY, Scope, Variable
from tree import BITS, FLOATS, INTS, Block, Expr, Statement, literal, span, spelled

SCALARS = INTS + FLOATS
VECTORS = [f"vec<{kind}, {count}>" for kind in ("u8", "u16", "u32", "u64", "f32", "f64") for count in (2, 4)] + \
          ["vec<u32, 3>", "vec<f32, 8>", "vec<u8, 16>"]


class Helper:
    """A function that kernels call. `memory`: it takes two pointers first, the first one to write through."""

    def __init__(self, name, result, parameters, block, head, memory=None):
        self.name, self.result, self.parameters = name, result, parameters
        self.block, self.head, self.memory = block, head, memory

    def text(self):
        return self.head + " " + self.block.text(0) + "\n"


class Writer:
    """Writes blocks. `names` counts up for the whole scene; `arrays` are those of the kernel (see kernels.py)."""

    def __init__(self, random, names, arrays=(), helpers=(), may_return=None):
        self.random, self.names, self.arrays, self.helpers = random, names, list(arrays), list(helpers)
        self.may_return = may_return  # the statement that leaves, or None
        self.budget = 30
        self.loops = 0

    def name(self, stem):
        self.names[0] += 1
        return f"{stem}{self.names[0]}"

    def block(self, scope, size, depth):
        inner = scope.inner()
        statements = []
        for _ in range(size):
            if self.budget <= 0:
                break
            self.budget -= 1
            statements += self.statement(inner, depth)
        if self.random.random() < 0.6:
            statements += self.keep_values(inner, inner.variables[len(scope.variables):])
        return Block(statements)

    def keep_values(self, scope, variables):
        """What was computed goes to memory."""
        mine = [one for one in variables if one.kind in BITS or one.kind in FLOATS]
        array = self.own(lambda one: one.kind in BITS)
        if array is None or not mine:
            return []
        parts = [f"{array.name}[", array.slot(scope), f"] = {array.kind}("]
        for i, one in enumerate(mine[-4:]):
            parts += [" ^ " if i else "", scope.to("u64", one.expr())]
        return [Statement(parts + [");"])]

    def statement(self, scope, depth):
        r = self.random
        kinds = [(self.declare, 4), (self.assign, 6), (self.store, 7), (self.private_array, 2)]
        if depth > 0:
            kinds += [(self.branch, 4), (self.counted_loop, 3 if self.loops < 3 else 0),
                      (self.while_loop, 2 if self.loops < 2 else 0),
                      (self.switch, 1), (self.guarded, 2)]
        if self.arrays:
            kinds += [(self.chosen_store, 3), (self.atomic, 2), (self.border, 2),
                      (self.row, 1 if self.loops < 2 else 0),
                      (self.restrict_call, 2), (self.vector_memory, 1), (self.copy_element, 1)]
        if self.may_return and depth > 0:
            kinds += [(self.leave, 1)]
        makers = [maker for maker, weight in kinds for _ in range(weight)]
        return r.choice(makers)(scope, depth) or self.assign(scope, depth)

    # ------------------------------------------------------------------------------------------- values

    def declare(self, scope, depth, kind=None):
        r = self.random
        kind = kind or r.choice(SCALARS + ["i32", "u32", "bool"] + VECTORS[:4] + [r.choice(VECTORS)])
        name, mutable = self.name("v"), r.random() < 0.6
        if kind in BITS:
            low, high = r.choice([span(kind), span(kind), (0, min(span(kind)[1], r.choice([1, 7, 63, 100, 1000]))),
                                  (max(span(kind)[0], -50), 50)])
            value = scope.fit(kind, low, high, scope.integer(depth_of(r), kind))
            if not mutable:
                low, high = max(low, value.low), min(high, value.high)
        else:
            low = high = None
            value = scope.value(kind, depth_of(r))
        scope.variables.append(Variable(name, kind, low, high, mutable, uniform=scope.uniform_only))
        return [Statement([f"{'' if mutable else 'const '}{spelled(kind)} {name} = ", value, ";"], declares=name)]

    def assign(self, scope, depth):
        r = self.random
        targets = scope.named(lambda one: one.mutable)
        if not targets:
            return self.declare(scope, depth)
        target = r.choice(targets)
        if target.kind in BITS:
            value = scope.fit(target.kind, target.low, target.high,
                              scope.integer(depth_of(r), r.choice(["i32", "u32", "i64", "u64"])))
            if target.kind in ("u32", "u64", "u8", "u16") and (target.low,
                                                               target.high) == span(target.kind) and r.random() < 0.4:
                return [Statement([f"{target.name} {r.choice('+-^|&')}= ", value, ";"])]
            return [Statement([f"{target.name} = ", value, ";"])]
        value = scope.value(target.kind, depth_of(r))
        return [Statement([f"{target.name} = ", value, ";"])]

    def private_array(self, scope, depth):
        r = self.random
        kind, size, name = r.choice(SCALARS), r.choice([2, 4, 8, 16]), self.name("t")
        k = self.name("k")
        # Few elements of a large one are used.
        apart = r.choice([64, 512, 4096]) if r.random() < 0.15 else 1
        if apart > 1:
            size = 8
        far = f" * {apart}" if apart > 1 else ""
        inner = scope.inner()
        inner.variables.append(Variable(k, "i32", 0, size - 1))
        result = [Statement([f"{kind} {name}[{size * apart}]; "
                             f"for (int {k} = 0; {k} < {size}; ++{k}) {name}[{k}{far}] = ",
                             inner.exact(kind, inner.value(kind, 1)), ";"], declares=name)]

        def load(where):
            if where.uniform_only:
                return None
            return Expr(kind, [f"{name}[", where.fit("i32", 0, size - 1, where.integer(1, "i32")), f"{far}]"])
        scope.loads.append(load)
        if depth > 0:
            inner = scope.inner()
            result.append(Statement([f"{name}[", inner.fit("u32", 0, size - 1, inner.integer(1, "u32")), f"{far}] = ",
                                     inner.exact(kind, inner.value(kind, 1)), ";"]))
        return result

    # ------------------------------------------------------------------------------------------- control flow

    def branch(self, scope, depth):
        r = self.random
        condition = scope.condition(2)
        first = self.block(scope, r.randint(1, 3), depth - 1)
        if r.random() < 0.5:
            return [Statement(["if (", condition, ") ", first], bare=[first])]
        second = self.block(scope, r.randint(1, 3), depth - 1)
        return [Statement(["if (", condition, ") ", first, " else ", second], bare=[first, second])]

    def guarded(self, scope, depth):
        """Divisions and shifts that only the condition makes legal; LLVM must not move them out."""
        r = self.random
        kind = r.choice(["i32", "u32", "i64", "u64"])
        divisor = self.name("d")
        value = scope.fit(kind, 0, r.choice([3, 63, 100]), scope.integer(2,
                                                                         kind)) if r.random(
                                                                             ) < 0.7 else scope.integer(2, kind)
        before = Statement([f"const {kind} {divisor} = ", value, ";"], declares=divisor)
        inner = scope.inner()
        result = self.name("v")
        text = r.choice([f" / {divisor}", f" % {divisor}", f" << {divisor}", f" >> {divisor}"])
        bits = BITS[kind]
        guard = f"{divisor} > {literal(kind, 0)}" if text[
            1] in "/%" else f"{divisor} >= {literal(kind, 0)} && {divisor} < {literal(kind, bits)}"
        first = Statement([f"const {kind} {result} = ", inner.integer(1, kind), f"{text};"], declares=result)
        inner.variables.append(Variable(result, kind))
        rest = self.block(inner, r.randint(1, 2), depth - 1)
        return [before, Statement([f"if ({guard}) ", Block([first] + rest.statements)])]

    def counted_loop(self, scope, depth):
        r = self.random
        kind, k = r.choice(["int", "int", "unsigned", "std::size_t", "long", "short"]), self.name("k")
        own = {"int": "i32", "unsigned": "u32", "std::size_t": "u64", "long": "i64", "short": "i16"}[kind]
        most = [12, 5, 3][self.loops]
        low = r.choice([0, 0, 0, 1, 2]) if own[0] == "u" or r.random() < 0.8 else -2
        start = Expr("i32", str(low), low, low)
        if r.random() < 0.3 and self.loops > 0:
            start = scope.fit("i32", 0, 2, scope.integer(1, "i32"))
            low = 0
        if r.random() < 0.4:
            bound = Expr("i32", str(most), most, most)
        else:
            bound = scope.fit("i32", 0, most, scope.integer(2, "i32"))
        step = r.choice([1, 1, 1, 2, 3])
        inner = scope.inner()
        inner.variables.append(Variable(k, own, low, most))
        self.loops += 1
        body = self.block(inner, r.randint(1, 4), depth - 1)
        self.leave_loop(inner, body)
        self.loops -= 1
        advance = f"++{k}" if step == 1 else f"{k} += {step}"
        bare = Block([Statement([f"const {kind} {k} = {max(low, 0)};"], declares=k)] + body.statements)
        return [Statement([f"for ({kind} {k} = ", start, f"; {k} < static_cast<{kind}>(", bound, f"); {advance}) ",
                           body], bare=[bare])]

    def leave_loop(self, scope, body):
        """break and continue, somewhere between the statements."""
        r = self.random
        for word in ("break", "continue"):
            if r.random() < 0.4:
                place = r.randint(0, len(body.statements))
                outer = Scope(r)
                outer.variables, outer.uniform_only = scope.variables, scope.uniform_only
                body.statements.insert(place, Statement(["if (", outer.condition(1), f") {word};"]))

    def while_loop(self, scope, depth):
        r = self.random
        inner = scope.inner()
        self.loops += 1
        if r.random() < 0.5:
            name, bits = self.name("w"), r.choice([3, 5, 8])
            value = scope.fit("u32", 0, (1 << bits) - 1, scope.integer(2, "u32"))
            inner.variables.append(Variable(name, "u32", 0, (1 << bits) - 1))
            body = self.block(inner, r.randint(1, 3), depth - 1)
            bare = [Block([Statement([f"const u32 {name} = ", value, ";"], declares=name)] + body.statements)]
            result = [Statement([f"for (u32 {name} = ", value,
                                 f"; {name} != 0; {name} {r.choice(['>>= 1', '/= 3', '&= ' + name + ' - 1'])}) ", body],
                                bare=bare)]
        else:
            name = self.name("n")
            inner.variables.append(Variable(name, "i32", 0, 10))
            body = self.block(inner, r.randint(1, 3), depth - 1)
            fuel = Statement([f"int {name} = 0;"], declares=name)
            step = Statement([f"if (++{name} >= {r.randint(2, 6)}) break;"], keep=True)
            self.leave_loop_early(inner, body)
            if r.random() < 0.5:
                result = [fuel, Statement(["while (", scope.condition(2), ") ", Block([step] + body.statements)],
                                          bare=[body])]
            else:
                result = [fuel, Statement(["do ", Block([step] + body.statements), " while (", scope.condition(2),
                                           ");"], bare=[body])]
        self.loops -= 1
        return result

    def leave_loop_early(self, scope, body):
        if self.random.random() < 0.4:
            body.statements.append(Statement(["if (", scope.condition(1), ") continue;"]))

    def switch(self, scope, depth):
        r = self.random
        cases = r.randint(2, 4)
        parts = ["switch (", scope.fit("i32", 0, cases, scope.integer(2, "i32")), ") {\n"]
        bare = []
        for case in range(cases):
            body = self.block(scope, r.randint(1, 2), depth - 1)
            bare.append(body)
            parts += [f"case {case}: ", body, "\n" if r.random() < 0.3 else " break;\n"]
        if r.random() < 0.7:
            body = self.block(scope, 1, depth - 1)
            bare.append(body)
            parts += ["default: ", body, "\n"]
        return [Statement(parts + ["}"], bare=bare)]

    def leave(self, scope, depth):
        return [Statement(["if (", scope.condition(2), f") {self.may_return(scope)}"])]

    # ------------------------------------------------------------------------------------------- memory

    def own(self, wanted=lambda one: True):
        mine = [one for one in self.arrays if one.owned and wanted(one)]
        return self.random.choice(mine) if mine else None

    def store(self, scope, depth):
        array = self.own()
        if array is None:
            return None
        r = self.random
        where = array.slot(scope)
        if array.fields:
            field, kind = r.choice(array.fields)
            return [Statement([f"{array.name}[", where, f"].{field} = ",
                               scope.exact(kind, scope.value(kind, depth_of(r))), ";"])]
        value = scope.value(array.kind, depth_of(r))
        if array.kind in ("u8", "u16", "u32", "u64") and r.random() < 0.3:
            return [Statement([f"{array.name}[", where, f"] {r.choice('+^|-')}= ", scope.exact(array.kind, value),
                               ";"])]
        return [Statement([f"{array.name}[", where, "] = ", scope.exact(array.kind, value), ";"])]

    def chosen_store(self, scope, depth):
        """One or some lanes, known by their numbers, store narrow values."""
        array = self.own(lambda one: not one.fields)
        if array is None:
            return None
        r = self.random
        mask, number = r.choice([2, 4, 8, 16, 32]), r.randint(0, 40)
        ids = array.ids
        tests = [f"{ids} % {mask} == {number % mask}", f"{ids} == {number}",
                 f"({ids} & {mask - 1}) == {number % mask}", f"{ids} < {number}"]
        if array.leader:
            tests += [array.leader] * 2
        value = scope.exact(array.kind, scope.value(array.kind, depth_of(r)))
        body = Block([Statement([f"{array.name}[", array.slot(scope), "] = ", value, ";"])])
        return [Statement([f"if ({r.choice(tests)}) ", body], bare=[body])]

    def atomic(self, scope, depth):
        targets = [one for one in self.arrays if one.atomic]
        if not targets:
            return None
        array = self.random.choice(targets)
        where = scope.fit("u32", 0, array.count - 1, scope.integer(2, "u32"))
        value = scope.exact(array.kind, scope.value(array.kind, 2))
        space = "local_space" if array.local else "global_space"
        scope_name = "work_group" if array.local else "device"
        return [Statement(
            [f"sycl::atomic_ref<{array.kind}, sycl::memory_order::relaxed, sycl::memory_scope::{scope_name}, "
                           f"sycl::access::address_space::{space}>({array.name}[", where, f"]).fetch_{array.atomic}(",
             value, ");"])]

    def border(self, scope, depth):
        """Neighbours of the own element, with the ends looked after."""
        arrays = [one for one in self.arrays if one.whole and not one.fields]
        if not arrays or scope.uniform_only:
            return None
        r = self.random
        array, name = r.choice(arrays), self.name("b")
        kind, at = r.choice(["i32", "i64", "u32", "u64"]), self.name("x")
        own = array.linear
        offset = r.choice([-17, -3, -2, -1, 1, 2, 5, 16])
        first = Statement([f"const {kind} {at} = {kind}({own}) {'+' if offset > 0 else '-'} {abs(offset)};"],
                          declares=at)
        count = f"{kind}({array.total})"
        other = scope.exact(array.kind, scope.value(array.kind, 1))
        if r.random() < 0.3:
            signed = kind[0] == "i"
            inside = f"{array.name}[sycl::clamp({at}, {kind}(0), {kind}({count} - 1))]" if signed else \
                     f"{array.name}[sycl::min({at}, {kind}({count} - 1))]"
            value = Expr(array.kind, inside)
        else:
            test = f"{at} >= 0 && {at} < {count}" if kind[0] == "i" else f"{at} < {count}"
            value = Expr(array.kind, [f"({test} ? {array.name}[{at}] : ", other, ")"])
        scope.variables.append(Variable(name, array.kind))
        return [first, Statement([f"const {spelled(array.kind)} {name} = ", value, ";"], declares=name)]

    def row(self, scope, depth):
        """A loop along a row or a column that belongs to the work-item."""
        arrays = [one for one in self.arrays if one.whole and one.kind in SCALARS and not one.fields]
        if not arrays or scope.uniform_only:
            return None
        r = self.random
        array, k, sum_name = r.choice(arrays), self.name("k"), self.name("s")
        kind = array.kind if array.kind in FLOATS else r.choice(["u32", "u64"])
        length = r.choice([2, 3, 4])
        index = r.choice([f"{array.linear} * {length} + {k}", f"{array.linear} + {k} * {array.total}",
                          f"({array.linear} ^ {k})", f"{array.linear} / {length} * {length} + {k}"])
        first = Statement([f"{kind} {sum_name} = ", scope.value(kind, 1), ";"], declares=sum_name)
        inner = scope.inner()
        inner.variables += [Variable(k, "i32", 0, length - 1), Variable(sum_name, kind)]
        inner.loads.append(lambda where: Expr(array.kind, f"{array.name}[{index}]"))
        value = inner.value(kind, 1)
        loaded = scope.to(
            kind, Expr(array.kind, f"{array.name}[{index}]")) if kind in BITS else Expr(kind, f"{array.name}[{index}]")
        body = Block([Statement([f"{sum_name} {r.choice('+^') if kind in BITS else '+'}= ", loaded,
                                 f" {r.choice('+-*')} ", value, ";"])])
        scope.variables.append(Variable(sum_name, kind, mutable=True))
        return [first, Statement([f"for (int {k} = 0; {k} < {length}; ++{k}) ", body])]

    def restrict_call(self, scope, depth):
        """A helper with restrict pointers to different elements, which may change places from call to call."""
        r = self.random
        usable = [one for one in self.helpers if one.memory]
        if not usable:
            return None
        helper = r.choice(usable)
        array = self.own(lambda one: one.kind == helper.memory and one.slots >= 2 and not one.fields and one.pointer)
        if array is None:
            return None
        r = self.random
        counters = [one for one in scope.variables if one.name[0] in "kn" and one.kind in ("i32", "u32", "u64", "i64")
                    and one.low >= 0]
        if counters and r.random() < 0.8:
            choice = f"({r.choice(counters).name} & 1)"
        else:
            choice = ["(", scope.fit("i32", 0, 1, scope.integer(1, "i32")), ")"]
        flag, to, source = self.name("c"), self.name("p"), self.name("p")
        head = Statement(([f"const int {flag} = int{choice};"] if isinstance(choice, str) else
                          [f"const int {flag} = int"] + choice + [";"]), declares=flag)
        a, b = array.slot(scope, 0).text(), array.slot(scope, 1).text()
        pointers = [Statement([f"{array.kind}* {to} = {flag} ? &{array.name}[{b}] : &{array.name}[{a}];"], declares=to),
                    Statement([f"const {array.kind}* {source} = {flag} ? &{array.name}[{a}] : &{array.name}[{b}];"],
                              declares=source)]
        parts = [f"{helper.name}({to}, {source}"]
        for _, kind in helper.parameters:
            parts += [", ", scope.exact(kind, scope.value(kind, 1))]
        return [head] + pointers + [Statement(parts + [");"])]

    def vector_memory(self, scope, depth):
        """A vec that is loaded from and stored to memory by its elements."""
        array = self.own(lambda one: one.kind in ("u8", "u16", "u32", "u64", "f32", "f64") and one.slots >= 2
                         and not one.fields)
        if array is None:
            return None
        r = self.random
        count = 4 if array.slots >= 4 else 2
        kind, name = f"vec<{array.kind}, {count}>", self.name("v")
        parts = [f"sycl::{kind}("]
        for i in range(count):
            parts += ([", "] if i else []) + [f"{array.name}[", array.slot(scope, i), "]"]
        first = Statement([f"sycl::{kind} {name} = "] + parts + [");"], declares=name)
        scope.variables.append(Variable(name, kind, mutable=True))
        result = [first]
        if r.random() < 0.7:
            result.append(Statement([f"{name} = ", scope.vector(2, kind), ";"]))
        return result + [Statement([f"{array.name}[", array.slot(scope, i), f"] = {name}[{i}];"]) for i in range(count)]

    def copy_element(self, scope, depth):
        """A whole structure is read, changed and stored."""
        array = self.own(lambda one: one.fields)
        if array is None:
            return None
        r = self.random
        name = self.name("e")
        result = [Statement([f"{array.kind} {name} = {array.name}[", array.slot(scope), "];"], declares=name)]
        for field, kind in array.fields:
            if r.random() < 0.5:
                result.append(Statement([f"{name}.{field} = ", scope.exact(kind, scope.value(kind, 2)), ";"]))
        if r.random() < 0.3:
            inside = Statement([f"{array.name}[", array.slot(scope), f"] = {name};"])
            block = Block([inside])
            return result + [Statement(["if (", scope.condition(2), ") ", block], bare=[block])]
        return result + [Statement([f"{array.name}[", array.slot(scope), f"] = {name};"])]


def depth_of(random):
    return random.choice([1, 1, 2, 2, 3, 4])


def make_helper(random, names, helpers, memory=None):
    """A function of values, or one that reads through one pointer and writes through the other."""
    r = random
    writer = Writer(r, names, helpers=[])
    name = writer.name("helper")
    result = "void" if memory else r.choice(SCALARS + ["bool", "i32", "u32"])
    parameters = [(writer.name("a"), r.choice(SCALARS)) for _ in range(r.randint(1, 3))]
    scope = Scope(r, [one for one in helpers if not one.memory])
    scope.variables = [Variable(one, kind) for one, kind in parameters]
    attribute = r.choice(["static ", "static inline ", "__attribute__((noinline)) static ",
                          "[[gnu::always_inline]] static inline "])
    words = [f"{kind} {one}" for one, kind in parameters]
    if memory:
        restrict = r.choice([" __restrict", " __restrict", " __restrict", ""])
        words = [f"{memory}*{restrict} to", f"const {memory}*{restrict} from"] + words
        scope.loads.append(lambda where: Expr(memory, where.random.choice(["*from", "*from", "*to"])))
    writer.budget = r.randint(2, 8)
    if not memory:
        writer.may_return = lambda where: "return " + where.exact(result, where.value(result, 1)).text() + ";"
    block = writer.block(scope, r.randint(0, 4), 2)
    if memory:
        value = scope.value(memory, 2)
        block.statements.append(Statement(["*to = ", scope.exact(memory, value), ";"], keep=True))
    else:
        block.statements.append(Statement(["return ", scope.exact(result, scope.value(result, 2)), ";"], keep=True))
    return Helper(name, result, parameters, block, f"{attribute}{result} {name}({', '.join(words)})", memory)
