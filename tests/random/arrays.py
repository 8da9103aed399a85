"""Arrays as kernels see them: which elements a work-item may use."""
from expressions import CAPACITY
from tree import Expr, spelled


class Array:
    """An array as a kernel sees it. Several objects may stand for the same array. These objects differ in the accesses
    that are allowed at a point of the kernel."""

    def __init__(self, name, kind, slots, form, fields=None):
        self.name, self.kind, self.slots, self.form, self.fields = name, kind, slots, form, fields
        self.owned = self.atomic = self.local = self.whole = self.pointer = False
        self.leader = self.role = None
        self.count = CAPACITY
        self.linear, self.total, self.ids = "g", "n", "g"
        self.dimensions = 1
        self.detour = None

    def with_mode(self, **changes):
        other = Array(self.name, self.kind, self.slots, self.form, self.fields)
        other.__dict__.update(self.__dict__)
        other.__dict__.update(changes)
        return other

    def has_phases(self):
        """Whether the allowed accesses change at barriers."""
        return self.local or self.role == "own"

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
        if self.detour and scope.random.random() < 0.3:
            where = Expr("u32", ["static_cast<u32>(", where, f"){self.around()}"])
        if self.fields:
            field, kind = scope.random.choice(self.fields)
            return Expr(kind, [f"{self.name}[", where, f"].{field}"])
        return Expr(self.kind, [f"{self.name}[", where, "]"])

    def around(self):
        """Adds 2^30 * a + 3 * 2^30 * b to an index. The numbers a and b are equal, so this is a multiple of 2^32, but
        the compiler does not know that."""
        once, again = self.detour
        return f" + {once} * 0x40000000u + {again} * 0xc0000000u"

    def load_any(self, scope):
        """An element; its index is written in one of many forms."""
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
        g = self.in_group(at)
        part = scope.random.randrange(self.slots)
        text = {"rows": g + [f" * {self.slots} + {part}"], "columns": [f"{part} * {self.total} + "] + g,
                "reverse": [f"({self.total} - 1 - "] + g + [f") * {self.slots} + {part}"]}[self.form]
        return self.element(scope, Expr("index", text))

    def in_group(self, at):
        """The linear id of the work-item `at` of the group; this id determines which elements are the work-item's
        own."""
        if self.local:
            return ["(", at, ")"]
        return ["(group * lsize + ", at, ")"] if self.dimensions == 1 else ["in_group(", at, ")"]

    def start(self, part):
        """Each work-item owns several elements. Returns the index of the first work-item's element number `part`;
        `step` returns the distance to the element of another work-item."""
        return f"{part} * {self.total}" if self.form == "columns" else str(part)

    def step(self, linear):
        if self.form == "columns":
            return ["("] + linear + [")"]
        turned = [f"({self.total} - 1 - "] + linear + [")"] if self.form == "reverse" else linear
        return ["("] + turned + [f") * {self.slots}"]


class SceneArray(Array):
    """An array of a scene: `role` is in, own or atomic."""

    def __init__(self, name, kind, slots, form, fields, role, seed):
        super().__init__(name, kind, slots, form, fields)
        self.role, self.seed = role, seed

    def kind_text(self):
        return spelled(self.kind)
