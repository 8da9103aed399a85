"""Random statements of kernels and helpers: declarations, branches, loops, stores, atomics, private arrays, structs."""
import limits
from aliases import AliasStatements
from expressions import Scope, Variable
from masks import MaskStatements
from memory import MemoryStatements
from reductions import ReductionStatements
from tables import TableStatements
from tree import (BITS, FLOATS, SCALARS, VECTORS, Block, Expr, Statement, depth_of, element_of, literal, span,
                  spelled)
from walks import WalkStatements


class Helper:
    """A function that kernels call. `memory`: its first two parameters are pointers, and it writes through the first
    one."""

    def __init__(self, name, result, parameters, block, head, memory=None):
        self.name, self.result, self.parameters = name, result, parameters
        self.block, self.head, self.memory = block, head, memory

    def text(self):
        return self.head + " " + self.block.text(0) + "\n"


class Writer(MemoryStatements, AliasStatements, MaskStatements, ReductionStatements, TableStatements, WalkStatements):
    """Writes blocks. `names` numbers the names of the whole scene; `arrays` are the kernel's arrays (see
    kernels.py)."""

    def __init__(self, random, names, arrays=(), helpers=(), taste=None):
        self.random, self.names, self.arrays, self.helpers = random, names, list(arrays), list(helpers)
        self.taste = taste
        self.may_return = None  # makes a statement that returns early
        self.grouped = False    # whether there is a local id l
        self.zero = "0"         # a number that is 0, unknown to the compiler
        self.amounts = []       # numbers that are the same for all work-items, of any size
        self.reductions = []    # of the kernel
        self.tables = []        # of the scene
        self.again = []         # own arrays with a second name, so no pointer is `restrict`
        self.budget = 30
        self.loops = 0

    def name(self, stem):
        assert stem not in ("i", "u", "f"), "the 32nd name would be a type: i32"
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
        """Statements that store computed values to memory."""
        r = self.random
        mine = [one for one in variables if one.kind in BITS or one.kind in FLOATS or one.kind == "bool" or
                one.kind.startswith("vec")]
        array = self.own(lambda one: one.kind in BITS and not one.local) or self.own(lambda one: not one.local)
        if array is None or not mine:
            return []
        parts = []
        for one in mine if len(mine) < 6 else r.sample(mine, 5):
            value = one.expr() if not one.kind.startswith("vec") else scope.lane_of(one.expr())
            parts += [" ^ " if parts else "", scope.to("u64", value)]
        target, kind = [f"{array.name}[", array.slot(scope), "]"], array.kind
        if array.fields:
            field, kind = r.choice(array.fields)
            target.append(f".{field}")
        elif kind.startswith("vec"):
            kind = element_of(kind)
            target.append("[0]")
        if kind in BITS:
            # Sometimes all bits of the number are used, so the compiler can't compute it in fewer bits.
            whole = BITS[kind] < 32 and r.random() < 0.4
            parts = ["((", *parts, ") * 0x9e3779b97f4a7c15ull >> 40)"] if whole else parts
            # The new value is added to the old value, or replaces it.
            sign = r.choice(["=", "+=" if kind[0] == "u" else "^="])
            return [Statement(target + [f" {sign} {kind}("] + parts + [");"])]
        return [Statement(target + [f" = {kind}(u32("] + parts + [f") & {1 if kind == 'bool' else 2047}u);"])]

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
                      (self.restrict_call, 2), (self.restrict_loop, 4), (self.vector_memory, 1), (self.copy_element, 1),
                      (self.masked_position, 3), (self.signs, 2), (self.window, 5), (self.pointer_table, 2),
                      (self.pointer_ring, 2), (self.walk_by_steps, 4), (self.walk_down, 4),
                      (self.walk_window, 4)]
        if self.tables and self.arrays:
            kinds += [(self.joined_pointer, 8), (self.either_value, 5), (self.letters, 2)]
        if self.may_return and depth > 0:
            kinds += [(self.leave, 1)]
        if self.reductions:
            kinds += [(self.reduce, 6)]
        if self.again:
            restricted = (self.restrict_call, self.restrict_loop)
            kinds = [(maker, 0 if maker in restricted else weight) for maker, weight in kinds]
            kinds += [(self.store_again, 8)]
        weights = [self.taste.weight(maker, weight) if self.taste else weight for maker, weight in kinds]
        maker = r.choices(kinds, weights)[0][0] if any(weights) else self.assign
        return maker(scope, depth) or self.assign(scope, depth)

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
        # The program uses only a few elements of a large array.
        apart = r.choice([64, 512, 4096, 16384, 16384]) if r.random() < 0.25 else 1
        if apart > 1:
            size = 8
        if apart > 1000:
            kind = r.choice(["u32", "i64", "f64", "u64"])
        while apart > 1 and size * apart * 8 > limits.private_bytes:
            apart //= 8
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
        if apart > 1 and not scope.uniform_only:
            used = self.name("v")
            result.append(Statement([f"const {kind} {used} = ", load(scope), ";"], declares=used))
            scope.variables.append(Variable(used, kind))
            result += self.keep_values(scope, scope.variables[-1:])
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
        """Divisions and shifts that are defined only under the condition; LLVM must not move them out of the branch."""
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
        ends_in_middle = r.random() < 0.12
        if not ends_in_middle:
            self.leave_loop(inner, body)
        self.loops -= 1
        if ends_in_middle:
            # Work-items that "continue" come to the loop's end in a later iteration than others.
            skip = Statement([f"if ({k} < {most} && ", inner.condition(1), ") continue;"])
            end = Statement([f"if ({k} >= static_cast<{kind}>(", bound, ")) break;"], keep=True)
            after = self.block(inner, 1, 0).statements if r.random() < 0.5 else []
            turns = Block([skip] + body.statements + [end] + after)
            bare = Block([Statement([f"const {kind} {k} = {max(low, 0)};"], declares=k)] + body.statements)
            return [Statement([f"for ({kind} {k} = ", start, f";; ++{k}) ", turns], bare=[bare])]
        advance = f"++{k}" if step == 1 else f"{k} += {step}"
        head = [f"for ({kind} {k} = ", start, f"; {k} < static_cast<{kind}>(", bound, f"); {advance}) "]
        if r.random() < 0.25:
            # The loop counts in its condition, so that "continue" is a second way back to the loop's header.
            head = [f"for ({kind} {k} = static_cast<{kind}>(", bound, f"); {k}-- > {low};) "]
        bare = Block([Statement([f"const {kind} {k} = {max(low, 0)};"], declares=k)] + body.statements)
        return [Statement([*head, body], bare=[bare])]

    def leave_loop(self, scope, body):
        """Inserts break and continue at random positions between the statements."""
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


def make_helper(random, names, helpers, memory=None):
    """A function of values, or a function that reads through one pointer and writes through the other."""
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
