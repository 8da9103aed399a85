"""Statements that access arrays: stores, atomics, neighbours, rows, vectors and structures in memory."""
from expressions import Variable
from tree import BITS, FLOATS, SCALARS, Block, Expr, Statement, depth_of, spelled


class MemoryStatements:
    """Part of Writer."""

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
        first, value = self.cut(scope, array.kind, 0.3)
        if array.kind in ("u8", "u16", "u32", "u64") and r.random() < 0.3:
            return first + [Statement([f"{array.name}[", where, f"] {r.choice('+^|-')}= ", scope.exact(array.kind, value),
                               ";"])]
        return first + [Statement([f"{array.name}[", where, "] = ", scope.exact(array.kind, value), ";"])]

    def store_again(self, scope, depth):
        """Stores to elements of an array in place. The store uses one name of the array, and the next statement loads
        the element by another name."""
        r = self.random
        array = r.choice(self.again)
        if array.kind in SCALARS and r.random() < 0.5:
            return self.in_turns(scope, array)
        value = scope.exact(array.kind, scope.value(array.kind, depth_of(r)))
        return [Statement([f"{array.name}[", array.slot(scope), "] = ", value, ";"])]

    def in_turns(self, scope, array):
        """Stores some elements, each computed from elements that are read by the array's other name, as in a butterfly
        or a filter."""
        r = self.random
        other, result = array.name[:-len("_again")], []
        place = lambda: array.slot(scope, r.randrange(array.slots)).text()
        operations = "+-*" if array.kind in FLOATS else "+-^|"
        for _ in range(r.randint(2, 4)):
            into, source = (array.name, other) if r.random() < 0.7 else (other, array.name)
            left, right = Expr(array.kind, f"{source}[{place()}]"), Expr(array.kind, f"{source}[{place()}]")
            if array.kind in BITS:
                left, right = scope.to("u64", left), scope.to("u64", right)
            value = [f"{array.kind}(", left, f" {r.choice(operations)} ", right, ")"]
            result.append(Statement([f"{into}[{place()}] = "] + value + [";"]))
        return result

    def chosen_store(self, scope, depth):
        """One or several lanes store narrow values. The compiler knows the numbers of these lanes."""
        r = self.random
        dense = self.own(lambda one: not one.fields and one.slots == 1 and one.form != "reverse")
        array = dense if dense and r.random() < 0.7 else self.own(lambda one: not one.fields)
        if array is None:
            return None
        first, value = self.cut(scope, array.kind, 0.7)
        body = Block([Statement([f"{array.name}[", array.slot(scope), "] = ", scope.exact(array.kind, value), ";"])])
        return first + [Statement([f"if ({self.chosen(array)}) ", body], bare=[body])]

    def cut(self, scope, kind, chance):
        """A value of the type `kind`; a narrow value is often truncated from a wider value that all lanes compute."""
        r = self.random
        if kind not in BITS or BITS[kind] >= 64 or r.random() >= chance:
            return [], scope.value(kind, depth_of(r))
        wide, name = r.choice(["u32", "u64"] if BITS[kind] < 32 else ["u64"]), self.name("v")
        loaded = scope.load() if scope.loads and r.random() < 0.7 else None
        if loaded is None or loaded.kind not in BITS:
            loaded = scope.integer(1, wide)
        # All bits of the number are used, so the compiler can't compute it in fewer bits.
        first = Statement([f"const {wide} {name} = ", scope.to(wide, loaded), " * 2654435761u;"], declares=name)
        scope.variables.append(Variable(name, wide, uniform=scope.uniform_only))
        return [first], Expr(wide, f"({name} >> {r.randint(3, 30)})")

    def chosen(self, array):
        """A condition that is true only for lanes with certain numbers."""
        r = self.random
        mask, number, ids = r.choice([2, 4, 8, 16, 16, 32]), r.randint(0, 40), array.ids
        tests = [f"{ids} % {mask} == {number % mask}", f"{ids} == {number}", f"({ids} & {mask - 1}) == {number % mask}",
                 f"{ids} < {number}", f"({ids} & {mask - 1}) != 0", f"({ids} & {mask - 1}) >= {number % mask}"]
        return r.choice(tests + ([array.leader] * 2 if array.leader else []))

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
        """Neighbours of the work-item's own element, with checks for the ends of the array."""
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

    def vector_memory(self, scope, depth):
        """A vec whose elements are loaded from memory and stored to memory one by one."""
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
