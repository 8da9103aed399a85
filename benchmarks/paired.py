"""Statistics of paired measurements: medians, and the median of ratios with a 95 % interval by bootstrap."""
import random


def median(values):
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def interval(values, rounds=2000):
    """95 % bootstrap interval of the median. The seed is fixed, so that the same samples give the same interval."""
    dice = random.Random(1)
    medians = sorted(median(dice.choices(values, k=len(values))) for _ in range(rounds))
    return medians[int(0.025 * rounds)], medians[int(0.975 * rounds) - 1]


def ratio(ours, theirs):
    """The median of the ratios ours / theirs of all pairs, with its interval."""
    ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
    low, high = interval(ratios)
    return {"median": median(ratios), "low": low, "high": high, "pairs": len(ratios)}
