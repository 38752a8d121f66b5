"""Where to cut scores into two classes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocsvm.inspection._curve import Cuts, count_cuts, cut_distinct, group_scores
from rocsvm.inspection._rows import Rows, check_rows

Rates = NDArray[np.float64]

# Below this many rows, sorting all takes less than a millisecond or two.
MIN_ROWS_FOR_CELLS = 1 << 14
# More than sums of weights in another order move a rate; a few cells more than needed do no harm.
ROUNDING = 1e-9


class OperatingPoint(NamedTuple):
    """A threshold, and the shares of positives and of negatives that it classifies rightly."""

    threshold: float
    sensitivity: float
    specificity: float


class AbstractRule(ABC):
    """What makes one cut between scores better than another."""

    @abstractmethod
    def choose(self, cuts: Cuts) -> int:
        """Return the best of all cuts."""

    @abstractmethod
    def reach(self, cuts: Cuts) -> NDArray[np.intp]:
        """Return the gaps that may hold the best cut, were there more; gap k lies between cuts k and k + 1."""


@dataclass(frozen=True)
class Youden(AbstractRule):
    """The largest sensitivity + specificity - 1, and of equals that of the highest sensitivity."""

    def choose(self, cuts: Cuts) -> int:
        """Return the cut; the sum is taken times both totals, so that without weights ties are exact."""
        n_pos, n_neg = cuts.pos_below + cuts.pos_above, cuts.neg_below + cuts.neg_above
        return int(np.argmax(cuts.pos_above * n_neg + cuts.neg_below * n_pos))

    def reach(self, cuts: Cuts) -> NDArray[np.intp]:
        """Return the gaps whose corner rises to the best cut."""
        return _find_reach(cuts, 1.0, 1.0, lambda sensitivity, specificity: 2.0 - sensitivity - specificity)


@dataclass(frozen=True)
class BothAtLeast(AbstractRule):
    """The least Euclidean distance by which targets are missed; where both are reached, the largest sum of the rates.

    Of equals it is that of the highest sensitivity.
    """

    sensitivity: float
    specificity: float

    def choose(self, cuts: Cuts) -> int:
        """Return the best cut; rates are sums of weights, so that equals are so up to rounding."""
        missed = self._measure(cuts.sensitivity, cuts.specificity)
        return int(np.flatnonzero(missed <= missed.min() + 1e-12)[0])

    def reach(self, cuts: Cuts) -> NDArray[np.intp]:
        """Return the gaps whose corner is as good as the best cut."""
        return _find_reach(cuts, 1.0, 1.0, self._measure)

    def _measure(self, sensitivity: Rates, specificity: Rates) -> Rates:
        """Return by how much the targets are missed; less than zero, by how much both are passed together."""
        short = np.maximum(self.sensitivity - sensitivity, 0.0), np.maximum(self.specificity - specificity, 0.0)
        passed = sensitivity + specificity - self.sensitivity - self.specificity
        missed = np.hypot(*short)
        return np.where(missed > 0.0, missed, -passed)


@dataclass(frozen=True)
class SensitivityAtLeast(AbstractRule):
    """The highest cut of at least this sensitivity."""

    target: float

    def choose(self, cuts: Cuts) -> int:
        """Return the last cut that reaches the target."""
        reached = np.flatnonzero(cuts.sensitivity >= self.target)
        if len(reached) == 0:
            raise ValueError(
                f"operating_point asks for a sensitivity of at least {self.target}, but positives that score -inf lie "
                f"above no threshold and leave at most {cuts.sensitivity[0]}; ask for that much or clip the scores."
            )
        return int(reached[-1])

    def reach(self, cuts: Cuts) -> NDArray[np.intp]:
        """Return the gaps in which sensitivity may fall below the target."""
        return _find_fall(cuts.sensitivity, self.target)


@dataclass(frozen=True)
class SpecificityAtLeast(AbstractRule):
    """The lowest cut of at least this specificity."""

    target: float

    def choose(self, cuts: Cuts) -> int:
        """Return the first cut that reaches the target; that above all scores always does."""
        return int(np.argmax(cuts.specificity >= self.target))

    def reach(self, cuts: Cuts) -> NDArray[np.intp]:
        """Return the gaps in which specificity may rise to the target."""
        specificity = cuts.specificity
        return len(specificity) - 2 - _find_fall(specificity[::-1], self.target)


def _find_fall(rate: Rates, target: float) -> NDArray[np.intp]:
    """Return the gaps in which a descending rate may fall below the target, and the last, should it never."""
    falls = np.flatnonzero(rate[1:] < rate[:-1])
    falls = falls[(rate[falls] >= target - ROUNDING) & (rate[falls + 1] <= target + ROUNDING)]
    return np.append(falls, len(rate) - 2)


def _find_reach(
    cuts: Cuts, sensitivity: float, specificity: float, measure: Callable[[Rates, Rates], Rates]
) -> NDArray[np.intp]:
    """Return the gaps that may come nearer to a target than any of these cuts.

    Within a gap both rates lie between those of the cuts around it.
    """
    at_sensitivity, at_specificity = cuts.sensitivity, cuts.specificity
    best = measure(at_sensitivity, at_specificity).min()
    bound = measure(
        np.clip(sensitivity, at_sensitivity[1:], at_sensitivity[:-1]),
        np.clip(specificity, at_specificity[:-1], at_specificity[1:]),
    )
    return np.flatnonzero(bound <= best + ROUNDING)


def check_operating_point(operating_point: str | Mapping[str, float] | None) -> None:
    """Raise ValueError unless this names an operating point.

    It does if it is ``"youden"``, a dict of ``"sensitivity"``, ``"specificity"`` or both to targets in
    [0, 1], or None, which stands for the threshold 0.

    Examples
    --------
    >>> check_operating_point({"sensitivity": 0.9})
    >>> check_operating_point({"recall": 0.9})
    Traceback (most recent call last):
    ValueError: operating_point has the key 'recall', which is not known; use 'sensitivity', 'specificity' or both.
    """
    _read_rule(operating_point)


def _read_rule(operating_point: object) -> AbstractRule | None:
    if operating_point is None:
        return None
    if isinstance(operating_point, str) and operating_point == "youden":
        return Youden()
    if not isinstance(operating_point, Mapping) or not operating_point:
        raise ValueError(
            f"operating_point is {operating_point!r}, which names none; "
            "use 'youden', a dict such as {'sensitivity': 0.9, 'specificity': 0.8}, or None for the threshold 0."
        )
    targets = {key: _read_target(key, value) for key, value in operating_point.items()}
    if len(targets) == 2:
        return BothAtLeast(**targets)
    ((key, target),) = targets.items()
    return SensitivityAtLeast(target) if key == "sensitivity" else SpecificityAtLeast(target)


def _read_target(key: object, value: object) -> float:
    if key not in ("sensitivity", "specificity"):
        raise ValueError(
            f"operating_point has the key {key!r}, which is not known; use 'sensitivity', 'specificity' or both."
        )
    if isinstance(value, bool) or not isinstance(value, Real) or not 0.0 <= float(value) <= 1.0:
        raise ValueError(
            f"operating_point asks for a {key} of {value!r}, which is not a share of rows; use a number from 0 to 1."
        )
    return float(value)


def find_threshold(
    y: ArrayLike,
    scores: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    operating_point: str | Mapping[str, float] | None = "youden",
) -> OperatingPoint:
    """Return the threshold of an operating point, a row being predicted positive above it.

    It equals the best of all thresholds: those midway between two neighbouring distinct scores, one
    below all and one above all scores. Between floats that have no float between them, the threshold
    is the lower, which it leaves on the negative side.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels of two classes; the positive is True, or the larger label.
    scores : array-like of shape (n_samples,)
        Scores that should be larger for positives. They may be infinite, but not NaN.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of at least 0; an integer weight equals repeating the row.
    operating_point : "youden", dict or None, default="youden"
        - ``"youden"``: the largest sensitivity + specificity - 1; of equals that of the highest sensitivity;
        - ``{"sensitivity": 0.9}``: the highest threshold of at least this sensitivity, hence the best
          specificity that goes with it;
        - ``{"specificity": 0.9}``: the lowest threshold of at least this specificity, hence the best
          sensitivity that goes with it;
        - both: where both can be reached, the largest sum of the two; elsewhere the point of the ROC curve
          that misses them by the least distance; of equals that of the highest sensitivity;
        - None: the threshold 0, whatever the scores.

    Returns
    -------
    OperatingPoint
        The threshold, and the sensitivity and the specificity it has on these rows.

    Examples
    --------
    >>> find_threshold([0, 0, 1, 0, 1, 1], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], operating_point={"sensitivity": 1.0})
    OperatingPoint(threshold=2.5, sensitivity=1.0, specificity=0.6666666666666666)
    """
    rule = _read_rule(operating_point)
    rows = check_rows(y, scores, sample_weight, asker="find_threshold")
    if rule is None:
        return _evaluate_zero(rows)
    values, cuts = _cut_near_best(rows, rule)
    # Nothing is smaller than -inf, so no threshold has all rows above it.
    n_impossible = int(np.isneginf(values[0]))
    best = n_impossible + rule.choose(cuts.skip(n_impossible))
    bounded = np.concatenate(([-np.inf], values, [np.inf]), dtype=values.dtype)
    threshold = _place(bounded[best], bounded[best + 1])
    return OperatingPoint(threshold, float(cuts.sensitivity[best]), float(cuts.specificity[best]))


def _cut_near_best(rows: Rows, rule: AbstractRule) -> tuple[NDArray[Any], Cuts]:
    """Return ascending scores and the cuts around them, complete wherever the best cut may be.

    Sorting a million rows takes 120 ms. Counting them into cells takes 10 and leaves few to sort.
    """
    # The lowest cut is no choice where rows score -inf, which the rules would have to know.
    worth_cells = len(rows.scores) >= MIN_ROWS_FOR_CELLS and not np.isneginf(rows.scores.min())
    cells = group_scores(rows) if worth_cells else None
    return cut_distinct(rows) if cells is None else cells.cut_within(rows, rule.reach(cells.cut()))


def _place(lower: np.floating[Any], upper: np.floating[Any]) -> float:
    """Return a threshold with ``lower <= threshold < upper`` in the type of the scores, midway if both are finite."""
    if np.isinf(lower) and np.isinf(upper):
        return 0.0 if lower < upper else float(lower)
    with np.errstate(over="ignore"):
        if np.isinf(upper):
            threshold = lower + max(1.0, np.abs(np.spacing(lower)))
        elif np.isinf(lower):
            threshold = upper - max(1.0, np.abs(np.spacing(upper)))
        else:
            threshold = lower / 2 + upper / 2
    return float(threshold if lower <= threshold < upper else lower)


def _evaluate_zero(rows: Rows) -> OperatingPoint:
    neg, pos = np.bincount(2 * rows.positive + (rows.scores > 0.0), rows.weights, minlength=4).reshape(2, 2)
    cuts = count_cuts(pos, neg)
    return OperatingPoint(0.0, float(cuts.sensitivity[1]), float(cuts.specificity[1]))
