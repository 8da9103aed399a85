"""Programs of many scenes."""
import random

from crossing import CrossingScene
from dealt import DealtScene
from private_memory import PrivateScene
from scenes import Scene


# Scenes about one topic use few other kinds of statements.
TOPICS = {"tables": ["joined_pointer", "either_value", "letters"], "walks": ["walk_by_steps", "walk_down", "walk_window"]}


def topic_of(seed):
    """One program in four is about tables. One program in eight is about loops that begin at the id or go down columns,
    one is about loops whose iterations are distributed among work-items, and one is about private memory."""
    return "tables" if seed % 4 == 0 else {1: "walks", 3: "private", 5: "dealt"}.get(seed % 8)


def make_scene(seed, number, rows=True, topic=None):
    r = random.Random(seed * 1000 + number)
    if topic == "dealt":
        return DealtScene(r, str(number))
    if topic == "private":
        return PrivateScene(r, str(number))
    if topic:
        return Scene(r, str(number), rows, fond_of=TOPICS[topic])
    return CrossingScene(r, str(number)) if r.random() < 0.25 else Scene(r, str(number), rows)


def program_text(scenes, comment):
    head = "".join(f"// {line}\n" for line in comment.splitlines())
    table = ", ".join(f"{{\"{one.name}\", scene_{one.name}::run}}" for one in scenes)
    return (head + "#include \"program.hpp\"\n\n" + "\n".join(one.text() for one in scenes) +
            f"\nint main(int count, char** words) {{\n  const program::scene scenes[] = {{{table}}};\n"
            "  return program::run(scenes, count, words);\n}\n")
