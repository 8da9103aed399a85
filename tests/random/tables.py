"""Constant tables, and pointers to a table or to other memory. The kernel chooses a pointer's memory only while it
runs."""
from expressions import Variable
from tree import BITS, Block, Expr, Statement, literal, span

ROOM = 4  # elements behind a place that a pointer leads to
KINDS = [*BITS, "f32", "f64"]
TEXTS = ["sinter device", "0123456789abcdef", "a", "zz top, less room", ""]


class Table:
    """A table of ascending numbers, which all kernels of a scene use."""

    def __init__(self, random, name, kind):
        r = random
        self.name, self.kind, self.size = name, kind, r.choice([5, 8, 8, 16, 33])
        if kind in BITS:
            low, high = r.choice([(0, 100), (-50, 50), span(kind)])
            low, high = max(low, span(kind)[0]), min(high, span(kind)[1])
            self.values = sorted(r.randint(low, high) for _ in range(self.size))
        else:
            self.values = sorted(r.randint(-400, 400) / 8 for _ in range(self.size))
        self.form = r.choice(["static constexpr {0} {1}[{2}] = {{{3}}};", "static const {0} {1}[{2}] = {{{3}}};",
                              "static constexpr std::array<{0}, {2}> {1}{{{3}}};"])

    def declaration(self):
        numbers = ", ".join(literal(self.kind, value) for value in self.values)
        return self.form.format(self.kind, self.name, self.size, numbers) + "\n"

    def place(self, scope, room=0):
        r = scope.random
        if r.random() < 0.2:
            return str(r.randrange(self.size - room))
        return scope.fit("u32", 0, self.size - 1 - room, scope.integer(1, "u32"))

    def load(self, scope):
        return Expr(self.kind, [f"{self.name}[", self.place(scope), "]"])


def make_tables(random, arrays, always=False):
    """Makes tables of the same kinds as the arrays, so that a pointer may lead to a table or to an array."""
    r = random
    kinds = [one.kind for one in arrays if one.kind in KINDS and not one.fields]
    if not kinds or not always and r.random() < 0.4:
        return []
    return [Table(r, f"table{i}", r.choice(kinds)) for i in range(r.choice([1, 1, 2, 3]))]


class TableStatements:
    """A part of Writer: statements about the scene's `tables`."""

    def places_of(self, scope, kind, room):
        """Returns texts of addresses. Each address is that of an element in some kind of memory, and at least `room`
        more elements follow the element."""
        r, found = self.random, []
        for table in self.tables:
            if table.kind == kind:
                found.append([f"&{table.name}[", table.place(scope, room), "]"])
        for one in self.arrays:
            if one.kind != kind or one.fields or not one.pointer:
                continue
            if one.whole:
                found.append([f"&{one.name}[", scope.fit("u32", 0, 1023, scope.integer(1, "u32")), "]"])
            elif one.owned and room == 0:
                found.append([f"&{one.name}[", one.slot(scope), "]"])
        return found

    def own_memory(self, scope, kind):
        """Adds a private array. Returns the address of one of its elements, sometimes rounded down to the first element
        of a pair."""
        r, name, k = self.random, self.name("t"), self.name("k")
        inner = scope.inner()
        inner.variables.append(Variable(k, "i32", 0, 7))
        first = Statement([f"alignas(16) {kind} {name}[8]; for (int {k} = 0; {k} < 8; ++{k}) {name}[({k} + g) & 7] = ",
                           inner.exact(kind, inner.value(kind, 1)), ";"], declares=name)
        place = [f"&{name}[", scope.fit("u32", 0, 7 - ROOM, scope.integer(1, "u32")), "]"]
        if r.random() < 0.2:
            place = ["program::pair_of(", Expr("pointer", place), ")"]
        return first, place

    def joined_pointer(self, scope, depth):
        """Adds a pointer to one of several memories, and reads through it. A conditional operator, branches or a loop
        choose the memory."""
        if not self.tables or scope.uniform_only:
            return None
        r = self.random
        kind, name, room = r.choice(self.tables).kind, self.name("p"), r.choice([0, 0, ROOM])
        result, places = [], self.places_of(scope, kind, room)
        r.shuffle(places)
        places = places[:r.choice([1, 2, 2, 3])]
        if r.random() < 0.35 or len(places) < 2:
            first, own = self.own_memory(scope, kind)
            result.append(first)
            places.append(own)
        none = None
        if r.random() < 0.3:
            none = r.choice(["nullptr", "nullptr", f"reinterpret_cast<const {kind}*>(64)"])
            places.insert(r.randrange(len(places) + 1), [none])
        spelling = f"const {kind}*"
        test = lambda: scope.condition(r.choice([0, 1]))
        if r.random() < 0.5:
            chosen = []
            for place in places[:-1]:
                chosen += [test(), " ? "] + ["static_cast<" + spelling + ">("] + place + [") : "]
            last = ["static_cast<" + spelling + ">("] + places[-1] + [");"]
            result.append(Statement([f"{spelling} {name} = "] + chosen + last, declares=name))
        else:
            result.append(Statement([f"{spelling} {name} = "] + places[0] + [";"], declares=name))
            for place in places[1:]:
                body = Block([Statement([f"{name} = "] + place + [";"])])
                result.append(Statement(["if (", test(), ") ", body], bare=[body]))
        is_there = f"{name} != {none}" if none else "true"
        if room and r.random() < 0.6:  # the pointer is advanced
            k, bound = self.name("k"), scope.fit("i32", 0, ROOM, scope.integer(1, "i32"))
            inner = scope.inner()
            inner.variables.append(Variable(k, "i32", 0, ROOM))
            most = inner.exact(kind, inner.value(kind, 0))
            step = Statement([f"if ({is_there} && ", Expr(kind, f"*{name}"), " < ", most, f") ++{name};"])
            result.append(Statement([f"for (int {k} = 0; {k} < ", bound, f"; ++{k}) ", Block([step])]))
            room = 0

        def load(where):
            if where.uniform_only:
                return None
            element = [f"*{name}"]
            if room:
                element = [f"{name}[", where.fit("u32", 0, room, where.integer(0, "u32")), "]"]
            if not none:
                return Expr(kind, ["("] + element + [")"])
            return Expr(kind, [f"({is_there} ? "] + element + [" : ", where.exact(kind, where.value(kind, 0)), ")"])
        scope.loads += [load] * 2
        return result + self.read_once(scope, kind, load)

    def read_once(self, scope, kind, load):
        """Stores a value in a variable, and writes the variable's value to memory."""
        value = self.name("v")
        first = Statement([f"const {kind} {value} = ", load(scope), ";"], declares=value)
        scope.variables.append(Variable(value, kind))
        return [first] + self.keep_values(scope, scope.variables[-1:])

    def either_value(self, scope, depth):
        """Reads an element of a table or of memory. A condition, a function of two references or a search chooses the
        element."""
        if not self.tables or scope.uniform_only:
            return None
        r = self.random
        table = r.choice(self.tables)
        kind = table.kind
        places = self.places_of(scope, kind, 0)
        other = r.choice(places)
        element, memory = [f"{table.name}[", table.place(scope), "]"], ["*(", *other, ")"]
        form = r.choice(["choice", "choice", "max", "min", "clamp", "search", "list"])
        if form == "choice":
            text = ["(", scope.condition(1), " ? ", Expr(kind, element), " : ", Expr(kind, memory), ")"]
        elif form == "search":
            at, begin = self.name("p"), f"std::data({table.name})"
            first = Statement([f"const {kind}* {at} = std::lower_bound({begin}, {begin} + {table.size}, ",
                               scope.exact(kind, scope.value(kind, 1)), ");"], declares=at)
            text = [f"({at} == {begin} + {table.size} ? ", Expr(kind, memory), f" : *{at})"]
            return [first] + self.read_once(scope, kind, lambda where: Expr(kind, text))
        elif form == "list":
            text = ["std::min({", Expr(kind, element), ", ", Expr(kind, memory), "})"]
        elif form == "clamp":
            text = ["(", Expr(kind, memory), f" < {table.name}[0] ? {table.name}[0] : std::max(", Expr(kind, memory),
                    ", ", Expr(kind, element), "))"]
        else:
            text = [f"std::{form}(", Expr(kind, element), ", ", Expr(kind, memory), ")"]
        return self.read_once(scope, kind, lambda where: Expr(kind, text))

    def letters(self, scope, depth):
        """Reads characters of string literals, or bytes of memory."""
        if not self.tables or scope.uniform_only:
            return None
        r, name = self.random, self.name("s")
        bytes_of = [one for one in self.arrays if one.whole and one.pointer and one.kind in ("i8", "u8")]
        texts = [f'"{r.choice([text for text in TEXTS if text])}"' for _ in range(2)]
        sources = [f"static_cast<const char*>({text})" for text in texts]
        if bytes_of:
            one = r.choice(bytes_of)
            sources[1] = f"reinterpret_cast<const char*>(&{one.name}[{one.linear}])"
        first = Statement([f"const char* {name} = ", scope.condition(1), f" ? {sources[0]} : {sources[1]};"],
                          declares=name)
        least = min(len(text) for text in texts) - 2
        load = lambda where: Expr("i8", [f"i8({name}[", where.fit("u32", 0, least, where.integer(1, "u32")), "])"])
        scope.loads.append(lambda where: None if where.uniform_only else load(where))
        return [first] + self.read_once(scope, "i8", load)
