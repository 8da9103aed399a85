"""Statements with ids that are truncated, shifted and combined with other numbers; the results are valid only behind a
guard."""
from expressions import Variable
from tree import BITS, FLOATS, SCALARS, Block, Expr, Statement


class MaskStatements:
    """Part of Writer."""

    def masked_position(self, scope, depth):
        arrays = [one for one in self.arrays if one.whole and one.kind in SCALARS and not one.fields]
        if not arrays or scope.uniform_only or not self.amounts:
            return None
        r = self.random
        array, shift, result = r.choice(arrays), self.name("d"), self.name("v")
        kind = r.choice(["u32", "u32", "u64", "i64"])
        amount = r.choice(self.amounts)
        if r.random() < 0.4:
            amount = f"{amount} {r.choice(['+ 20', '+ 30', '* 2', '% 16', '/ 3'])}"
        # Within a group, vectors begin at multiples of their length, but the first id of a group is unknown.
        base = r.choice(["l", "l", array.linear]) if self.grouped else array.linear
        at, one = f"{kind}({base})", f"({kind}(1) << {shift})"
        stride, most = r.choice([(one, 11), (f"({kind}({r.choice([1, 3])}) << {shift})", 10), (f"{kind}({shift})", 32)])
        low = f"({at} & ({stride} - 1))"
        text = r.choice([low, f"({at} & {stride})", f"({at} * 2 - {low})", f"({at} * 2 - {low} + {stride})",
                         f"({at} ^ {stride})", f"({at} / {stride if most != 32 else kind + '(4)'})",
                         f"({at} * 4 | ({at} & 3))", f"(({at} << 1) | ({shift} & 1))"])
        fits = f"{shift} >= 1 && {shift} < {most}"
        declared = [Statement([f"const u32 {shift} = static_cast<u32>({amount});"], declares=shift)]
        chosen = r.random() < 0.4
        if chosen:  # the index is computed always, but used only if it is valid
            place = self.name("x")
            declared.append(Statement([f"const {kind} {place} = {fits} ? {text} : {kind}({r.randint(0, 3)});"],
                                      declares=place))
            text = place
        value = Expr(array.kind, f"{array.name}[{text}]")
        if r.random() < 0.4 and not chosen:
            value = Expr(array.kind, [f"({at} > ({kind}(3) << {shift}) ? ", value, " : ",
                                      scope.exact(array.kind, scope.value(array.kind, 1)), ")"])
        first = Statement([f"{array.kind} {result} = ", scope.exact(array.kind, scope.value(array.kind, 1)), ";"],
                          declares=result)
        behind = Statement([f"{result} = {array.kind}({result} {r.choice('+-*' if array.kind in FLOATS else '^&|')} ",
                            value, ");"])
        body = Block([behind])
        if depth > 0 and r.random() < 0.3:
            inner = scope.inner()
            inner.variables.append(Variable(result, array.kind, mutable=True))
            body.statements += self.statement(inner, depth - 1)
        scope.variables.append(Variable(result, array.kind, mutable=True))
        if r.random() < 0.4:
            fits += f" && {at} {r.choice(['<', '>', '>='])} ({kind}({r.choice([1, 3, 5])}) << {shift})"
        guarded = [Statement([body])] if chosen else [Statement([f"if ({fits}) ", body])]
        return declared + [first] + guarded + self.keep_values(scope, scope.variables[-1:])

    def signs(self, scope, depth):
        """Branches on the sign of a number, with loads from any index, atomics and stores in the branch."""
        arrays = [one for one in self.arrays if one.whole and one.kind in BITS and BITS[one.kind] >= 32]
        if not arrays or scope.uniform_only:
            return None
        r = self.random
        array, sign, result = r.choice(arrays), self.name("s"), self.name("v")
        kind = r.choice(["i32", "i32", "i64"])
        declared = [Statement([f"const {kind} {sign} = ", scope.exact(kind, scope.integer(2, kind)), ";"],
                              declares=sign),
                    Statement([f"{array.kind} {result} = 0;"], declares=result)]
        scope.variables.append(Variable(sign, kind))
        inner = scope.inner()
        inner.variables.append(Variable(result, array.kind))
        load = Statement([f"{result} = {array.name}[static_cast<u64>({sign}) % 1021u];"])
        body = Block([load] + (self.atomic(inner, depth) or []) + (self.store(inner, 0) or []))
        scope.variables.append(Variable(result, array.kind, mutable=True))
        text = Statement([f"if ({sign} < 0) ", body])
        if self.loops < 2 and r.random() < 0.4:  # the next iteration reads the mask, too
            k = self.name("k")
            text = Statement([f"for (int {k} = 0; {k} < {r.randint(2, 5)}; ++{k}) ", Block([text])])
        return declared + [text] + self.keep_values(scope, scope.variables[-1:])

    def window(self, scope, depth):
        """Elements at a distance from the work-item's own position in a row, if they are inside; only some work-items
        have such neighbours."""
        arrays = [one for one in self.arrays if one.whole and one.kind in SCALARS and not one.fields]
        if not arrays or scope.uniform_only:
            return None
        r = self.random
        array, x, row, result = r.choice(arrays), self.name("x"), self.name("d"), self.name("v")
        filters = r.random() < 0.6  # rows of tiles with a weight for each distance, as convolutions do
        kind = r.choice(["u32"] * (6 if filters else 1) + ["u64", "i32", "i64"])
        width = r.choice([16, 32, 64, 64, 128, 256])
        ids = [array.linear] + (["l", "l", "l"] if self.grouped else [])
        masked = [r.choice([f"({kind}({one}) & {width - 1})", f"{kind}({one}) % {width}"]) for one in ids]
        ids = masked if filters else ids + masked
        by = r.choice([str(r.choice([1, 2, 3, 5, 8, 20]))] + [f"{kind}({one})" for one in self.amounts[:1]] * 4)
        low = r.choice([1, 3, 7, 15])
        number = r.randint(0, low)
        test, place = r.choice([(f"{x} >= {by}", f"({x} - {by})")] * (6 if filters else 2) + [
            (f"{x} < {by}", f"({by} - 1 - {x})"),
            (f"({x} & {low}) == {number}", f"({x} {r.choice('+|^')} {r.randint(1, low)})"),
            (f"{x} % {low + 1} == {number}", f"({x} {r.choice('+-^')} {number})"),
            (f"{x} + {by} < {kind}({array.total})", f"({x} + {by})")])
        first = [Statement([f"const {kind} {x} = {kind}({r.choice(ids)});"], declares=x),
                 Statement([f"const {kind} {row} = {kind}(", scope.uniform().fit("u32", 0, 2048 // width - 1,
                            scope.uniform().integer(1, "u32")), ");"], declares=row),
                 Statement([f"{array.kind} {result} = ", scope.exact(array.kind, scope.value(array.kind, 1)), ";"],
                           declares=result)]
        operation = r.choice("+-*" if array.kind in FLOATS else "^&|")
        body = Block([])
        if filters:
            at = self.name("x")
            body.statements.append(Statement([f"const {kind} {at} = {place};"], declares=at))
            place = at
        indices = [f"{row} * {width} + {place}", f"{row} * {width} + {place}", place, f"{row} + {place} * 2"]
        for index in [r.choice(indices[:2] if filters else indices)] + [place] * filters:
            if array.detour and kind == "u32" and r.random() < 0.85:
                index = f"{index}{array.around()}"
            value = Expr(array.kind, f"{array.name}[{index}]")
            body.statements.append(Statement([f"{result} = {array.kind}({result} {operation} ", value, ");"]))
        inner = scope.inner()
        inner.variables.append(Variable(result, array.kind, mutable=True))
        if depth > 0 and r.random() < 0.3:
            body.statements += self.statement(inner, depth - 1)
        scope.variables.append(Variable(result, array.kind, mutable=True))
        return first + [Statement([f"if ({test}) ", body])] + \
            self.keep_values(scope, scope.variables[-1:])

    def pointer_table(self, scope, depth):
        """Pointers in a private array; some work-items change some of the pointers."""
        arrays = [one for one in self.arrays if one.whole and not one.fields and one.kind in BITS]
        if not arrays or scope.uniform_only:
            return None
        r = self.random
        array, table, k = r.choice(arrays), self.name("p"), self.name("k")
        size = r.choice([2, 4, 8])
        place = lambda: scope.fit("u32", 0, 1023, scope.integer(1, "u32"))
        which = lambda: scope.fit("u32", 0, size - 1, scope.integer(1, "u32"))
        spelling = f"const {array.kind}*"
        result = [Statement([f"{spelling} {table}[{size}]; for (int {k} = 0; {k} < {size}; ++{k}) {table}[{k}] = "
                             f"&{array.name}[{array.linear} + {k}];"], declares=table)]
        for _ in range(r.randint(1, 3)):
            body = Block([Statement([f"{table}[", which(), f"] = &{array.name}[", place(), "];"])])
            owned = [one for one in self.arrays if one.owned]
            test = self.chosen(r.choice(owned)) if owned and r.random() < 0.5 else scope.condition(1)
            result.append(Statement(["if (", test, ") ", body], bare=[body]))

        def load(where):
            if where.uniform_only:
                return None
            return Expr(array.kind, [f"*{table}[", where.fit("u32", 0, size - 1, where.integer(1, "u32")), "]"])
        scope.loads.append(load)
        return result

    def pointer_ring(self, scope, depth):
        """The statements make some pointers, and another pointer that gets the values of these pointers, one after the
        other. Some work-items change the elements to which the pointers lead."""
        arrays = [one for one in self.arrays if one.whole and not one.fields and one.kind in BITS]
        if not arrays or scope.uniform_only:
            return None
        r = self.random
        array, k, at, sum_name = r.choice(arrays), self.name("k"), self.name("p"), self.name("s")
        names = [self.name("p") for _ in range(r.choice([2, 2, 3]))]
        spelling = f"const {array.kind}*"
        place = lambda where: where.fit("u32", 0, 1023, where.integer(1, "u32"))
        result = [Statement([f"{spelling} {one} = &{array.name}[", place(scope), "];"], declares=one) for one in names]
        start = f"{r.choice(self.amounts)} & 1 ? &{names[1]} : &{names[0]}" if self.amounts else f"&{names[0]}"
        result += [Statement([f"{spelling}* {at} = {start};"], declares=at),
                   Statement([f"u64 {sum_name} = 0;"], declares=sum_name)]
        inner = scope.inner()
        inner.named_counter(k, 12)
        owned = [one for one in self.arrays if one.owned]
        statements = []
        for _ in range(r.randint(1, 3)):
            target = r.choice([f"*{at}"] + names)
            body = Block([Statement([f"{target} = &{array.name}[", place(inner), "];"])])
            test = self.chosen(r.choice(owned)) if owned and r.random() < 0.7 else inner.condition(1)
            statements.append(Statement(["if (", test, ") ", body], bare=[body]))
        read = Block([Statement([f"{sum_name} = {sum_name} * 3 + u64(**{at});"])])
        test = self.chosen(r.choice(owned)) if owned and r.random() < 0.5 else "true"
        statements.append(Statement([f"if ({test}) ", read], bare=[read]))
        turn = "".join(f"{at} == &{one} ? &{after} : " for one, after in zip(names, names[1:])) + f"&{names[0]}"
        statements.append(Statement([f"{at} = {turn};"]))
        bound = r.choice([str(r.choice([3, 4, 8]))] + [f"int({one} % 13)" for one in self.amounts] * 2)
        scope.variables.append(Variable(sum_name, "u64", mutable=True))
        return result + [Statement([f"for (int {k} = 0; {k} < {bound}; ++{k}) ", Block(statements)])] + \
            self.keep_values(scope, scope.variables[-1:])
