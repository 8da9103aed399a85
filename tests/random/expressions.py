"""Random expressions over all scalar types and vectors, defined for all values of their operands."""
import math

from tree import BITS, FLOATS, Expr, element_of, is_signed, literal, span, spelled

ARITHMETIC = ["i32", "u32", "i64", "u64"]
CAPACITY = 4096  # elements of an array


class Variable:
    def __init__(self, name, kind, low=None, high=None, mutable=False, uniform=False):
        self.name, self.kind, self.mutable, self.uniform = name, kind, mutable, uniform
        self.low, self.high = (low, high) if low is not None or kind not in BITS and kind != "bool" else span(kind)

    def expr(self):
        return Expr(self.kind, self.name, self.low, self.high)


class Scope:
    """The variables and elements that may be read at a point of a program."""

    def __init__(self, random, helpers=()):
        self.random = random
        self.variables = []
        self.loads = []     # functions (uniform) -> Expr or None: elements of arrays
        self.helpers = list(helpers)
        self.uniform_only = False
        self.nesting = 0    # elements whose index is being written

    def inner(self):
        scope = Scope(self.random, self.helpers)
        scope.variables = list(self.variables)
        scope.loads = list(self.loads)
        scope.uniform_only = self.uniform_only
        return scope

    def named_counter(self, name, most):
        self.variables.append(Variable(name, "i32", 0, most))

    def named(self, wanted):
        return [one for one in self.variables if wanted(one) and (one.uniform or not self.uniform_only)]

    def load(self):
        if self.nesting >= 2:
            return None
        self.nesting += 1
        result = self.random.choice(self.loads)(self)
        self.nesting -= 1
        return result

    # ------------------------------------------------------------------------------------------- integers

    def to(self, kind, expr):
        """The value converted to the type `kind`, modulo the type's size if it does not fit."""
        if expr.kind == kind:
            return expr
        if expr.kind in FLOATS:
            return self.to(kind, Expr("i32", ["program::to_int(", expr, ")"], -10**9, 10**9))
        if expr.fits(kind):
            return Expr(kind, [f"({kind})(", expr, ")"], expr.low, expr.high)
        return Expr(kind, [f"({kind})(", expr, ")"])

    def fit(self, kind, low, high, expr):
        """The value converted to the type `kind`, and mapped into an interval."""
        if expr.low >= low and expr.high <= high:
            return self.to(kind, expr)
        if (low, high) == span(kind):
            return self.to(kind, expr)
        width = high - low + 1
        if low == 0 and width & (width - 1) == 0 and high <= span("i32")[1]:
            inner = expr if expr.kind in ARITHMETIC else self.to("u32", expr)
            return self.to(kind, Expr(inner.kind, ["(", inner, f" & {high})"], 0, high))
        inner = self.to("u32" if width <= 1 << 31 else "u64", expr)
        wide = Expr(inner.kind, ["(", inner, f" % {literal(inner.kind, width)})"], 0, width - 1)
        if low == 0:
            return self.to(kind, wide)
        as_type = self.to(kind, wide)
        return Expr(kind, [f"{kind}(", as_type, f" + {literal(kind, low)})"], low, high)

    def leaf(self, kind):
        r = self.random
        places = self.named(lambda one: one.kind in BITS)
        choice = r.random()
        if choice < 0.2 or not places and not self.loads:
            low, high = span(kind)
            value = r.choice([0, 1, 2, 3, r.randint(0, 100), r.randint(low, high), high, low, -r.randint(1, 100)])
            return Expr(kind, literal(kind, max(low, min(high, value))), *[max(low, min(high, value))] * 2)
        if choice < 0.6 and places:
            return self.to(kind, r.choice(places).expr())
        if self.loads:
            loaded = self.load()
            if loaded is not None:
                if loaded.kind.startswith("vec"):
                    loaded = self.lane_of(loaded)
                return self.to(kind, loaded)
        if places:
            return self.to(kind, r.choice(places).expr())
        return Expr(kind, literal(kind, 5), 5, 5)

    def lane_of(self, vector):
        count = int(vector.kind.split(",")[1].rstrip(">"))
        return Expr(element_of(vector.kind), [vector, f"[{self.random.randrange(count)}]"])

    def integer(self, depth, kind=None):
        """An expression of the type `kind` (i32, u32, i64 or u64; expressions of narrow types are casts of these)."""
        r = self.random
        if kind is None:
            kind = r.choice(ARITHMETIC)
        if kind not in ARITHMETIC:
            return self.to(kind, self.integer(depth, r.choice(ARITHMETIC)))
        if depth <= 0 or r.random() < 0.15:
            return self.leaf(kind)
        choice = r.randrange(23)
        if choice == 22:
            return self.to(kind, self.byte_products())
        if choice < 9:
            return self.binary(kind, r.choice("+-*&|^"), self.integer(depth - 1, kind), self.integer(depth - 1, kind))
        if choice < 11:
            return self.shift(kind, depth)
        if choice < 13:
            return self.divided(kind, depth)
        if choice == 13:
            return Expr(kind, ["(~", self.integer(depth - 1, kind), ")"])
        if choice < 16:
            first, second = self.integer(depth - 1, kind), self.integer(depth - 1, kind)
            return Expr(kind, ["(", self.condition(depth - 1), " ? ", first, " : ", second, ")"],
                        min(first.low, second.low), max(first.high, second.high))
        if choice < 18:
            return self.function(kind, depth)
        if choice == 18:
            return self.to(kind, self.integer(depth - 1, r.choice(list(BITS))))
        if choice == 19:
            return self.to(kind, self.floating(depth - 1, r.choice(FLOATS)))
        if choice == 20 and self.helpers:
            return self.to(kind, self.call(depth - 1))
        return self.leaf(kind)

    def binary(self, kind, op, a, b):
        low, high = span(kind)
        if op in "&|^":
            if op == "&" and a.low >= 0 and b.low >= 0:
                return Expr(kind, ["(", a, " & ", b, ")"], 0, min(a.high, b.high))
            if a.low >= 0 and b.low >= 0:
                return Expr(kind, ["(", a, f" {op} ", b, ")"], 0,
                            (1 << max(a.high.bit_length(), b.high.bit_length())) - 1)
            return Expr(kind, ["(", a, f" {op} ", b, ")"])
        ends = {"+": [a.low + b.low, a.high + b.high], "-": [a.low - b.high, a.high - b.low],
                "*": [x * y for x in (a.low, a.high) for y in (b.low, b.high)]}[op]
        if min(ends) >= low and max(ends) <= high:
            return Expr(kind, ["(", a, f" {op} ", b, ")"], min(ends), max(ends))
        if not is_signed(kind):
            return Expr(kind, ["(", a, f" {op} ", b, ")"])
        if self.random.random() < 0.5:  # small enough not to overflow
            bits = BITS[kind] // (2 if op == "*" else 1) - 2
            a, b = (one if -(1 << bits) <= one.low and one.high < 1 << bits else
                    Expr(kind, ["(", one, f" & {literal(kind, (1 << bits) - 1)})"], 0, (1 << bits) - 1)
                    for one in (a, b))
            return self.binary(kind, op, a, b)
        other = "u" + kind[1:]
        return self.to(kind, Expr(other, ["(", self.to(other, a), f" {op} ", self.to(other, b), ")"]))

    def byte_products(self):
        """Makes a sum of products. The factors are parts of words, mostly bytes at the same positions: machines have
        dot-product instructions for such sums."""
        r = self.random
        words = self.named(lambda one: one.kind in ARITHMETIC)
        if not words:
            return self.leaf("i32")
        a, b = r.choice(words), r.choice(words)
        forms = [r.choice(["i8", "u8", "15", "3"]) for _ in range(2)]
        longest = min(BITS[a.kind], BITS[b.kind])
        places = [8 * i for i in range(longest // 8)]
        shift = r.choice([0, 0, 0, 4, 8])
        if r.random() < 0.3:
            r.shuffle(places)
        if r.random() < 0.3:
            places = places[:-1]
        parts, low, high = ["("], 0, 0
        for count, place in enumerate(places):
            if r.random() < 0.05:
                forms[0] = r.choice(["i8", "u8", "7"])
            factors = []
            for word, at, form in ((a, (place + shift) % longest, forms[0]), (b, place, forms[1])):
                inner = f"({word.name} >> {at})" if at else word.name
                factors.append(f"i32({form}({inner}))" if form[0] in "iu" else f"i32({inner} & {form})")
            parts.append((" + " if count else "") + " * ".join(factors))
            low, high = low - 255 * 128, high + 255 * 255
        return Expr("i32", parts + [")"], low, high)

    def shift(self, kind, depth):
        r = self.random
        bits = BITS[kind]
        value = self.integer(depth - 1, kind)
        op = r.choice(["<<", ">>"])
        amounts = self.named(lambda one: one.kind in ("u32", "i32", "u64", "u8", "u16") and not one.mutable)
        if r.random() < 0.4 and amounts:  # guarded: an optimiser may only hoist the shift where it freezes it
            name = r.choice(amounts)
            guard = f"{name.name} < {literal(name.kind, bits) if BITS[name.kind] >= 32 else bits}"
            if is_signed(name.kind):
                guard = f"{name.name} >= 0 && {guard}"
            return Expr(kind, [f"({guard} ? ", value, f" {op} {name.name} : ", self.integer(0, kind), ")"])
        amount = self.fit("u32", 0, bits - 1, self.integer(depth - 2, "u32"))
        if op == ">>" and value.low >= 0:
            return Expr(kind, ["(", value, " >> ", amount, ")"], 0, value.high)
        return Expr(kind, ["(", value, f" {op} ", amount, ")"])

    def divided(self, kind, depth):
        r = self.random
        value = self.integer(depth - 1, kind)
        op = r.choice(["/", "%"])
        names = self.named(lambda one: one.kind == kind and not one.mutable)
        if r.random() < 0.4 and names:
            name = r.choice(names).name
            return Expr(kind, [f"({name} {'> 0' if is_signed(kind) else '!= 0'} ? ", value, f" {op} {name} : ",
                               self.integer(0, kind), ")"])
        by = r.choice([1, 2, 3, 4, 7, 8, 10, 16, 100, 255])
        if r.random() < 0.5:
            divisor = Expr(kind, literal(kind, by), by, by)
        else:
            divisor = self.binary(kind, "+", self.fit(kind, 0, r.choice([3, 7, 15, 255, 1000]),
                                                      self.integer(depth - 1, kind)),
                                  Expr(kind, literal(kind, by), by, by))
        if op == "%" and value.low >= 0:
            return Expr(kind, ["(", value, " % ", divisor, ")"], 0, divisor.high - 1)
        if value.low >= 0:
            return Expr(kind, ["(", value, f" {op} ", divisor, ")"], 0, value.high)
        return Expr(kind, ["(", value, f" {op} ", divisor, ")"])

    def function(self, kind, depth):
        r = self.random
        # The function is called with narrow types as well, because it has separate overloads for these types.
        inner = kind if r.random() < 0.6 else r.choice(list(BITS))
        a, b = self.integer(depth - 1, inner), self.integer(depth - 1, inner)
        name = r.choice(["min", "max", "popcount", "clz", "ctz", "rotate", "mul_hi", "add_sat", "sub_sat", "abs_diff",
                         "hadd"])
        if name in ("popcount", "clz", "ctz"):
            return self.to(kind, Expr(inner, [f"sycl::{name}(", self.exact(inner, a), ")"],
                                      0, BITS[inner]))
        if name in ("min", "max"):
            pick = min if name == "min" else max
            return self.to(kind, Expr(inner, [f"sycl::{name}(", self.exact(inner, a), ", ", self.exact(inner, b), ")"],
                                      pick(a.low, b.low), pick(a.high, b.high)))
        if name == "abs_diff" and is_signed(inner):  # the result has the type of the arguments
            name = "sub_sat"
        return self.to(kind, Expr(inner, [f"sycl::{name}(", self.exact(inner, a), ", ", self.exact(inner, b), ")"]))

    def exact(self, kind, expr):
        """The expression, cast to exactly the type `kind`: operators of narrow types give int, and shrinking may leave
        an expression of another type."""
        begin = f"{spelled(kind)}(" if kind.startswith("vec") else f"({kind})("
        return Expr(kind, [begin, expr, ")"], expr.low, expr.high)

    def call(self, depth):
        helper = self.random.choice(self.helpers)
        parts = [helper.name, "("]
        for position, (_, kind) in enumerate(helper.parameters):
            parts += ([", "] if position else []) + [self.value(kind, depth - 1)]
        return Expr(helper.result, parts + [")"])

    # ------------------------------------------------------------------------------------------- others

    def condition(self, depth):
        r = self.random
        choice = r.randrange(10)
        if depth > 0 and choice < 2:
            return Expr("bool", ["(", self.condition(depth - 1), r.choice([" && ", " || "]), self.condition(depth - 1),
                                 ")"])
        if depth > 0 and choice == 2:
            return Expr("bool", ["(!", self.condition(depth - 1), ")"])
        flags = self.named(lambda one: one.kind == "bool")
        if choice == 3 and flags:
            return r.choice(flags).expr()
        op = r.choice(["<", "<=", ">", ">=", "==", "!="])
        if choice == 4:
            kind = r.choice(FLOATS)
            return Expr("bool", ["(", self.floating(depth - 1, kind), f" {op} ", self.floating(depth - 1, kind), ")"])
        if choice < 7:  # true for a few of the work-items
            kind = r.choice(ARITHMETIC)
            mask = r.choice([1, 3, 7, 15, 31])
            return Expr("bool", ["(", self.fit(kind, 0, mask, self.integer(depth - 1, kind)),
                                 f" {op} {literal(kind, r.randint(0, mask))})"])
        kind = r.choice(ARITHMETIC)
        return Expr("bool", ["(", self.integer(depth - 1, kind), f" {op} ", self.integer(depth - 1, kind), ")"])

    def floating(self, depth, kind):
        r = self.random
        if kind == "f16" and depth > 0:
            depth = min(depth, 2)
        places = self.named(lambda one: one.kind in FLOATS)
        if depth <= 0 or r.random() < 0.15:
            if places and r.random() < 0.6:
                one = r.choice(places).expr()
                return one if one.kind == kind else Expr(kind, [f"({kind})(", one, ")"])
            for _ in range(3 if self.loads else 0):
                loaded = self.load()
                if loaded is not None and loaded.kind in FLOATS:
                    return loaded if loaded.kind == kind else Expr(kind, [f"({kind})(", loaded, ")"])
            return Expr(kind, literal(kind, r.choice([0.5, 1, 2, -1, 3.25, 100, -0.125])))
        choice = r.randrange(12)
        a = self.floating(depth - 1, kind)
        if choice < 6:
            return Expr(kind, ["(", a, f" {r.choice('+-**/')} ", self.floating(depth - 1, kind), ")"])
        if choice == 6:
            return Expr(kind, ["sycl::sqrt(sycl::fabs(", a, "))"])
        if choice == 7 and kind != "f16":  # rounded twice, by way of float
            return Expr(kind, ["sycl::fma(", a, ", ", self.floating(depth - 1, kind), ", ",
                               self.floating(depth - 1, kind), ")"])
        if choice == 8:
            return Expr(kind, [f"sycl::{r.choice(['floor', 'ceil', 'trunc', 'rint', 'fabs'])}(", a, ")"])
        if choice == 9:
            return Expr(kind, ["(", self.condition(depth - 1), " ? ", a, " : ", self.floating(depth - 1, kind), ")"])
        if choice == 10 and kind != "f16":
            return self.rounded_function(kind, depth)
        return Expr(kind, [f"({kind})(", self.integer(depth - 1), ")"])

    def rounded_function(self, kind, depth):
        """A call of a function whose last bits differ from library to library; the result is rounded to the digits that
        are equal in all libraries."""
        r = self.random
        name, inner = r.choice([("sin", "{}"), ("cos", "{}"), ("exp", "({} / 16)"), ("log", "({} + 1)"), ("atan", "{}"),
                                ("tanh", "({} / 16)"), ("cbrt", "{}"), ("tgamma", "({} / 16 + 1)"),
                                ("lgamma", "({} / 16 + 1)")])
        exact = {"cbrt": lambda x: x ** (1 / 3), "tgamma": math.gamma}.get(name) or getattr(math, name)
        step = {"({} / 16)": lambda x: x / 16, "({} + 1)": lambda x: x + 1,
                "({} / 16 + 1)": lambda x: x / 16 + 1}.get(inner, float)
        scale = next(one for one in [r.randint(1, 50)] + list(range(3, 50)) + [0]
                     if all(abs(exact(step(x)) * one % 1 - 0.5) > 0.001 for x in range(64)))
        argument = [f"({kind})(", self.fit("u32", 0, 63, self.integer(depth - 1, "u32")), ")"]
        before, after = inner.split("{}")
        return Expr(kind, [f"sycl::rint(sycl::{name}({before}", *argument, f"{after}) * {scale})"])

    def vector(self, depth, kind):
        r = self.random
        element, count = element_of(kind), int(kind.split(",")[1].rstrip(">"))
        places = self.named(lambda one: one.kind == kind)
        if places and (depth <= 0 or r.random() < 0.3):
            return r.choice(places).expr()
        for _ in range(2 if self.loads and r.random() < 0.5 else 0):
            loaded = self.load()
            if loaded is not None and loaded.kind == kind:
                return loaded
        if depth <= 0 or r.random() < 0.4:
            if r.random() < 0.5:
                return Expr(kind, [f"sycl::{kind}(", self.exact(element, self.value(element, depth - 1)), ")"])
            parts = [f"sycl::{kind}("]
            for i in range(count):
                parts += ([", "] if i else []) + [self.exact(element, self.value(element, min(depth, 1) - 1))]
            return Expr(kind, parts + [")"])
        op = r.choice("+-*" if element in FLOATS else "+-*&|^")
        return Expr(kind, ["(", self.vector(depth - 1, kind), f" {op} ", self.vector(depth - 1, kind), ")"])

    def value(self, kind, depth):
        """An expression of any type, over its whole range."""
        if kind == "bool":
            return self.condition(depth)
        if kind in FLOATS:
            return self.floating(depth, kind)
        if kind.startswith("vec"):
            return self.vector(depth, kind)
        return self.integer(depth, kind)

    def uniform(self):
        scope = self.inner()
        scope.uniform_only = True
        return scope
