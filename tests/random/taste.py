"""The preferences of a scene: statements of some kinds never occur in it, and other kinds often, so that scenes
differ."""


class Taste:
    def __init__(self, random, lean=False, fond_of=()):
        """`lean`: hardly any statements, because the rest of a kernel hides how single statements are compiled."""
        self.random, self.weights = random, {}
        self.choices = [0, 0, 0, 0, 6] if lean else [0, 1, 1, 2, 6]
        if lean:
            self.weights = {"declare": 1, "assign": 0.5, "store": 0.5}
        if fond_of:
            self.choices = [0] * 19 + [6]
            self.weights.update((name, 6) for name in fond_of)

    def weight(self, maker, usual):
        """The function `maker` makes statements of one kind. Returns how often this scene chooses the function. `usual`
        is a weight for all scenes."""
        name = maker.__name__
        if name not in self.weights:
            self.weights[name] = self.random.choice(self.choices)
        return usual * self.weights[name]
