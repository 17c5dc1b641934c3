"""The law of a sum of independent yes/no outcomes with unequal probabilities, deep into its tails."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import expit

from pbn.scores.inputs import Array, confident, in_unit_interval, real, whole, wrong

_LEAF = 32
_LN2 = math.log(2)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PoissonBinomial:
    """The law of S, the number of successes of n independent trials: trial i succeeds with odds success : failure.

    Both weights are kept, so that a failure of probability 1e-30 is not lost beside a success of probability 1.0;
    P(success) = success / (success + failure). Make one with `of` where only the probabilities are known.

    Tails are computed by exponential tilting: with p̃_i = p_i e^θ / (q_i + p_i e^θ) and θ such that Σ p̃_i = k,

        P(S ≥ k) = Π_i (q_i + p_i e^θ) · e^(−θk) · Σ_{j ≥ k} e^(−θ(j − k)) P̃(S = j),

    an identity for every θ (Esscher 1932; used for sums of discrete variables by Keich 2005). For k > E[S] θ is
    positive, and no term cancels another. Where k ≤ E[S], or the answer is above 1/2, it is 1 − P(S ≤ k − 1): no
    median is below the whole part of the mean or above the next whole number (Jogdeo and Samuels 1968), so that
    probability is at most 1/2 and a far tail again, and the subtraction is well conditioned.

    Error, with ε = 1.1e-16. The mode of a Poisson binomial with a whole mean is that mean (Darroch 1964), so the
    sum begins with the largest of all P̃(S = j), and what is right relative to that one is right relative to the
    sum, however small the tail. The P̃(S = j) come from a product of polynomials: in blocks of 32 trials by sums of
    positive terms, above that by FFT, where a product of two factors a and b is off by about ε·log2(n)·‖a‖₂‖b‖₂ in
    each coefficient, itself of the order of the product's largest one. Such an error is only spread by the other
    factors, whose coefficients sum to 1. Added up without any cancellation that is of the order of nε relative to
    the sum (1e-11 at n = 100,000); signs are mixed, and it is found to be about √n·ε. The logarithms are added
    without further error (`math.fsum`), and log(q_i + p_i e^θ) is written so that it is small for the trials that
    fall as expected. What is left is the rounding of logit p_i + θ, which moves the odds of trial i by
    ε(|logit p_i| + |θ|) and log P by that times min(p̃_i, 1 − p̃_i) at most:

        |error of log P| ≲ ε·(n + Σ_i min(p̃_i, 1 − p̃_i)(|logit p_i| + |θ|) + |log P|).

    The middle term is large only where many trials fall against long odds, and then |log P| is as large as the odds.
    Against 60-digit arithmetic log P is found right to 1e-11 relatively at n ≤ 2,000, to 1e-10 at n = 100,000.

    Raises
    ------
    ScoreError
        ``scores/empty``, ``scores/shape``, ``scores/number``, ``scores/probability``: no such trials; ``scores/count``:
        tails are of a whole number of successes, of 10^9 at most.
    """

    success: Array
    failure: Array
    certain: int = field(init=False)
    trials: int = field(init=False)
    _logit: Array = field(init=False, repr=False)
    _log_p: Array = field(init=False, repr=False)
    _log_q: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        success, failure = _checked(self.success, "successes"), _checked(self.failure, "failures")
        if success.shape != failure.shape:
            raise wrong("shape", "there are not as many failures as successes", found=str(failure.shape))
        if (success + failure == 0).any():
            row = int(np.argmax(success + failure == 0))
            raise wrong("probability", f"trial {row} can neither succeed nor fail", found="0 and 0")
        open_ = (success > 0) & (failure > 0)
        s, f = success[open_], failure[open_]
        made: dict[str, object] = {
            "success": success,
            "failure": failure,
            "certain": int(np.count_nonzero((failure == 0) & (success > 0))),
            "trials": len(success),
            "_logit": np.log(s) - np.log(f),
            "_log_p": _log_share(s, f),
            "_log_q": _log_share(f, s),
        }
        for name, value in made.items():
            object.__setattr__(self, name, value)

    @staticmethod
    def of(probs: ArrayLike) -> PoissonBinomial:
        """The law for these probabilities of success, shape (n,); failures are 1 − p in float64.

        Examples
        --------
        >>> import numpy as np
        >>> coin = PoissonBinomial.of(np.full(1000, 0.5))
        >>> round(coin.log_upper(1000), 6), round(coin.log_upper(501), 6), coin.log_upper(1001)
        (-693.147181, -0.718696, -inf)
        """
        found = _checked(probs, "probabilities")
        return PoissonBinomial(success=found, failure=1 - found)

    @property
    def open(self) -> int:
        """Trials whose outcome is not certain."""
        return len(self._logit)

    @property
    def mean(self) -> float:
        """E[S]."""
        return self.certain + math.fsum(expit(self._logit))

    def log_upper(self, count: int) -> float:
        """Log P(S ≥ count): 0.0 where that is certain or all but 1e-308, −inf where it is impossible."""
        return _log_upper(self._logit, self._log_p, self._log_q, _number_of_successes(count) - self.certain)

    def log_lower(self, count: int) -> float:
        """Log P(S ≤ count): 0.0 where that is certain or all but 1e-308, −inf where it is impossible."""
        failures = self.open - (_number_of_successes(count) - self.certain)
        return _log_upper(-self._logit, self._log_q, self._log_p, failures)

    def pmf(self) -> Array:
        """P(S = j) of j = 0 … n, shape (n + 1,), each within about 1e-14 of the truth: absolutely, not relatively."""
        return self._among_all(_product(expit(self._logit), expit(-self._logit)), 0.0)

    def log_pmf(self) -> Array:
        """Log P(S = j) of j = 0 … n, shape (n + 1,), by the recursion over trials, all in logarithms.

        Every entry is relatively accurate, at O(n²) cost: 0.1 s for 2,000 trials. It shares no step with
        `log_upper`, and the tests hold them against each other.
        """
        logs = np.full(self.open + 1, -np.inf)
        logs[0] = 0.0
        for i, (log_p, log_q) in enumerate(zip(self._log_p.tolist(), self._log_q.tolist(), strict=True)):
            logs[1 : i + 2] = np.logaddexp(logs[1 : i + 2] + log_q, logs[: i + 1] + log_p)
            logs[0] += log_q
        return self._among_all(logs, -np.inf)

    def _among_all(self, values: Array, elsewhere: float) -> Array:
        found = np.full(self.trials + 1, elsewhere)
        found[self.certain : self.certain + len(values)] = values
        return found

    def central(self, confidence: float) -> tuple[int, int]:
        """The counts between which chance leaves S: exact quantiles, both ends included.

        ``low`` is the least count with P(S ≤ low) > α/2, ``high`` the greatest with P(S ≥ high) > α/2, where
        α = 1 − confidence; so each side outside has at most α/2, and a count is inside just where twice its
        smaller tail is above α.

        Raises
        ------
        ScoreError
            ``scores/confidence``: the confidence is not between 0 and 1.
        """
        half, pmf = (1 - confident(confidence)) / 2, self.pmf()
        low = _first_over(half, np.cumsum(pmf), self.log_lower)
        high = _first_over(half, np.cumsum(pmf[::-1]), lambda count: self.log_upper(self.trials - count))
        return low, self.trials - high


def _first_over(share: float, sums: Array, log_tail: Callable[[int], float]) -> int:
    """The least position whose sum is over ``share``; where the sums are too close to tell, the tail decides."""
    found = int(np.searchsorted(sums, share, side="right"))
    unsure = 1e-10
    while found < len(sums) - 1 and sums[found] < share + unsure and log_tail(found) <= math.log(share):
        found += 1
    while found > 0 and sums[found - 1] > share - unsure and log_tail(found - 1) > math.log(share):
        found -= 1
    return found


def _number_of_successes(count: int) -> int:
    return whole(count, "a number of successes", least=-(10**9))


def _checked(weights: ArrayLike, name: str) -> Array:
    found = real(weights, name).copy()
    if found.ndim != 1:
        raise wrong("shape", f"{name} are a row of numbers", found=str(found.shape), allowed="(n,)")
    in_unit_interval(found, name)
    found.setflags(write=False)
    return found


def _log_share(one: Array, other: Array) -> Array:
    """log(one / (one + other)), accurate also where one of them is tiny."""
    ratio = np.minimum(one, other) / np.maximum(one, other)
    found: Array = np.where(one >= other, 0.0, np.log(one) - np.log(other)) - np.log1p(ratio)
    return found


def _log_upper(logit: Array, log_p: Array, log_q: Array, count: int) -> float:
    """Log P(S ≥ count) of trials that are all open."""
    n = len(logit)
    if count <= 0:
        return 0.0
    if count > n:
        return -math.inf
    mean = math.fsum(expit(logit))
    if count > mean:
        found = _log_far_tail(logit, log_p, log_q, count)
        if found <= -_LN2 or count >= mean + 1:
            return found
    # P(S ≤ count − 1), the upper tail of the failures, is at most 1/2, and its count is above their mean.
    rest = min(-_LN2, _log_far_tail(-logit, log_q, log_p, n - count + 1))
    return math.log1p(-math.exp(rest)) + 0.0  # never −0.0


def _log_far_tail(logit: Array, log_p: Array, log_q: Array, count: int) -> float:
    """Log P(S ≥ count) for E[S] < count ≤ n, by tilting the mean to ``count``."""
    n = len(logit)
    if count == n:
        return math.fsum(log_p)
    theta = _tilt(logit, count)
    tilted = logit + theta
    p, q = expit(tilted), expit(-tilted)
    likely = tilted >= 0
    # log(q_i + p_i e^θ) is log p_i − log p̃_i + θ and also log q_i − log q̃_i: the one that cancels nothing.
    log_ratio = np.where(likely, log_p, log_q) + np.log1p(np.exp(-np.abs(tilted)))
    log_weight = math.fsum(log_ratio) + theta * (int(np.count_nonzero(likely)) - count)
    pmf = _product(p, q)[count:]
    return log_weight + math.log(math.fsum(pmf * np.exp(-theta * np.arange(len(pmf)))))


def _tilt(logit: Array, count: int) -> float:
    """θ ≥ 0 with Σ expit(logit + θ) = count, to within 1 / (8n): Newton's steps, kept inside a shrinking bracket."""
    n = len(logit)
    low, high = 0.0, max(0.0, -float(logit.min())) + math.log(n) + 2.0  # at the upper end Σ > n − 1
    theta = min(high, max(0.0, math.log(count / (n - count)) - float(np.median(logit))))
    for _ in range(200):
        p = expit(logit + theta)
        excess = float(p.sum()) - count
        if abs(excess) < 1 / (8 * n):
            break
        low, high = (low, theta) if excess > 0 else (theta, high)
        if high - low <= 4e-16 * high:
            break
        slope = float((p * (1 - p)).sum())
        step = theta - excess / slope if slope > 0 else math.inf
        theta = step if low < step < high else (low + high) / 2
    return theta


def _product(p: Array, q: Array) -> Array:
    """Coefficients of Π (q_i + p_i x), shape (n + 1,): blocks of trials directly, then by FFT in pairs."""
    n = len(p)
    blocks = 1 << max(0, math.ceil(n / _LEAF) - 1).bit_length()
    padding = blocks * _LEAF - n
    # Trials like each other stand together, so that no factor mixes very wide with very narrow ones.
    order = np.argsort(np.minimum(p, q), kind="stable")
    p = np.concatenate([np.zeros(padding), p[order]]).reshape(blocks, _LEAF)
    q = np.concatenate([np.ones(padding), q[order]]).reshape(blocks, _LEAF)
    rows = np.zeros((blocks, _LEAF + 1))
    rows[:, 0] = 1.0
    for j in range(_LEAF):
        rows[:, 1 : j + 2] = rows[:, 1 : j + 2] * q[:, j, None] + rows[:, : j + 1] * p[:, j, None]
        rows[:, 0] *= q[:, j]
    while len(rows) > 1:
        degree = 2 * (rows.shape[1] - 1)
        size = next_fast_len(degree + 1, real=True)
        spectrum = rfft(rows, size, axis=1)
        rows = irfft(spectrum[::2] * spectrum[1::2], size, axis=1)[:, : degree + 1]
        np.maximum(rows, 0.0, out=rows)
    return rows[0, : n + 1]
