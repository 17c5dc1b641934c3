"""Worlds that ship, each with one thing wrong."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import pbn

TIED = "\n    given: {asked}\n    p: {{no: [.9, .1], yes: [.1, .9]}}"
ONE_OF = "\n    given: queue\n    p: {{{rows}, general desk: [.1, .9]}}".format(
    rows=", ".join(
        f"{queue}: [.9, .1]"
        for queue in ("incidents", "accounts", "billing", "privacy", "identity", "developers", "product help")
    )
)
CLAIMS = "claims: [strictly_nested, positive_bayes_error, "


@dataclass(frozen=True)
class Mutation:
    """A passage of a shipped file and what stands in its place; ``caught`` are all checks that fail then."""

    world: str
    what: str
    old: str
    new: str
    caught: frozenset[str]

    def text(self) -> str:
        source = source_of(self.world)
        assert source.count(self.old) == 1, self
        return source.replace(self.old, self.new)


@cache
def source_of(world: str) -> str:
    return pbn.shipped_worlds()[world].read_text(encoding="utf-8")


def _mutation(world: str, what: str, old: str, new: str, *caught: str) -> Mutation:
    return Mutation(world, what, old, new, frozenset(caught))


FORMULA = "26 / (26 + (2 if tag_range == 'y-z' else 4))"
FORMULAS_FAIL = ("closed_form_complete", "closed_form_sampled")
IRRELEVANT = ("irrelevant_separated", "irrelevant_error", "irrelevant_posteriors")
LOADED = [
    _mutation("covert_transfer", "a formula with a wrong number", FORMULA, FORMULA.replace("26 /", "25 /"),
              *FORMULAS_FAIL),
    _mutation("covert_transfer", "a formula that always says the same", f"0 if site_range != tag_range else {FORMULA}",
              f"0 * rank(site_range) + {FORMULA}", *FORMULAS_FAIL, "engines_agree", "irrelevant_error",
              "irrelevant_posteriors", "strictly_nested", "published_values"),
    _mutation("covert_transfer", "a formula above 1", "26 / 27 if site_letter == tag", "28 / 27 if site_letter == tag",
              "closed_form_range", *FORMULAS_FAIL),
    _mutation("covert_transfer", "a formula below 0", "26 / 27 if site_letter == tag else 0",
              "26 / 27 if site_letter == tag else -1", "closed_form_range", *FORMULAS_FAIL),
    _mutation("covert_transfer", "an irrelevant field tied to the outcome", "[main store, mirror]",
              "[main store, mirror]" + TIED.format(asked="encoding"), "irrelevant_separated", *FORMULAS_FAIL,
              "engines_agree"),
    _mutation("covert_transfer", "nothing uncertain", "[no, yes]\n  position", "[no, yes]\n    p: [1, 0]\n  position",
              "positive_bayes_error", "strictly_nested", "published_values", *FORMULAS_FAIL),
    _mutation("covert_transfer", "a published value changed", "value: 0.074", "value: 0.075", "published_values"),
    _mutation("covert_transfer", "a level that hides nothing", "show: [identifier, tag_block]\n    closed_form: "
              "{encoding: probability_by_block}", "show: [identifier, tag_range]", "strictly_nested",
              "published_values", "text_separated", "text_invariant", "text_decodes"),  # no level shows the block
    _mutation("credit_risk", "an irrelevant field tied to the outcome", "[June, December]",
              "[June, December]" + TIED.format(asked="default"), *IRRELEVANT),
    _mutation("credit_risk", "a factor that does nothing", "values: [1,       3,        5]", "values: [3, 3, 3]",
              "every_factor_matters", "strictly_nested", "published_values"),
    _mutation("credit_risk", "no residual", "net_position + residual < 0", "net_position < 0",
              "positive_bayes_error", "published_values"),
    _mutation("credit_risk", "a published value changed", "value: 0.211", "value: 0.212", "published_values"),
    _mutation("credit_risk", "a level that hides nothing", "high:   {hide: [cash_buffer, principal_due]}",
              "high: {hide: [cash_buffer, office_floor]}", "strictly_nested"),
    _mutation("peer_review", "an irrelevant field tied to the outcome", "[one column, two columns]",
              "[one column, two columns]" + TIED.format(asked="accepted"), *IRRELEVANT),
    _mutation("peer_review", "a factor that does nothing", "{theoretical: 1.0, empirical: 1.0, applied: 0.5}}",
              "{theoretical: 0, empirical: 0, applied: 0}}", "every_factor_matters", "published_values"),
    _mutation("peer_review", "no residual", "score + residual >= 11.5", "score >= 11.5", "positive_bayes_error",
              "published_values"),
    _mutation("peer_review", "a published value changed", "value: 0.241", "value: 0.242", "published_values"),
    _mutation("peer_review", "a level that hides nothing", "hide: [novelty, validity]", "hide: [novelty, authors]",
              "strictly_nested", "text_complete", "text_decodes"),  # authors share a sentence with what the level shows
    _mutation("support_ticket", "an irrelevant field tied to the outcome", "[light, dark]", "[light, dark]" + ONE_OF,
              *IRRELEVANT),
    _mutation("support_ticket", "no slip", "slip: .06 ", "slip: 0 ", "positive_bayes_error"),
    _mutation("support_ticket", "a factor that does nothing to one question", CLAIMS,
              CLAIMS + "every_factor_matters, ", "every_factor_matters"),
    _mutation("support_ticket", "a claim about nothing", CLAIMS, CLAIMS + "published_values, ", "published_values"),
    _mutation("support_ticket", "a level that hides nothing",
              "hide: [topic, impact, product, customer_tier, hours_waiting]", "hide: [topic, impact, display_theme]",
              "strictly_nested"),
]  # fmt: skip

REFUSED = [
    _mutation("covert_transfer", "a letter in two ranges", "    merge: tag\n    into: {a-d: a..d,",
              "    merge: tag\n    into: {a-d: a..e,",
              "spec/duplicate-state"),
    _mutation("covert_transfer", "a level that is not nested", "show: [identifier, tag_block]",
              "show: [identifier, tag_block, tag]", "spec/duplicate-variable"),
    _mutation("covert_transfer", "a coarser level that shows the tag", "  high:\n    hide: [tag]\n",
              "  high:\n    hide: []\n",
              "spec/level-not-nested"),
    _mutation("credit_risk", "a level that is not nested", "hide: [cash_buffer, principal_due]",
              "hide: [principal_due]",
              "spec/level-not-nested"),
    _mutation("peer_review", "a level that is not nested", "hide: [novelty, validity]", "hide: [validity]",
              "spec/level-not-nested"),
    _mutation("support_ticket", "a level that is not nested",
              "hide: [topic, impact, product, customer_tier, hours_waiting]",
              "hide: [topic, product, customer_tier, hours_waiting]",
              "spec/level-not-nested"),
    _mutation("covert_transfer", "a latent letter shown", "show: [identifier]", "show: [identifier, drawn]",
              "spec/level-shows"),
    _mutation("credit_risk", "the residual shown", "low:    {hide: []}", "low: {hide: [], show: [residual]}",
              "spec/level-shows"),
    _mutation("peer_review", "the residual shown", "low:    {hide: []}", "low: {hide: [], show: [residual]}",
              "spec/level-shows"),
    _mutation("support_ticket", "the residual shown", "low:    {hide: []}", "low: {hide: [], show: [clerical_slip]}",
              "spec/level-shows"),
    _mutation("covert_transfer", "a formula of what is hidden", "26 / 27 if site_letter == tag else 0",
              "26 / 27 if encoding == 'yes' else 0", "spec/closed-form"),
    _mutation("covert_transfer", "a position that the identifier does not have", "error report: 13}",
              "error report: 17}",
              "rule/undefined"),
]  # fmt: skip
