"""The leak test: whether an accuracy is higher, or lower, than chance allows for decisions made from x alone."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from pbn.scores.inputs import UNKNOWN, Array, outcomes, probabilities, wrong
from pbn.scores.poisson_binomial import PoissonBinomial

_LN2 = math.log(2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tails:
    """Logarithms of the p-values of a count of correct decisions; −inf: chance cannot give that count.

    ``log_upper`` is of so many correct decisions or more, ``log_lower`` of so many or fewer.
    """

    log_upper: float
    log_lower: float

    @property
    def upper(self) -> float:
        """The upper p-value, 0.0 where it is below the smallest float."""
        return math.exp(self.log_upper)

    @property
    def lower(self) -> float:
        """The lower p-value, 0.0 where it is below the smallest float."""
        return math.exp(self.log_lower)

    @property
    def log_two_sided(self) -> float:
        """The log of twice the smaller tail, at most 0 (Cox and Hinkley 1974, section 3.4).

        Of the two-sided p-values in use this is the one that belongs to the central interval: it is at most 1 −
        confidence just where the count is outside `Chance.low` to `Chance.high` (Fay 2010).
        """
        return min(0.0, _LN2 + min(self.log_upper, self.log_lower))

    @property
    def two_sided(self) -> float:
        """The two-sided p-value, 0.0 where it is below the smallest float."""
        return math.exp(self.log_two_sided)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chance(Tails):
    """What came of a set of decisions, beside what chance allows: ``correct`` of ``cases``, ``expected`` a priori.

    Chance leaves the number of correct decisions within ``low`` to ``high`` with a probability of at least the
    confidence, and on either side of it with half of what remains at most.
    """

    cases: int
    correct: int
    expected: float
    low: int
    high: int

    @property
    def accuracy(self) -> float:
        """Share of the decisions that were correct."""
        return self.correct / self.cases

    @property
    def expected_accuracy(self) -> float:
        """The mean of P(Y = f(x) | x): what the accuracy is on average over the labels of these cases."""
        return self.expected / self.cases

    @property
    def interval(self) -> tuple[float, float]:
        """The accuracies that chance allows."""
        return self.low / self.cases, self.high / self.cases


@dataclass(frozen=True, slots=True, kw_only=True)
class LeakTest:
    """A predictor's decisions, and the best possible ones, against chance; ``unknown`` decisions were declined."""

    decisions: Chance
    bayes: Chance
    unknown: int
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Run:
    """One run of a predictor: its decisions, the truth of each case, and the label that was drawn.

    Parameters
    ----------
    decisions
        Class of each case, shape (n,), from 0; −1 (`pbn.scores.inputs.UNKNOWN`) where it declined to decide.
    probs
        P(Y | x) of each case, shape (n, K), each row divided by its sum; (n,) stands for P(class 1) of two.
    outcomes
        Class of each case, shape (n,).
    draws
        What names the draw behind each case's label: equal in two cases, of one run or of several, just where their
        labels were drawn together. A row of a world has one draw for all its levels and questions, so here belong
        the world, the seed and the row, and not the level. None: not known.

    Raises
    ------
    ScoreError
        ``scores/empty``, ``scores/shape``, ``scores/number``, ``scores/probability``, ``scores/sum``,
        ``scores/outcome``: as in `pbn.scores.inputs`; ``scores/duplicate-case``: a draw twice in one run.
    """

    decisions: Array
    probs: Array
    outcomes: Array
    draws: Sequence[Hashable] | None = None

    def __post_init__(self) -> None:
        probs = probabilities(self.probs, "probabilities")
        n, classes = probs.shape
        object.__setattr__(self, "probs", probs)
        object.__setattr__(self, "outcomes", outcomes(self.outcomes, n, classes))
        decided = outcomes(self.decisions, n, classes, name="decisions", least=UNKNOWN)
        object.__setattr__(self, "decisions", decided)
        if self.draws is None:
            return
        if len(self.draws) != n:
            raise wrong("shape", "not every case has the name of its draw", found=str(len(self.draws)), allowed=str(n))
        if len(set(self.draws)) < n:
            (twice, _), *_ = Counter(self.draws).most_common(1)
            hint = "leave the repeated cases out: their outcomes are not independent"
            raise wrong("duplicate-case", "a draw is in the run twice", found=repr(twice)[:60], hint=hint)

    def odds(self, decided: Array) -> tuple[Array, Array]:
        """Probabilities that each decision is correct and that it is not, each (n,); an unknown one never is."""
        rows = np.arange(len(decided))
        known = decided != UNKNOWN
        success = np.where(known, self.probs[rows, decided], 0.0)
        others = self.probs.copy()
        others[rows[known], decided[known]] = 0.0  # a sum of the others, not 1 − p: small ones keep their digits
        return success, np.minimum(others.sum(axis=1), 1.0)


def leak_test(probs: ArrayLike, outcomes: ArrayLike, decisions: ArrayLike, *, confidence: float = 0.95) -> LeakTest:
    """Test realized accuracy against its exact law, given that decisions are made from the visible case alone.

    The law: case i's label is drawn from P(Y | x_i) independently of the others, so a decision f(x_i) is correct
    with probability P(Y = f(x_i) | x_i), and the number of correct ones is Poisson-binomial. An accuracy far in
    its upper tail says that the decisions knew more of the labels than x tells; far in the lower tail, that labels
    and decisions belong to different cases or that the probabilities are wrong. The same is reported for the Bayes
    decisions (the likeliest class, the first of equal ones), whose tails say whether the labels themselves fit.

    Parameters
    ----------
    probs, outcomes, decisions
        As in `Run`. The cases must have labels of their own; `combine` checks that by name.
    confidence
        Of the central interval of what chance allows.

    Raises
    ------
    ScoreError
        As in `Run`; ``scores/confidence``: it is not between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> found = leak_test(np.full(500, 0.8), np.ones(500, int), np.ones(500, int))
    >>> found.decisions.correct, found.decisions.expected_accuracy, found.decisions.interval
    (500, 0.8, (0.764, 0.834))
    >>> round(found.decisions.log_upper, 6)  # 500 log 0.8
    -111.571776
    """
    given = Run(decisions=cast(Array, decisions), probs=cast(Array, probs), outcomes=cast(Array, outcomes))
    return _tested([given], confidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class Combined:
    """Several runs as one test.

    ``decisions`` and ``bayes`` are the p-values of all runs together, ``how`` they were combined; ``pooled`` is the
    test of all cases as one run, where that is right, and ``runs`` the test of each.
    """

    decisions: Tails
    bayes: Tails
    how: Literal["pooled", "bonferroni"]
    pooled: LeakTest | None
    runs: tuple[LeakTest, ...]


def combine(runs: Sequence[Run], *, confidence: float = 0.95) -> Combined:
    """Combine runs (seeds, worlds, predictors) into one test, exactly where their labels are independent.

    - No draw is in two runs, by the names in `Run.draws`: the total number of correct decisions is again
      Poisson-binomial, and the runs are **pooled** as one.
    - A draw is in several runs, or some run does not name its draws: the runs' p-values depend on each other in
      some unknown way, pooling would count one stroke of luck several times, and m p-values are combined as
      m · min p, at most 1 (**Bonferroni**), which is valid under every dependence. Of the rules that are (Vovk and
      Wang 2020; a harmonic mean needs a factor of the order of log m, and the Cauchy combination of Liu and Xie
      2020 is valid in the limit of small p only) it loses least where one run alone stands out; it costs log m at
      most.

    Raises
    ------
    ScoreError
        ``scores/empty``: there is no run; ``scores/confidence``.

    Examples
    --------
    >>> import numpy as np
    >>> def run(names):
    ...     return Run(decisions=np.ones(10, int), probs=np.full(10, 0.5), outcomes=np.ones(10, int), draws=names)
    >>> apart, same = combine([run(range(10)), run(range(10, 20))]), combine([run(range(10)), run(range(10))])
    >>> apart.how, apart.decisions.upper == 2**-20
    ('pooled', True)
    >>> same.how, round(same.decisions.upper * 2**10, 9)
    ('bonferroni', 2.0)
    """
    if not runs:
        raise wrong("empty", "there is no run")
    tests = tuple(_tested([run], confidence) for run in runs)
    if len(runs) == 1 or _are_apart(runs):
        pooled = _tested(runs, confidence) if len(runs) > 1 else tests[0]
        return Combined(decisions=pooled.decisions, bayes=pooled.bayes, how="pooled", pooled=pooled, runs=tests)
    decisions, bayes = _bonferroni([test.decisions for test in tests]), _bonferroni([test.bayes for test in tests])
    return Combined(decisions=decisions, bayes=bayes, how="bonferroni", pooled=None, runs=tests)


def _are_apart(runs: Sequence[Run]) -> bool:
    named = [run.draws for run in runs if run.draws is not None]
    return len(named) == len(runs) and len(set().union(*named)) == sum(map(len, named))


def _bonferroni(tails: Sequence[Tails]) -> Tails:
    log_m = math.log(len(tails))
    upper, lower = min(tail.log_upper for tail in tails), min(tail.log_lower for tail in tails)
    return Tails(log_upper=min(0.0, log_m + upper), log_lower=min(0.0, log_m + lower))


def _tested(runs: Sequence[Run], confidence: float) -> LeakTest:
    best = [run.probs.argmax(axis=1) for run in runs]
    same = all((run.decisions == choice).all() for run, choice in zip(runs, best, strict=True))
    bayes = _chance(runs, best, confidence)
    decisions = bayes if same else _chance(runs, [run.decisions for run in runs], confidence)
    unknown = sum(int(np.count_nonzero(run.decisions == UNKNOWN)) for run in runs)
    return LeakTest(decisions=decisions, bayes=bayes, unknown=unknown, confidence=confidence)


def _chance(runs: Sequence[Run], decided: Sequence[Array], confidence: float) -> Chance:
    odds = [run.odds(chosen) for run, chosen in zip(runs, decided, strict=True)]
    success, failure = (np.concatenate(parts) for parts in zip(*odds, strict=True))
    law = PoissonBinomial(success=success, failure=failure)
    correct = sum(int((chosen == run.outcomes).sum()) for run, chosen in zip(runs, decided, strict=True))
    low, high = law.central(confidence)
    return Chance(
        log_upper=law.log_upper(correct),
        log_lower=law.log_lower(correct),
        cases=law.trials,
        correct=correct,
        expected=law.mean,
        low=low,
        high=high,
    )
