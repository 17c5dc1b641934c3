"""The world that people hold: a file in, exact answers out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

import numpy as np

from pbn.batch import frame_posteriors
from pbn.errors import Fault, QueryError, listing, nearest
from pbn.evidence import evidence_codes, unknown_variable
from pbn.exact.answers import ArithmeticName, BayesError, BoundStatistic
from pbn.exact.engine import Engine, Posterior
from pbn.exact.estimate import Estimate, estimate_bayes_error
from pbn.exact.plan import DEFAULT_BUDGET
from pbn.exact.totality import check_rules_total
from pbn.network.chain import chained
from pbn.network.graph import functions_of
from pbn.network.model import Array, Network
from pbn.spec.model import Level, Published, Question, WorldSpec

if TYPE_CHECKING:
    import pandas as pd

    from pbn.text.memo import Memo

EngineName = Literal["pbn", "pgmpy"]
_POSITIVE = frozenset(("yes", "true", "present", "positive", "t", "y", "1"))
_Entry = TypeVar("_Entry", Question, Level)


@dataclass(frozen=True, kw_only=True, eq=False)
class World:
    """A world: its network, what is asked, what is visible at each hiding level, and exact answers.

    ``attributes`` are the variables that a level shows unless it hides them; ``spec`` is the file
    behind the world, where there is one; a world made of a network without such a file can be asked
    about any node. ``budget`` is the memory in bytes that one answer may take.
    """

    name: str
    title: str
    network: Network
    questions: Mapping[str, Question]
    levels: Mapping[str, Level]
    attributes: tuple[str, ...]
    families: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    published: tuple[Published, ...] = ()
    notes: tuple[str, ...] = ()
    spec: WorldSpec | None = None
    budget: int = DEFAULT_BUDGET
    engine: Engine = field(init=False, repr=False)
    _memos: dict[str, Memo] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "engine", Engine(self.network, self.budget))
        check_rules_total(self.engine)

    # -- names -----------------------------------------------------------------------------------

    def question(self, name: str | None = None) -> Question:
        """A question by name; the only one where there is one."""
        if name is None:
            if len(self.questions) == 1:
                return next(iter(self.questions.values()))
            if not self.questions:
                raise QueryError(
                    Fault(
                        code="query/which-question",
                        message=f"{self.name} asks no question by itself",
                        allowed=listing(self.network.named),
                        hint="name the node that is asked",
                    )
                )
            raise QueryError(
                Fault(
                    code="query/which-question",
                    message=f"{self.name} asks several questions",
                    allowed=listing(self.questions),
                    hint="name one of them",
                )
            )
        if self.spec is None and name in self.network.named and name not in self.questions:
            return question_about(self.network, name)
        return _entry("question", name, self.questions)

    def level(self, name: str) -> Level:
        """A hiding level by name."""
        return _entry("level", name, self.levels)

    def visible(
        self, level: str | None = None, hide: Collection[str] = (), show: Collection[str] | None = None
    ) -> tuple[str, ...]:
        """The visible variables of a level (all attributes without one), or ``show``, less those in ``hide``."""
        shown = self.attributes if level is None else self.level(level).visible
        if show is not None:
            shown = self._members(show)
            unknown = [name for name in shown if name not in self.network.named]
            if unknown:
                raise unknown_variable(unknown[0], self.network.named)
        hidden = self._members(hide)
        for name in hidden:
            if name not in shown:
                raise QueryError(self._not_visible(name, shown))
        return tuple(dict.fromkeys(name for name in shown if name not in hidden))

    def _members(self, names: Collection[str]) -> tuple[str, ...]:
        """The names with repeated variables written out."""
        if isinstance(names, str):
            names = [names]
        if not isinstance(names, Collection):
            raise QueryError(
                Fault(code="query/not-a-list", message="hide and show take a list of variables", found=repr(names)[:60])
            )
        listed = [str(name) for name in names]
        return tuple(member for name in listed for member in self.families.get(name, (name,)))

    def _not_visible(self, name: str, shown: Sequence[str]) -> Fault:
        measured = [
            other
            for other in shown
            if name in self.network.parents(other) and self.network.variables[other].origin == "measured"
        ]
        hint = f"it is seen through {measured[0]}: hide that" if measured else nearest(str(name), shown)
        return Fault(
            code="query/not-an-attribute",
            allowed=listing(shown),
            hint=hint,
            message=f"{str(name)[:60]!r} is not visible, so it cannot be hidden",
        )

    def _evidence(self, evidence: Mapping[str, object], level: str | None) -> dict[str, int]:
        codes = evidence_codes(self.network, self.families, evidence)
        if level is not None:
            known = functions_of(self.network, self.level(level).visible)
            hidden = [name for name in codes if name not in known]
            asked = [name for name in hidden if any(name == entry.asks for entry in self.questions.values())]
            if asked:
                raise QueryError(
                    Fault(
                        code="query/hidden-evidence",
                        message=f"{asked[0]} is what a question asks, so no level shows it",
                        allowed=listing(self.level(level).visible),
                        hint="leave it out, or ask without a level",
                    )
                )
            if hidden:
                raise QueryError(
                    Fault(
                        code="query/hidden-evidence",
                        message=f"level {level} hides {listing(hidden)}",
                        allowed=listing(self.level(level).visible),
                        hint="leave it out, or ask without a level",
                    )
                )
        return codes

    # -- answers ---------------------------------------------------------------------------------

    def bayes_error(
        self,
        level: str | None = None,
        *,
        question: str | None = None,
        hide: Collection[str] = (),
        show: Collection[str] | None = None,
        arithmetic: ArithmeticName = "exact",
    ) -> BayesError:
        """The exact Bayes error ε* of a level, of all attributes or of ``show``, less what is in ``hide``.

        ε* = Σ_x P(x) (1 − max_y P(y | x)), the sum over the visible variables' values x.

        Raises
        ------
        QueryError
            No such level, question or attribute.
        BudgetError
            The answer would take more memory than the budget.

        Examples
        --------
        >>> import pbn
        >>> world = pbn.load("credit_risk")
        >>> world.bayes_error("low").exact
        Fraction(259265749903241391, 10000000000000000000)
        >>> world.bayes_error(hide=["cash_buffer"]).value == world.bayes_error("medium").value
        True
        """
        _check_choice("arithmetic", arithmetic, get_args(ArithmeticName))
        return self.statistic(level, question=question, hide=hide, show=show).bayes_error(arithmetic)

    def statistic(
        self,
        level: str | None = None,
        *,
        question: str | None = None,
        hide: Collection[str] = (),
        show: Collection[str] | None = None,
    ) -> BoundStatistic:
        """The sufficient statistic behind `bayes_error` and `table`, with its plan."""
        asked = self.question(question)
        visible = tuple(name for name in self.visible(level, hide, show) if show or name != asked.asks)
        as_level = level is not None and not hide and show is None
        closed_form = self.level(level).closed_forms.get(asked.name) if as_level and level else None
        return self.engine.statistic(asked.asks, visible, closed_form)

    def estimate_bayes_error(
        self,
        level: str | None = None,
        *,
        question: str | None = None,
        hide: Collection[str] = (),
        show: Collection[str] | None = None,
        samples: int = 1000,
        seed: int = 0,
        advance: Callable[[], None] = lambda: None,
    ) -> Estimate:
        """An estimate of ε* with a 95% interval, for visible sets where `bayes_error` is out of reach.

        Cases are sampled; the posterior of each is computed, not sampled. ``advance`` is called after
        each case.
        """
        if samples < 2:
            raise QueryError(
                Fault(code="query/samples", message="an estimate needs at least two cases", found=str(samples))
            )
        asked = self.question(question)
        visible = tuple(name for name in self.visible(level, hide, show) if name != asked.asks)
        return estimate_bayes_error(
            self.engine, asked.asks, visible, samples=samples, rng=np.random.default_rng(seed), advance=advance
        )

    def posterior(
        self,
        evidence: Mapping[str, object] | None = None,
        level: str | None = None,
        *,
        query: str | None = None,
        question: str | None = None,
        engine: EngineName = "pbn",
        arithmetic: ArithmeticName = "exact",
    ) -> Posterior:
        """P(query | evidence), exactly; what is not given is summed over.

        Parameters
        ----------
        evidence
            Variable → state; a number for a measured variable; one value for each member of a
            repeated one. May be partial or empty.
        level
            Accept only evidence that this level shows. None: evidence on any variable.
        query
            The variable asked; by default the one that ``question`` asks.
        engine
            ``"pgmpy"`` answers by pgmpy's variable elimination in float64.

        Raises
        ------
        QueryError
            Unknown names (the nearest is offered), evidence that the level hides, or evidence of
            probability zero (an irreducible set of conflicting values is named).

        Examples
        --------
        >>> import pbn
        >>> answer = pbn.load("peer_review").posterior({"evidence": "weak"}, query="validity")
        >>> answer.exact["sound"]
        Fraction(6, 17)
        """
        _check_choice("engine", engine, get_args(EngineName))
        _check_choice("arithmetic", arithmetic, get_args(ArithmeticName))
        codes = self._evidence(evidence or {}, level)
        asked = self._asked(query, question)
        if engine == "pgmpy":
            return self._by_pgmpy(asked, codes)
        statistic = None
        name = next((entry.name for entry in self.questions.values() if entry.asks == asked), None)
        if level is not None and name is not None:
            statistic = self.statistic(level, question=name)
        return self.engine.posterior(asked, codes, arithmetic, statistic)

    def _asked(self, query: str | None, question: str | None) -> str:
        if query is None:
            return self.question(question).asks
        if query in self.network and query in self.network.named:
            return query
        if query in self.questions:
            return self.questions[query].asks
        raise unknown_variable(query, [*self.network.named, *self.questions])

    def _by_pgmpy(self, asked: str, codes: Mapping[str, int]) -> Posterior:
        from pbn.exact.pgmpy_engine import pgmpy_posterior

        certain = self.engine.evidence_probability(codes)
        states = {name: self.network.variables[name].states[code] for name, code in codes.items()}
        probs = pgmpy_posterior(self.engine.view(codes), asked, states, self.budget, certain)
        return Posterior(
            query=asked, probs=probs, exact=None, evidence_probability=certain, route="pgmpy's variable elimination"
        )

    def posteriors(self, frame: pd.DataFrame, level: str | None = None, *, question: str | None = None) -> Array:
        """P(Y | x) of complete cases, one row of the result for each row of the frame, shape (n, K).

        Columns that are no visible variable of the level are ignored; those that say something about
        the outcome must be there. Each probability is the float nearest to the exact one.

        Raises
        ------
        QueryError
            A missing column or value, an unknown state, a case of probability zero, no cases at all.
        """
        return frame_posteriors(self.engine, self.statistic(level, question=question), self.visible(level), frame)

    def table(self, level: str | None = None, *, question: str | None = None) -> pd.DataFrame:
        """The sufficient statistic's values, their probability, and the posterior at each.

        Where a decision diagram is the better way, its classes of cases with one posterior take the place of the
        values. One row for each value of positive probability. ``frame.attrs["attributes"]`` says which
        visible variables each statistic column is computed from.
        """
        import pandas as pd

        asked = self.question(question)
        bound = self.statistic(level, question=asked.name)
        joint = bound.joint("exact")
        weights = joint.array.sum(axis=1)
        kept = np.flatnonzero(weights > 0)
        columns: dict[str, Any] = dict(bound.columns(kept))
        columns["probability"] = (weights[kept] / joint.denominator).astype(float)
        posteriors = bound.posteriors()[kept]
        for k, state in enumerate(self.network.variables[asked.asks].states):
            columns[f"P({asked.asks}={state})"] = posteriors[:, k]
        frame = pd.DataFrame(columns)
        frame.attrs["attributes"] = {
            node: shown for node, shown in bound.statistic.attributes.items() if node in columns
        }
        return frame

    def memo(self, level: str) -> Memo:
        """The memos of a level: attributes to text, and text back to attributes.

        Raises
        ------
        QueryError
            No such level, or the world has no memo.
        """
        from pbn.text.memo import memo_of

        self.level(level)
        if level not in self._memos:
            self._memos[level] = memo_of(self.spec, self.network, self.levels, level, self.name)
        return self._memos[level]

    def to_pgmpy(self, level: str | None = None) -> Any:
        """A pgmpy ``DiscreteBayesianNetwork`` with rules and their parts as deterministic CPDs.

        With a level, partial sums take that level's visible terms first, as pbn's own engine does.
        """
        from pbn.network.formats.pgmpy import to_pgmpy

        visible = () if level is None else self.level(level).visible
        return to_pgmpy(chained(self.network, visible), self.budget)


def question_about(network: Network, node: str) -> Question:
    """A question about a node of a network that comes without questions."""
    states = network.variables[node].states
    positive = next((state for state in states if state.casefold() in _POSITIVE), None) if len(states) == 2 else None
    return Question(name=node, asks=node, kind="yes/no" if positive else "choice", text="", positive=positive)


def _check_choice(kind: str, name: str, choices: Sequence[str]) -> None:
    if name not in choices:
        raise QueryError(
            Fault(
                code=f"query/unknown-{kind}",
                message=f"there is no {kind} {str(name)[:60]!r}",
                allowed=listing(choices),
                hint=nearest(str(name), choices),
            )
        )


def _entry(kind: str, name: str, entries: Mapping[str, _Entry]) -> _Entry:
    if name in entries:
        return entries[name]
    raise QueryError(
        Fault(
            code=f"query/unknown-{kind}",
            message=f"there is no {kind} {str(name)[:60]!r}",
            allowed=listing(entries),
            hint=nearest(str(name), entries),
        )
    )
