"""Operations that the work-items of a group or sub-group do together."""
from expressions import Variable
from tree import BITS, INTS, SCALARS, Expr, Statement, literal

OPERATIONS = {"plus": ["u32", "u64", "u8", "u16"], "multiplies": ["u32", "u64"], "minimum": INTS, "maximum": INTS,
              "bit_and": INTS, "bit_or": INTS, "bit_xor": INTS}


class GroupFunctions:
    """Part of Kernel."""

    def together(self, writer, scope):
        """A function of the group or sub-group."""
        r = self.random
        name = writer.name("v")
        sub = self.sub_groups and r.random() < 0.75
        where = "sg" if sub else "gr"
        uniform = not sub
        choice = r.randrange(12)
        if sub and self.exchanges and r.random() < 0.7:
            choice = r.choice([7, 7, 8, 9])
        whole = [one for one in writer.arrays if one.owned and one.fields]
        if whole and r.random() < 0.3:
            return self.broadcast_structure(scope, r.choice(whole), name, where, uniform)
        if choice >= 10:
            joint = self.joint(writer, scope, name, where, uniform)
            if joint:
                return joint
            choice = 2
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
        kind = r.choice(SCALARS + ["f16", "f16", "u16", "i16"] * (3 if self.exchanges else 1))
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
            return [Statement(text, declares=raw)] + self.as_another(writer, scope, kind, raw)
        by = str(r.choice([1, 2, 3]))
        if writer.amounts and r.random() < 0.5:
            by = f"(static_cast<u32>({writer.amounts[0]}) & 3u)"
        function, test = r.choice([("shift_group_left", f"lane + {by} < sg.get_local_linear_range()"),
                                   ("shift_group_right", f"lane >= {by}"),
                                   ("permute_group_by_xor", f"(lane ^ {by}) < sg.get_local_linear_range()")])
        scope.variables.append(Variable(name, kind))
        # A value from outside of the sub-group is unspecified, so the program uses it only behind a test.
        return [Statement([f"const {kind} {raw} = sycl::{function}(sg, ", value, f", {by});"], keep=True,
                          declares=raw),
                Statement([f"const {kind} {name} = {test} ? {raw} : ", other, ";"], declares=name),
                *self.as_another(writer, scope, kind, name)]

    def broadcast_structure(self, scope, array, name, where, uniform):
        """Broadcasts a structure to the group or sub-group. A work-item's own structure in memory is read as a
        whole."""
        at = scope.uniform().integer(1, "u32")
        size = "lsize" if uniform else "sg.get_local_linear_range()"
        text = [f"const {array.kind} {name} = sycl::group_broadcast({where}, {array.name}[", array.slot(scope), "], (",
                at, f") % {size});"]
        scope.variables += [Variable(f"{name}.{field}", kind, uniform=uniform) for field, kind in array.fields]
        return [Statement(text, declares=name)]

    def as_another(self, writer, scope, kind, name):
        """Values from other work-items are converted to another type. The other type is often wider, so that vector
        code handles half of the lanes at a time."""
        r = self.random
        if r.random() < 0.3:
            return []
        wide, other = r.choice(["f64", "f64", "f32", "i64", "u64", "u32"]), writer.name("v")
        statements = [Statement([f"const {wide} {other} = ", scope.to(wide, Expr(kind, name)) if wide in BITS else
                                 f"({wide})({name})", ";"], declares=other)]
        scope.variables.append(Variable(other, wide))
        return statements + writer.keep_values(scope, scope.variables[-1:])

    def joint(self, writer, scope, name, where, uniform):
        """A function of the group or sub-group over any number of elements in memory."""
        r = self.random
        arrays = [one for one in writer.arrays if one.whole and one.kind in INTS and not one.fields]
        if not arrays:
            return None
        array, same = r.choice(arrays), scope.uniform()
        first = same.fit("u32", 0, 1023, same.integer(1, "u32")).text()
        count = r.choice(["lsize", str(r.randint(0, 70)), same.fit("u32", 0, 200, same.integer(1, "u32")).text()])
        places = f"&{array.name}[{first}], &{array.name}[{first}] + {count}"
        if r.random() < 0.3:
            value = literal(array.kind, r.choice([0, 1, 2]))
            text = (f"const bool {name} = sycl::joint_{r.choice(['any', 'all', 'none'])}_of({where}, {places}, "
                    f"[=](const auto& one) {{ return one {r.choice(['<', '==', '!='])} {value}; }});")
            scope.variables.append(Variable(name, "bool", uniform=uniform))
            return [Statement([text], declares=name)]
        operation, kind = r.choice([(one, array.kind) for one, kinds in OPERATIONS.items() if array.kind in kinds])
        initial = f"{kind}({literal(kind, 3)}), " if r.random() < 0.5 else ""
        text = (f"const {kind} {name} = sycl::joint_reduce({where}, {places}, {initial}sycl::{operation}<{kind}>());")
        scope.variables.append(Variable(name, kind, uniform=uniform))
        return [Statement([text], declares=name)]

    def alone(self, writer, scope):
        """Makes statements that contain barriers. Between these barriers, no other statement accesses the arrays that
        these statements use."""
        r = self.random
        barrier = Statement(["sycl::group_barrier(gr);"], keep=True)
        owned = [one for one in writer.arrays if one.owned and one.kind in SCALARS and not one.fields]
        if r.random() < 0.5:
            parts = [one for one in owned if one.slots >= 2]
            if not parts:
                return None
            sub = self.sub_groups and r.random() < 0.5
            index = scope.integer(1, "u32")
            other = Expr("u32", ["(static_cast<u32>(l) - lane + ", index, " % sg.get_local_linear_range())"] if sub else
                         ["(", index, " % static_cast<u32>(lsize))"])
            return [barrier, *writer.restrict_phase(scope, r.choice(parts), "sg" if sub else "gr", other), barrier]
        sources = [one for one in writer.arrays if one.whole and not one.fields]
        pairs = [(source, to, operation) for source in sources for to in owned if source.kind == to.kind
                 for operation, kinds in OPERATIONS.items() if to.kind in kinds
                 and (to.local or to.slots == 1 and to.form != "reverse" and self.dimensions == 1)]
        if not pairs:
            return None
        source, to, operation = r.choice(pairs)
        kind, function = to.kind, r.choice(["inclusive", "exclusive"])
        begin = f"&{source.name}[{r.choice(['0', '5', 'static_cast<u32>(group) % 7'])}]"
        initial = f"{kind}({literal(kind, 2)}), " if function == "exclusive" else ""
        target = f"&{to.name}[{'0' if to.local else 'group * lsize'}]"
        return [barrier, Statement([f"sycl::joint_{function}_scan(gr, {begin}, {begin} + lsize, {target}, {initial}"
                                    f"sycl::{operation}<{kind}>());"]), barrier]
