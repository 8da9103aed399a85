"""Shows Sinter's objects in gdb. gdb loads this file together with libsinter.so from trusted folders
(docs/debugging.md)."""
import re

import gdb
import gdb.printing


def sizes(value):
    """An id or range as a list."""
    array = value["m_values"]
    return [int(array[i]) for i in range(array.type.range()[1] + 1)]


def braces(numbers):
    return "{" + ", ".join(str(number) for number in numbers) + "}"


def shown(value):
    return braces(sizes(value))


def plain_type(value):
    return value.type.strip_typedefs().unqualified()


class coordinates:
    """id, range"""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return shown(self.value)


class item:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        offset = sizes(self.value["m_offset"])
        behind = ", offset " + braces(offset) if any(offset) else ""
        return f"{shown(self.value['m_id'])} of {shown(self.value['m_range'])}{behind}"


class nd_range:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        offset = sizes(self.value["m_offset"])
        behind = ", offset " + braces(offset) if any(offset) else ""
        return f"{shown(self.value['m_global'])} in groups of {shown(self.value['m_local'])}{behind}"


class group:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return (f"group {shown(self.value['m_group'])} of {shown(self.value['m_group_range'])}, "
                f"with {shown(self.value['m_local_range'])} work-items")


class nd_item:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        of_group = self.value["m_group"]
        return (f"{shown(self.value['m_global'])} of {shown(self.value['m_global_range'])}, "
                f"{shown(of_group['m_local'])} of {shown(of_group['m_local_range'])} "
                f"in group {shown(of_group['m_group'])} of {shown(of_group['m_group_range'])}")


class numbers:
    """Shows vec and marray; a vec of three elements has memory for four."""

    def __init__(self, value):
        self.value = value
        self.count = int(plain_type(value).template_argument(1))

    def to_string(self):
        return None

    def children(self):
        for i in range(self.count):
            yield str(i), self.value["m_data"][i]

    def display_hint(self):
        return "array"


class pointer:
    """multi_ptr"""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return str(self.value["m_pointer"])


class half:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return self.value["m_value"]


class elements:
    """The elements of a box in an array. The box has the extents `part`, the array has the extents `memory`, and
    `first` is the box's first index."""

    def __init__(self, first, memory, part):
        self.first = first
        self.memory = memory
        self.part = part

    def children(self):
        count = 1
        for size in self.part:
            count *= size
        for number in range(count if int(self.first) else 0):
            position, rest = [], number
            for size in reversed(self.part):
                position.insert(0, rest % size)
                rest //= size
            place = 0
            for index, size in zip(position, self.memory):
                place = place * size + index
            yield "[" + ", ".join(str(index) for index in position) + "]", (self.first + place).dereference()


class accessor:
    """accessor, host_accessor"""

    def __init__(self, value):
        self.value = value
        self.first = value["m_data"]
        self.memory = sizes(value["m_memory"])
        self.part = sizes(value["m_range"])

    def to_string(self):
        offset = sizes(self.value["m_offset"])
        behind = f" from {braces(offset)} of {braces(self.memory)}" if self.part != self.memory else ""
        behind += "" if int(self.first) else ", without memory"
        kind = plain_type(self.value).name.split("<")[0].rsplit("::", 1)[-1]
        element = self.first.type.target().strip_typedefs().unqualified()
        return f"{kind} of {braces(self.part)} {element}{behind}"

    def children(self):
        return elements(self.first, self.memory, self.part).children()


class local_accessor:
    """No variable contains the address of the group's local memory, so the elements can't be shown."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return (f"local_accessor of {shown(self.value['m_range'])} {plain_type(self.value).template_argument(0)}, "
                f"{int(self.value['m_offset'])} bytes into the group's local memory")


def word_at(address):
    return int(gdb.Value(address).cast(gdb.lookup_type("unsigned long").pointer()).dereference())


class buffer:
    """Shows a buffer. The contents are read from host memory. A table in the library says where the address of the
    contents is stored."""

    def __init__(self, value):
        self.value = value
        self.size = sizes(value["m_range"])
        self.data = self.places = 0
        table = int(gdb.parse_and_eval("(unsigned long)&sinter_debugger_offsets"))
        to_record, to_data, to_places = (word_at(table + 8 * i) for i in range(3))
        owner = int(value["m_owner"]["m_object"])
        if owner:
            record = word_at(owner + to_record)
            self.places = word_at(record + to_places)
            data = word_at(record + to_data)
            self.data = data + int(value["m_byte_offset"]) if data else 0

    def to_string(self):
        behind = ", part of another" if self.value["m_is_sub_buffer"] else ""
        behind += "" if self.data else ", without memory"
        behind += " (a device may have newer contents)" if self.places else ""
        return f"buffer of {braces(self.size)} {plain_type(self.value).template_argument(0)}{behind}"

    def children(self):
        element = plain_type(self.value).template_argument(0).pointer()
        return elements(gdb.Value(self.data).cast(element), self.size, self.size).children()


PRINTERS = {
    "id": coordinates, "range": coordinates, "item": item, "nd_range": nd_range, "group": group, "nd_item": nd_item,
    "vec": numbers, "marray": numbers, "multi_ptr": pointer, "accessor": accessor, "host_accessor": accessor,
    "local_accessor": local_accessor, "buffer": buffer, "detail::lone::half": half,
}


def collection():
    result = gdb.printing.RegexpCollectionPrettyPrinter("sinter")
    for name, printer in PRINTERS.items():
        result.add_printer(name, f"^sycl::_V1::{name}(<.*>)?$", printer)
    return result


gdb.printing.register_pretty_printer(gdb.current_objfile(), collection(), replace=True)
