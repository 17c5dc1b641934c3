"""Baselines behind one small interface: features and labels in, probabilities of every class out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from pbn.cases.records import Contents, Records, numbers_of
from pbn.cases.sample import Codes, members
from pbn.errors import Fault, PbnError, listing, nearest
from pbn.network.model import Array
from pbn.scores.features import Category, Field, Number, encode
from pbn.scores.inputs import SUM_TOLERANCE, matrix, number, outcomes, whole, wrong
from pbn.world import World


class Fitted(Protocol):
    """What was fitted."""

    def probabilities(self, features: ArrayLike) -> Array:
        """P(class) that is predicted for each case, shape (n, K), from features of shape (n, d)."""


class Baseline(Protocol):
    """A way to learn from labelled cases."""

    def fit(self, features: ArrayLike, labels: ArrayLike, classes: int = 2) -> Fitted:
        """Learn from features, shape (n, d), as of `pbn.cases.encoding.features`, and labels, (n,), from 0."""


# -- what a level shows ------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class View:
    """What a predictor sees of a world's cases at a level: features, and for whoever scores it labels and truth.

    ``names`` are the variables among the features, by default all that the level shows.

    Examples
    --------
    >>> import pbn
    >>> from pbn.cases.sample import rows
    >>> view = View(pbn.load("credit_risk"), "high", names=("sector", "cycle"))
    >>> drawn = rows(view.world, 2032, 0, 4, view.needed)
    >>> view.features(drawn).shape, view.labels(drawn), view.truth(drawn)[:, 1].round(3)
    ((4, 7), array([0, 0, 0, 0]), array([0.016, 0.211, 0.419, 0.211]))
    """

    world: World
    level: str
    question: str | None = None
    names: tuple[str, ...] | None = None
    _records: Records = field(init=False, repr=False)
    _numbers: dict[str, Array | None] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        shown = self.world.level(self.level).visible
        object.__setattr__(self, "question", self.world.question(self.question).name)
        object.__setattr__(self, "names", members(self.world, shown if self.names is None else self.names))
        contents = Contents(levels=(self.level,), memo=False)
        object.__setattr__(self, "_records", Records(self.world, 0, contents))
        self.world.visible(self.level, hide=self.names or ())  # each must be shown
        for name in self.names or ():
            self._numbers[name] = numbers_of(self.world.network.variables[name])

    @property
    def asks(self) -> str:
        """The variable that is asked."""
        return self.world.question(self.question).asks

    @property
    def classes(self) -> int:
        """K, the number of the asked variable's states."""
        return self.world.network.size(self.asks)

    @property
    def needed(self) -> tuple[str, ...]:
        """Variables whose codes are read by the methods below."""
        return tuple(dict.fromkeys([*self.world.level(self.level).visible, self.asks]))

    def features(self, codes: Codes) -> Array:
        """The cases as numbers, shape (n, d), as `pbn.cases.encoding.features` makes them."""
        columns, fields = [], []
        for name in self.names or ():
            numbers = self._numbers[name]
            columns.append(codes[name] if numbers is None else numbers[codes[name]])
            fields.append(self.field(name))
        return encode(columns, fields)

    def encoded(self, name: str) -> Array:
        """The features of each state of a variable, shape (states, columns)."""
        numbers = self._numbers[name]
        size = self.world.network.size(name)
        return encode([np.arange(size) if numbers is None else numbers], [self.field(name)])

    def field(self, name: str) -> Field:
        """How a variable is encoded, as `pbn.cases.encoding.field_of` says."""
        numbers = self._numbers[name]
        if numbers is None:
            return Category(states=self.world.network.size(name))
        return Number(lower=float(numbers.min()), upper=float(numbers.max()))

    def labels(self, codes: Codes) -> Array:
        """The asked variable's states, shape (n,), from 0."""
        return codes[self.asks].astype(np.int64)

    def truth(self, codes: Codes) -> Array:
        """P(Y | x_vis) of each case, shape (n, K), x_vis all that the level shows."""
        assert self.question is not None
        count = len(codes[next(iter(codes))])
        return self._records.posteriors(self.level, self.question, codes, count)


# -- baselines ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Constant:
    """Predicts one law, ``law`` of shape (K,), for every case; of ``columns`` features, any number if None."""

    law: Array
    columns: int | None = None

    def probabilities(self, features: ArrayLike) -> Array:
        """The law, once for each case; errors as in `pbn.scores.inputs.matrix`."""
        return np.tile(self.law, (len(matrix(features, self.columns)), 1))


@dataclass(frozen=True, slots=True)
class ClassPrior:
    """The shares of the classes among the labels, whatever the case.

    Examples
    --------
    >>> ClassPrior().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 0]).probabilities([[5.0]])
    array([[0.75, 0.25]])
    """

    def fit(self, features: ArrayLike, labels: ArrayLike, classes: int = 2) -> Constant:
        """Count the labels; errors as in `ScikitModel.fit`."""
        rows, given = _checked(features, labels, classes)
        return Constant(law=np.bincount(given, minlength=classes) / len(given), columns=rows.shape[1])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FittedModel:
    """A model of scikit-learn with a probability for every class, also for those it never met."""

    model: Any
    classes: int

    def probabilities(self, features: ArrayLike) -> Array:
        """The model's probabilities; 0 for a class without a label.

        Raises
        ------
        ScoreError
            ``scores/empty``, ``scores/shape``: not as many columns as it was fitted on; ``scores/number``.
        """
        rows = matrix(features, self.model.n_features_in_)
        found = np.zeros((len(rows), self.classes))
        with _one_thread():
            found[:, self.model.classes_] = self.model.predict_proba(rows)
        return found


@dataclass(frozen=True, slots=True)
class ScikitModel:
    """A classifier of scikit-learn, made anew for each fit by ``make``; needs the extra ``pbn[eval]``.

    Where all labels are of one class, that class is predicted with probability 1.
    """

    make: Callable[[int], Any]

    def fit(self, features: ArrayLike, labels: ArrayLike, classes: int = 2) -> Fitted:
        """Fit the classifier.

        Raises
        ------
        ScoreError
            ``scores/empty``, ``scores/shape``, ``scores/number``, ``scores/outcome``; ``scores/extra``: scikit-learn
            is not installed.
        """
        rows, given = _checked(features, labels, classes)
        if (given == given[0]).all():
            return Constant(law=np.eye(classes)[given[0]], columns=rows.shape[1])
        try:
            model = self.make(len(rows))
        except ImportError:
            message, hint = "this baseline needs scikit-learn, which is not installed", "pip install 'pbn[eval]'"
            raise wrong("extra", message, hint=hint) from None
        with _one_thread():
            return FittedModel(model=model.fit(rows, given), classes=classes)


def logistic_regression(*, penalty: float = 1.0) -> ScikitModel:
    """Logistic regression with an L2 penalty (scikit-learn's default, C = 1 / ``penalty``), by L-BFGS to 10^-8.

    Raises
    ------
    ScoreError
        ``scores/option``: the penalty is no number above 0.
    """
    if not 0 < number(penalty) < np.inf:
        raise wrong("option", "there is no such penalty", found=repr(penalty)[:40], allowed="numbers above 0")

    def make(rows: int) -> Any:
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(C=1 / penalty, max_iter=10_000, tol=1e-8)

    return ScikitModel(make)


def nearest_neighbours(k: int = 5) -> ScikitModel:
    """The shares of the classes among the k nearest labelled cases; all of them where there are fewer."""
    k = whole(k, "a number of neighbours")

    def make(rows: int) -> Any:
        from sklearn.neighbors import KNeighborsClassifier

        return KNeighborsClassifier(n_neighbors=min(k, rows))

    return ScikitModel(make)


def gradient_boosting(*, seed: int = 0) -> ScikitModel:
    """Gradient-boosted trees (scikit-learn's histogram boosting, its default settings) from a seed."""
    seed = whole(seed, "a seed", 0, 2**32 - 1)

    def make(rows: int) -> Any:
        from sklearn.ensemble import HistGradientBoostingClassifier

        return HistGradientBoostingClassifier(random_state=seed, early_stopping=False)

    return ScikitModel(make)


@dataclass(frozen=True, slots=True)
class BayesClassifier:
    """The true P(Y | x_vis), read off the same features that all others get; it learns nothing from labels.

    The features of a view hold every visible value (a category is the position of its 1, a number its place in the
    declared range), so they are turned back into states and looked up.

    Raises
    ------
    ScoreError
        ``scores/view``: the view leaves out something that its level shows, so the features do not say the case.

    Examples
    --------
    >>> import pbn
    >>> from pbn.cases.sample import rows
    >>> view = View(pbn.load("credit_risk"), "high")
    >>> drawn = rows(view.world, 2032, 0, 100, view.needed)
    >>> bayes = BayesClassifier(view).fit(view.features(drawn), view.labels(drawn))
    >>> bool((bayes.probabilities(view.features(drawn)) == view.truth(drawn)).all())
    True
    """

    view: View

    def __post_init__(self) -> None:
        shown, names = self.view.world.level(self.view.level).visible, self.view.names or ()
        missing = [name for name in shown if name not in names]
        if missing:
            message = "the Bayes classifier needs all that the level shows, and this view leaves some of it out"
            raise wrong("view", message, found=listing(names), hint=f"add {listing(missing)}")

    def fit(self, features: ArrayLike, labels: ArrayLike, classes: int = 2) -> BayesClassifier:
        """Itself: there is nothing to learn."""
        return self

    def probabilities(self, features: ArrayLike) -> Array:
        """P(Y | x_vis) of each case; errors as in `states_of`."""
        return self.view.truth(states_of(self.view, features))


def states_of(view: View, encoded: ArrayLike) -> dict[str, Array]:
    """The codes of a view's variables from its features: the inverse of `View.features`.

    Raises
    ------
    ScoreError
        ``scores/empty``, ``scores/shape``: not as many columns as the view has; ``scores/number``: a row with
        something that is not finite; ``scores/state``: a row that is no state of some variable.
    """
    widths = {
        name: 1 if view._numbers[name] is not None else view.world.network.size(name) for name in view.names or ()
    }
    rows = matrix(encoded, sum(widths.values()))
    found: dict[str, Array] = {}
    column = 0
    for name, width in widths.items():
        part, numbers = rows[:, column : column + width], view._numbers[name]
        column += width
        codes = part.argmax(axis=1) if numbers is None else _nearest_code(part[:, 0], numbers)
        off = (np.abs(part - view.encoded(name)[codes]) > SUM_TOLERANCE).any(axis=1)
        if off.any():
            row = int(np.argmax(off))
            raise wrong("state", f"row {row} of the features is no state of {name}", found=str(part[row].tolist())[:60])
        found[name] = codes
    return found


def _nearest_code(scaled: Array, numbers: Array) -> Array:
    """Positions of the numbers nearest to their places in the range."""
    order = np.argsort(numbers)
    places = numbers[order].astype(float)
    middles = (places[1:] + places[:-1]) / 2
    wanted = places[0] + scaled * (places[-1] - places[0])
    found: Array = order[np.searchsorted(middles, wanted)]
    return found


# -- by name -----------------------------------------------------------------------------------------

BASELINES: Mapping[str, Callable[[View, int], Baseline]] = {
    "class prior": lambda view, seed: ClassPrior(),
    "logistic regression": lambda view, seed: logistic_regression(),
    "nearest neighbours": lambda view, seed: nearest_neighbours(),
    "gradient boosting": lambda view, seed: gradient_boosting(seed=seed),
    "Bayes classifier": lambda view, seed: BayesClassifier(view),
}
"""Name → the baseline for a view and a seed."""


def baseline(name: str, view: View, seed: int = 0) -> Baseline:
    """A baseline by its name in `BASELINES`; all but the boosting are the same for every seed.

    Raises
    ------
    PbnError
        ``models/unknown``: there is no such baseline.
    """
    if name not in BASELINES:
        message = f"there is no baseline {str(name)[:60]!r}"
        raise PbnError(
            Fault(code="models/unknown", message=message, allowed=listing(BASELINES), hint=nearest(name, BASELINES))
        )
    return BASELINES[name](view, seed)


def _one_thread() -> Any:
    """Sums in one order, so that the numbers do not depend on how many cores there are."""
    from threadpoolctl import threadpool_limits  # which scikit-learn needs, too

    return threadpool_limits(1)


def _checked(features: ArrayLike, labels: ArrayLike, classes: int) -> tuple[Array, Array]:
    rows = matrix(features)
    return rows, outcomes(labels, len(rows), whole(classes, "a number of classes", 2), name="labels")
