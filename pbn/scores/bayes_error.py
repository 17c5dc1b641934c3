"""Published estimators of the Bayes error from samples, behind one signature, to be held against the exact value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar
from scipy.special import betainc

from pbn.scores.inputs import (
    SUM_TOLERANCE,
    Array,
    choice,
    confident,
    generator,
    matrix,
    outcomes,
    probabilities,
    whole,
    wrong,
)
from pbn.scores.neighbours import neighbour_error, scikit_learn
from pbn.scores.tree import crossings

NeighbourConstant = Literal["1/√k", "Devroye", "sharp"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BayesErrorBounds:
    """What an estimator says of ε* from n cases: bounds, a point, or both; None where it says nothing.

    ``constant`` names the constant or the confidence that the bounds were made with, ``source`` the publication.
    Bounds hold for the error, or the share of edges, in the limit of infinitely many cases. Here they are computed
    from n of them, so chance and bias may put even both on one side of ε*; only `soft_label_mean` has an interval.
    """

    name: str
    n: int
    lower: float | None
    upper: float | None
    point: float | None
    constant: str | None
    source: str


class Estimator(Protocol):
    """What all estimators have in common, so that they can be run one after the other (`ESTIMATORS`)."""

    def __call__(
        self, features: ArrayLike, labels: ArrayLike, *, rng: np.random.Generator, classes: int = 2
    ) -> BayesErrorBounds:
        """Bounds from features, (n, d), and labels, (n,), from 0, of K classes."""


def one_nearest(
    features: ArrayLike, labels: ArrayLike, *, rng: np.random.Generator, classes: int = 2
) -> BayesErrorBounds:
    """Cover and Hart's bounds from the error R of the nearest neighbour, fitted on one half and tested on the other.

    ((K − 1)/K)(1 − √max(0, 1 − K·R/(K − 1))) ≤ ε* ≤ R for K classes, for R at infinitely many cases.

    Parameters
    ----------
    features, labels
        Shapes (n, d), as from `pbn.scores.features.encode`, and (n,), classes from 0.
    rng
        Chooses the halves. Ties between distances need no choice: see `pbn.scores.neighbours`.
    classes
        K.

    Raises
    ------
    ScoreError
        ``scores/empty``, ``scores/shape``, ``scores/number``, ``scores/outcome``, ``scores/count``,
        ``scores/generator``; ``scores/too-few``: the halves are too small; ``scores/extra``: scikit-learn is not
        installed.

    References
    ----------
    T. Cover and P. Hart, Nearest neighbor pattern classification, IEEE Trans. Information Theory 13 (1967).
    """
    rows, given = _sample(features, labels, classes, rng)
    error = _half_error(rows, given, 1, rng)
    return BayesErrorBounds(
        name="1NN",
        n=len(rows),
        lower=cover_hart(error, classes),
        upper=error,
        point=None,
        constant=None,
        source="Cover and Hart 1967",
    )


def cover_hart(error: float, classes: int = 2) -> float:
    """The lower bound of ε* where the nearest neighbour's error is R: it solves R = ε*(2 − K·ε*/(K − 1)).

    Examples
    --------
    >>> round(cover_hart(0.2698), 4), cover_hart(0.6), round(cover_hart(0.3, classes=4), 4)
    (0.1607, 0.5, 0.1691)
    """
    most = 1 - 1 / classes
    return most * (1 - math.sqrt(max(0.0, 1 - error / most)))


def k_nearest(
    features: ArrayLike,
    labels: ArrayLike,
    *,
    rng: np.random.Generator,
    classes: int = 2,
    k: int = 5,
    constant: NeighbourConstant = "1/√k",
) -> BayesErrorBounds:
    """R/(1 + a_k) ≤ ε* ≤ R from the error R of k nearest neighbours, for two classes and odd k ≥ 5.

    Parameters
    ----------
    features, labels, rng
        As in `one_nearest`.
    classes
        2.
    k
        Odd, from 5.
    constant
        Which a_k: see `neighbour_constant`.

    Raises
    ------
    ScoreError
        As in `one_nearest`; ``scores/neighbours``: such a k has no bound; ``scores/option``: no such constant;
        ``scores/classes``: there are more than two.

    References
    ----------
    L. Devroye, On the asymptotic probability of error in nonparametric discrimination, Annals of Statistics 9 (1981);
    C. Renggli et al., Evaluating Bayes error estimators on real-world datasets with FeeBee, NeurIPS 2021.
    """
    a = neighbour_constant(k, constant)
    rows, given = _sample(features, labels, _two(classes, f"{k}NN"), rng)
    error = _half_error(rows, given, k, rng)
    sources = {"1/√k": "Devroye 1981, with the constant of FeeBee (Renggli et al. 2021)", "Devroye": "Devroye 1981"}
    return BayesErrorBounds(
        name=f"{k}NN",
        n=len(rows),
        lower=error / (1 + a),
        upper=error,
        point=None,
        constant=f"a_{k} = {a:.6f} ({constant})",
        source=sources.get(constant, "Devroye, Györfi and Lugosi 1996, section 5.6: the supremum, computed"),
    )


def neighbour_constant(k: int, constant: NeighbourConstant = "1/√k") -> float:
    """a_k with R_k ≤ (1 + a_k) ε*, where R_k is the error of k nearest neighbours at infinitely many cases.

    Parameters
    ----------
    k
        Odd, from 5.
    constant
        - ``1/√k``: what FeeBee uses.
        - ``Devroye``: (α√k/(k − 3.25))(1 + β/√(k − 3)), α = 0.3399, β = 0.9749: his closed form.
        - ``sharp``: sup_p (1 − 2p) P(Bin(k, p) > k/2)/p over 0 < p < 1/2, the least that holds for every world, as
          R_k = E[p + (1 − 2p) P(Bin(k, p) > k/2)] with p = min(η, 1 − η).

    Examples
    --------
    >>> [round(neighbour_constant(5, name), 4) for name in ("1/√k", "Devroye", "sharp")]
    [0.4472, 0.7337, 0.2175]
    """
    choice("constant", constant, get_args(NeighbourConstant))
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 5 or k % 2 == 0:
        raise wrong("neighbours", "such a number of neighbours has no bound", found=repr(k)[:40], allowed="odd, from 5")
    if constant == "1/√k":
        return 1 / math.sqrt(k)
    if constant == "Devroye":
        return 0.3399 * math.sqrt(k) / (k - 3.25) * (1 + 0.9749 / math.sqrt(k - 3))

    def excess(p: float) -> float:
        return (1 - 2 * p) * float(betainc((k + 1) / 2, (k + 1) / 2, p)) / p

    found = minimize_scalar(lambda p: -excess(p), bounds=(1e-3, 0.5), method="bounded", options={"xatol": 1e-10})
    return excess(float(found.x))


def model_error(
    features: ArrayLike,
    labels: ArrayLike,
    *,
    rng: np.random.Generator,
    classes: int = 2,
    folds: int = 5,
    model: Any = None,
) -> BayesErrorBounds:
    """The cross-validated error of a model, which estimates an error that is at least ε*.

    No model is better than the Bayes decisions, so ε* is at most its error over all cases that there could be; its
    share of errors among n cases may fall below ε* by chance.

    Parameters
    ----------
    features, labels, classes
        As in `one_nearest`.
    rng
        Deals the cases to the folds.
    model
        Anything with scikit-learn's ``fit`` and ``predict``; logistic regression if None. Where the cases of a fit
        are all of one class, that class is predicted.

    Raises
    ------
    ScoreError
        As in `one_nearest`; ``scores/count``: fewer than two folds; ``scores/too-few``: fewer cases than folds.

    References
    ----------
    M. Stone, Cross-validatory choice and assessment of statistical predictions, JRSS B 36 (1974).
    """
    rows, given = _sample(features, labels, classes, rng)
    if len(rows) < whole(folds, "a number of folds", 2):
        raise wrong("too-few", "there are fewer cases than folds", found=str(len(rows)), allowed=f"from {folds}")
    scikit_learn("models")
    from sklearn.base import clone
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(max_iter=2000) if model is None else model
    fold, missed = rng.permutation(len(rows)) % folds, 0
    for j in range(folds):
        inside, held = fold != j, fold == j
        if (given[inside] == given[inside][0]).all():
            predicted = given[inside][:1]
        else:
            predicted = clone(model).fit(rows[inside], given[inside]).predict(rows[held])
        missed += int((predicted != given[held]).sum())
    return BayesErrorBounds(
        name=f"{type(model).__name__}, cross-validated",
        n=len(rows),
        lower=None,
        upper=missed / len(rows),
        point=None,
        constant=f"{folds} folds",
        source="Stone 1974",
    )


def henze_penrose(
    features: ArrayLike, labels: ArrayLike, *, rng: np.random.Generator, classes: int = 2
) -> BayesErrorBounds:
    """Bounds from the share C/n of edges of the minimal spanning tree that join unlike cases, for two classes.

    The Henze–Penrose divergence of the two classes is estimated by 1 − C·n/(2·n₀·n₁) (Friedman and Rafsky 1979);
    with u = 4·π₀π₁·D + (π₀ − π₁)² it gives (1 − √u)/2 ≤ ε* ≤ (1 − u)/2. With shares for π that is u = 1 − 2C/n.

    Parameters
    ----------
    features, labels
        As in `one_nearest`; no part of them is held out. Takes time O(n²·d).
    rng
        Chooses among equally long edges. Among m₀ and m₁ equal cases of the two classes 2·m₀·m₁/(m₀ + m₁) edges join
        unlike ones on average, so on features with few values the share tends to E[2·η·(1 − η)], η = P(1 | x).
    classes
        2.

    Raises
    ------
    ScoreError
        As in `one_nearest`, but for ``scores/extra``; ``scores/classes``: there are more than two.

    References
    ----------
    V. Berisha et al., Empirically estimable classification bounds based on a nonparametric divergence measure, IEEE
    Trans. Signal Processing 64 (2016), theorem 2.
    """
    rows, given = _sample(features, labels, _two(classes, "Henze–Penrose"), rng)
    share = crossings(rows, given, rng) / len(rows)
    return BayesErrorBounds(
        name="Henze–Penrose",
        n=len(rows),
        lower=cover_hart(share),
        upper=share,
        point=None,
        constant=None,
        source="Berisha et al. 2016, theorem 2",
    )


def soft_label_mean(probs: ArrayLike, *, draws: int | None = None, confidence: float = 0.95) -> BayesErrorBounds:
    """The mean of 1 − max_y c(y) over soft labels c, with an interval for ε* at the stated confidence.

    Where the soft labels are the cases' own P(Y | x), the mean is unbiased, and Hoeffding's inequality gives the
    interval: ± (1 − 1/K)·√(log(2/(1 − confidence))/(2n)). Where they are the shares of m hard labels of each case
    (``draws``), the mean falls short of ε* on average, by Jensen's inequality, and by no more than (1 − 1/K)/√m:
    for max is off by at most max_y |c(y) − p(y)|, whose square is at most (1 − 1/K) Σ_y (c(y) − p(y))², whose mean
    is at most (1 − 1/K)/m. The upper end is raised by so much. Soft labels with any other noise, be they
    calibrated, bias the mean by an unknown amount, and the interval is not theirs.

    Parameters
    ----------
    probs
        Shape (n, K), or (n,) for P(class 1) of two classes.
    draws
        m, the hard labels behind each row, which are multiples of 1/m; None: the rows are the truth.

    Raises
    ------
    ScoreError
        ``scores/empty``, ``scores/shape``, ``scores/number``, ``scores/probability``, ``scores/sum``;
        ``scores/share``: a row is no m-th parts; ``scores/count``: no such m; ``scores/confidence``.

    References
    ----------
    T. Ishida et al., Is the performance of my deep network too good to be true? A direct approach to estimating the
    Bayes error in binary classification, ICLR 2023. (The bound of the bias is the one derived above.)

    Examples
    --------
    >>> found = soft_label_mean([0.1, 0.4, 0.9, 1.0])
    >>> round(found.point, 6), found.constant
    (0.15, '95% interval')
    """
    given = probabilities(probs, "soft labels")
    confidence = confident(confidence)
    n, most = len(given), 1 - 1 / given.shape[1]
    point = float((1 - given.max(axis=1)).mean())
    width = most * math.sqrt(math.log(2 / (1 - confidence)) / (2 * n))
    bias = 0.0 if draws is None else most / math.sqrt(_shares(given, whole(draws, "a number of draws")))
    return BayesErrorBounds(
        name="mean of soft labels" if draws is None else f"mean of {draws} hard labels",
        n=n,
        lower=max(0.0, point - width),
        upper=min(most, point + width + bias),
        point=point,
        constant=f"{100 * confidence:g}% interval",
        source="Ishida et al. 2023",
    )


def _soft_label_mean(
    features: ArrayLike, labels: ArrayLike, *, rng: np.random.Generator, classes: int = 2
) -> BayesErrorBounds:
    """`soft_label_mean` of the labels, (n, K), or (n,) for P(class 1) of two; the features are not read."""
    given = probabilities(labels, "soft labels")
    if given.shape[1] != whole(classes, "a number of classes", 2):
        allowed = f"(n, {classes})" + "; (n,)" * (classes == 2)
        raise wrong("shape", "the soft labels have the wrong shape", found=str(np.shape(labels)), allowed=allowed)
    return soft_label_mean(given)


ESTIMATORS: Mapping[str, Estimator] = {
    "one_nearest": one_nearest,
    "k_nearest": k_nearest,
    "model_error": model_error,
    "henze_penrose": henze_penrose,
    "soft_label_mean": _soft_label_mean,
}
"""Every estimator by its name, called alike. `soft_label_mean` takes soft labels, (n, K), and reads no features."""


def _two(classes: int, name: str) -> int:
    if whole(classes, "a number of classes", 2) != 2:
        raise wrong("classes", f"{name} has bounds for two classes only", found=str(classes), allowed="2")
    return 2


def _shares(given: Array, draws: int) -> int:
    """``draws``, if all rows are shares of so many hard labels."""
    off = (np.abs(given - np.rint(given * draws) / draws) > SUM_TOLERANCE).any(axis=1)
    if off.any():
        row = int(np.argmax(off))
        message, found = f"row {row} of the soft labels is no share of {draws} hard labels", str(given[row].tolist())
        raise wrong("share", message, found=found[:60], allowed=f"multiples of 1/{draws}")
    return draws


def _sample(features: ArrayLike, labels: ArrayLike, classes: int, rng: np.random.Generator) -> tuple[Array, Array]:
    rows = matrix(features)
    generator(rng)
    given = outcomes(labels, len(rows), whole(classes, "a number of classes", 2), name="labels")
    if len(rows) < 2:
        raise wrong("too-few", "one case has no neighbour", found=str(len(rows)), allowed="from 2")
    return rows, given


def _half_error(rows: Array, labels: Array, k: int, rng: np.random.Generator) -> float:
    """Error on the second half, in random order, of the k nearest cases of the first, the larger one."""
    order = rng.permutation(len(rows))
    fitted, held = order[: -(-len(rows) // 2)], order[-(-len(rows) // 2) :]
    if len(fitted) < k:
        raise wrong("too-few", f"half of the cases are fewer than {k}", found=str(len(fitted)), allowed=f"from {k}")
    return neighbour_error(rows[fitted], labels[fitted], rows[held], labels[held], k)
