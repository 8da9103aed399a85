"""Loops as users of GPUs write them: loops that begin at the work-item's id and continue by a common step, and loops
down columns with the same counter in all work-items."""
from expressions import Variable
from tree import BITS, SCALARS, Block, Expr, Statement

COUNTERS = {"int": "i32", "unsigned": "u32", "std::size_t": "u64", "long": "i64", "short": "i16",
            "unsigned short": "u16"}


class WalkStatements:
    """Part of Writer."""

    def walk_by_steps(self, scope, depth):
        """for (T i = id; i < bound; i += step), also with i computed by a product; the loop sums up or stores the
        values that it reads."""
        r = self.random
        array = self.walked(scope)
        if array is None:
            return None
        kind, i = r.choice(list(COUNTERS)), self.name("turn")
        start = r.choice(["g", "g", "l"] if self.grouped else ["g"])
        all_of = "n" if start == "g" else "lsize"
        own = self.own(lambda one: one.form == "columns" and one.linear == start and one.total == all_of and
                       one.kind in SCALARS and not one.fields and not self.again)
        if own is not None and r.random() < 0.6:
            step, bound = f"static_cast<{kind}>({all_of})", f"static_cast<{kind}>({own.slots} * {all_of})"
        else:
            own = None
            ranges = ["get_local_range", "get_global_range"] if self.grouped else ["get_range"]
            step = r.choice(["16", "64", "256", f"static_cast<{kind}>({all_of})", all_of, f"it.{r.choice(ranges)}(0)",
                             *[f"static_cast<{kind}>(1 + {one} % 300)" for one in self.amounts[:1]]])
            most = r.choice([40, 66, 100, 660])
            bound = r.choice([str(most), f"static_cast<{kind}>({most} - {r.choice(self.amounts[:1] + ['1'])} % 32)"])
        inner = scope.inner()
        inner.variables.append(Variable(i, COUNTERS[kind], 0, 4000))
        first, body, kept = self.what_it_does(inner, scope, array, self.element_at(array, i), own, i)
        if own is None and r.random() < 0.1:
            # The loop tests its condition at the end (do ... while).
            body.append(Statement([f"if (!({i} < {bound})) break;"], keep=True))
            return first + [Statement([f"for ({kind} {i} = {start};; {i} += {step}) ", Block(body)])] + kept(scope)
        if r.random() < 0.25:
            body.insert(0, Statement(["if (", inner.condition(1), f") {r.choice(['continue', 'break'])};"]))
        if own is None and step.isdigit() and r.random() < 0.3:
            k = self.name("k")
            body.insert(0, Statement([f"const {kind} {i} = {k} * {step} + static_cast<{kind}>({start});"], keep=True,
                                     declares=i))
            head = f"for ({kind} {k} = 0; {k} * {step} + static_cast<{kind}>({start}) < {bound}; ++{k}) "
        else:
            head = f"for ({kind} {i} = {start}; {i} < {bound}; {i} += {step}) "
        return first + [Statement([head, Block(body)])] + kept(scope)

    def walk_down(self, scope, depth):
        """for (T row = 0; row < rows; ++row), in which neighbouring work-items read contiguous elements."""
        r = self.random
        array = self.walked(scope)
        if array is None:
            return None
        kind, row = r.choice(list(COUNTERS)), self.name("row")
        width = r.choice(["64", "16", *[f"static_cast<{kind}>(1 + {one} % 64)" for one in self.amounts[:1]]])
        rows = r.choice(["40", "33", "9", *[f"static_cast<{kind}>({one} % 41)" for one in self.amounts[:1]]])
        column = r.choice(["g", "g", "g", "l"] if self.grouped else ["g"])
        inner = scope.inner()
        inner.variables.append(Variable(row, COUNTERS[kind], 0, 40))
        place = f"{row} * {width} + {column}"
        own = self.own(lambda one: one.kind in SCALARS and not one.fields and not self.again)
        if own is None or r.random() < 0.5:
            own = None
        first, body, kept = self.what_it_does(inner, scope, array, place, own, None)
        if r.random() < 0.15:
            body.insert(0, Statement(["if (", inner.condition(1), f") {r.choice(['continue', 'break'])};"]))
        return first + [Statement([f"for ({kind} {row} = 0; {row} < {rows}; ++{row}) ", Block(body)])] + kept(scope)

    def walk_window(self, scope, depth):
        """for (T d = -a; d <= b; ++d), where indices beyond the ends of an array are clamped, skipped or wrapped."""
        r = self.random
        array = self.walked(scope)
        if array is None:
            return None
        kind, d, at = r.choice(["int", "int", "long", "unsigned", "std::size_t"]), self.name("d"), self.name("at")
        signed = kind in ("int", "long")
        own = r.choice(["g", "g", "g", "l"] if self.grouped else ["g"])
        reach = r.choice(["3", "20", *[f"static_cast<{kind}>({one} % 23)" for one in self.amounts[:1] * 2]])
        head = r.choice([f"for ({kind} {d} = 0; {d} {r.choice(['<', '<='])} {reach}; {d} += {r.choice([1, 1, 2])}) "] +
                        ([f"for ({kind} {d} = -{reach}; {d} <= {reach}; ++{d}) ",
                          f"for ({kind} {d} = {reach}; {d} >= -{reach}; --{d}) "] if signed else []))
        place = f"{kind}({own}) {r.choice('++-')} {d}" + r.choice(["", "", " - 3", " + 1"])
        last = f"{kind}({array.count} - 1)"
        inner = scope.inner()
        inner.variables.append(Variable(d, COUNTERS[kind], 0, 40) if head.split(" = ")[1][0] == "0" else
                               Variable(d, COUNTERS[kind], -40, 40))
        lines = [Statement([f"const {kind} {at} = {place};"], declares=at)]
        form = r.choice(["clamp", "clamp", "leave", "wrap"])
        where = at
        if form == "clamp":
            where = f"sycl::clamp({at}, {kind}(0), {last})" if signed else f"sycl::min({at}, {last})"
        elif form == "leave":
            lines.append(Statement([f"if ({at + ' < 0 || ' if signed else ''}{at} > {last}) continue;"], keep=True))
        else:
            where = f"({at} + {array.count}) % {array.count}" if not signed else \
                    f"(({at} % {kind}({array.count})) + {kind}({array.count})) % {kind}({array.count})"
        first, body, kept = self.what_it_does(inner, scope, array, where, None, None)
        return first + [Statement([head, Block(lines + body)])] + kept(scope)

    def walked(self, scope):
        arrays = [one for one in self.arrays if one.whole and one.kind in SCALARS and not one.fields]
        return None if not arrays or scope.uniform_only or self.loops > 1 else self.random.choice(arrays)

    def element_at(self, array, i):
        """Returns an index. Neighbouring work-items access contiguous elements, nearly contiguous elements, or elements
        that only look contiguous."""
        width = self.random.choice([3, 16, 66, 100])
        return self.random.choice([i, i, i, f"{i} / {width} * {width} + {i} % {width}", f"({i} / {width} * 90 + {i} % "
                                   f"{width}) % {array.count}", f"sycl::min(int({i}) + 1, 50)", f"{i} ^ 1",
                                   f"sycl::clamp(int({i}) - 2, 0, 60)"])

    def what_it_does(self, inner, scope, array, place, own, at):
        """Statements of the loop's body. They keep sums from iteration to iteration. In each iteration, they store to
        an element of the work-item: to the index `at`, or always to the same element."""
        r = self.random
        loaded = Expr(array.kind, f"{array.name}[{place}]")
        first, body, sums = [], [], []
        for _ in range(r.choice([1, 1, 2, 3]) if own is None else r.choice([0, 1])):
            name, kind = self.name("s"), r.choice(["u32", "u64", "u32", "u8"])
            first.append(Statement([f"{kind} {name} = ", scope.exact(kind, scope.value(kind, 1)), ";"], declares=name))
            inner.variables.append(Variable(name, kind))
            sums.append(Variable(name, kind, mutable=True))
            factor = r.choice(["", "", " * 3u"])
            body.append(Statement([f"{name} = {kind}({name}{factor} + ", inner.to(kind, loaded), ");"]))
        if own is not None:
            where = Expr("index", at) if at else own.slot(scope)
            if own.kind in BITS and r.random() < 0.5:
                value = Expr(own.kind, [f"{own.kind}(u64({own.name}[", where, "]) * 3u + ", inner.to("u64", loaded),
                                        ")"])
            else:
                value = inner.exact(own.kind, inner.to(own.kind, loaded) if own.kind in BITS else
                                    inner.value(own.kind, 1))
            body.append(Statement([f"{own.name}[", where, "] = ", value, ";"]))

        def kept(where):
            where.variables += sums
            return self.keep_values(where, sums)
        return first, body, kept
