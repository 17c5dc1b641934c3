"""Small worlds with memos, drawn at random, and a second way to write their memos: from the format alone.

A `Draft` holds what a file says. `file_of` writes the file; `texts_of` writes every memo that a case can have at a
level, in plain Python without `pbn`.
"""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass, field

from hypothesis import strategies as st

NAMES = ("hue", "tone", "mood")
SMALL = (
    "a", "b", "ab", "a b", "b a", "ä", "é b", "a-b", "b, a", "A", "no a", "1",
    "2 b", "a, b", "b.", "{b}", "-", "5", "code xy x", "y then",
)  # fmt: skip
WORDS = ("the", "is", "and", "with", "so far", "naïve —", "it’s", "(that", "{then}")
ENDS = (".", "!", "; yes.", "")


@dataclass
class Draft:
    """What a file says of its text.

    ``states`` are those of each plain attribute, ``merged`` the two states and the groups of a merged one;
    ``phrases[name]`` maps (state of the other variable or None, own state) to phrasings, as (before, own, after)
    where the state's own text stands between, as (text,) where not. ``sentences`` are (label, phrasings); a
    phrasing is a list of words and (name,) slots.
    """

    states: dict[str, list[str]] = field(default_factory=dict)
    unit: str | None = None
    code: tuple[int, str] | None = None
    groups: int | None = None
    code_words: tuple[str, str] = ("", "")
    merged: dict[str, tuple[str, dict[str, list[str]]]] = field(default_factory=dict)
    by: dict[str, str] = field(default_factory=dict)
    phrases: dict[str, dict[tuple[str | None, str], list[tuple[str, ...]]]] = field(default_factory=dict)
    paragraphs: list[list[tuple[str, list[list[object]]]]] = field(default_factory=list)
    orders: list[list[list[int]]] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    levels: dict[str, list[str]] = field(default_factory=dict)
    has_variety: bool = False

    def states_of(self, name):
        if name == "code":
            return ["".join(row) for row in itertools.product(self.code[1], repeat=self.code[0])]
        return list(self.merged[name][1]) if name in self.merged else self.states[name]


# -- drawing -------------------------------------------------------------------------------------------


def own_word(name, state, k=0):
    """A word that no other state or variable has, and that stands in no other word."""
    names = (*NAMES, "pages", "share", "merged", "code")
    return "q" + "bcdfghjklm"[names.index(name)] + "npqrst"[k] + "".join("vwxyz"[int(d)] for d in f"{state:02}")


@st.composite
def drafts(draw, clean=None):
    """A draft; a ``clean`` one has phrases and words that cannot clash."""
    clean = draw(st.booleans()) if clean is None else clean
    draft = Draft()
    draft.has_variety = draw(st.booleans())
    for name in NAMES[: draw(st.integers(1, 3))]:
        draft.states[name] = [f"{name[0]}{k}" for k in range(draw(st.integers(2, 3)))]
    if draw(st.booleans()):
        start = draw(st.sampled_from([0, 0, 1, 9, 99]))
        draft.states["pages"] = [str(k) for k in range(start, start + draw(st.integers(2, 4)))]
    if draw(st.booleans()):
        draft.unit = draw(st.sampled_from(["", "%", "km", "°C"]))
        draft.states["share"] = ["0.0", "0.5", "1.0", "1.5"]
    if draw(st.booleans()):
        draft.code = draw(st.integers(2, 3)), draw(st.sampled_from(["ab", "xy", "aé"]))
        draft.groups = draw(st.sampled_from([None, 1, 2]))
    if len(draft.states["hue"]) == 3 and draw(st.booleans()):
        draft.merged["merged"] = ("hue", {"x0": ["h0", "h2"], "x1": ["h1"]})
    told = [*draft.states, *draft.merged, *["code"] * bool(draft.code)]
    _draw_levels(draw, draft)
    for name in told:
        _draw_phrases(draw, draft, name, clean)
    _draw_sentences(draw, draft, told, clean)
    asked = ["Is it so?", "Will it be, then?"]
    draft.questions = asked[: draw(st.integers(1, 2))]
    return draft


def _draw_levels(draw, draft):
    shown = [*draft.states, *["code"] * bool(draft.code)]
    draft.levels["low"] = shown
    for level in ("medium", "high")[: draw(st.integers(0, 2))]:
        kept = [name for name in shown if draw(st.integers(0, 3))]
        if "hue" in shown and "merged" in draft.merged and "hue" not in kept:
            kept.insert(0, "merged")
        shown = kept or shown
        draft.levels[level] = shown


def _draw_phrases(draw, draft, name, clean):
    def words(k, state):
        if clean:
            return own_word(name, draft.states_of(name).index(state), k)
        return " ".join(draw(st.lists(st.sampled_from(SMALL), min_size=1, max_size=3)))

    if name == "code":
        draft.code_words = (draw(st.sampled_from(["code ", "", "a "])), draw(st.sampled_from(["", " then", "!"])))
        if clean:
            draft.code_words = ("qcode ", draft.code_words[1])
        return
    number = name in ("pages", "share")
    if not draw(st.integers(0, 4)) and not (clean and number):
        return  # reads as its own name; a bare number stands inside much else
    by = draw(st.sampled_from([None, None, None, *(other for other in draft.states if other != name)]))
    if by is not None:
        draft.by[name] = by
    table = {}
    for other in draft.states_of(by) if by else [None]:
        around = words(2, draft.states_of(name)[0])
        for state in draft.states_of(name):
            how = draw(st.sampled_from(["own", "own", "own", "words"] if number else ["words", "words", "own"]))
            count = draw(st.integers(1, 2)) if draft.has_variety else 1
            if how == "own" and number:
                table[other, state] = [("", "{}", f" {around}")]
            elif how == "own":
                table[other, state] = [(f"{words(k + 3, state)} ", "{}", "") for k in range(count)]
            else:
                table[other, state] = [(words(k, state),) for k in range(count)]
    draft.phrases[name] = table


def _draw_sentences(draw, draft, told, clean):
    told = draw(st.permutations(told))
    if not draw(st.integers(0, 9)):
        told = told[1:] or told
    groups, rest = [], list(told)
    while rest:
        size = draw(st.integers(1, 2))
        groups.append(rest[:size])
        rest = rest[size:]
    for _ in range(draw(st.integers(0, 2))):
        groups.insert(draw(st.integers(0, len(groups))), [])
    fixed = st.sampled_from(WORDS if clean else (*WORDS, "a", "b", "ab", "1", ""))
    paragraphs, labels = [[]], itertools.count()
    for names in groups:
        if paragraphs[-1] and not draw(st.integers(0, 2)):
            paragraphs.append([])
        phrasings = []
        for k in range(draw(st.integers(1, 2)) if draft.has_variety else 1):
            pieces = [draw(fixed).capitalize()]
            for name in draw(st.permutations(names)) if k else names:
                blank = " " if clean or draw(st.integers(0, 5)) else ""
                pieces += [blank if pieces else "", (name,), blank + draw(fixed)]
            pieces.append(draw(st.sampled_from([".", "!"] if clean else ENDS)))
            if not names and not "".join(pieces).strip():
                pieces = ["So."]
            phrasings.append(joined(pieces))
        paragraphs[-1].append((f"s{next(labels)}", phrasings))
    draft.paragraphs = paragraphs
    for paragraph in paragraphs:
        own = list(range(len(paragraph)))
        more = draft.has_variety and len(own) > 1 and draw(st.booleans())
        draft.orders.append([own, own[::-1]] if more else [own])


def joined(pieces):
    """Neighbouring words as one, blanks as a file's reader leaves them: single, none at the ends."""
    found = []
    for piece in pieces:
        if isinstance(piece, str) and found and isinstance(found[-1], str):
            found[-1] += piece
        else:
            found.append(piece)
    words = [" ".join(f"|{p}|".split())[1:-1] if isinstance(p, str) else p for p in found]
    if isinstance(words[0], str):
        words[0] = words[0].lstrip()
    if isinstance(words[-1], str):
        words[-1] = words[-1].rstrip()
    return [word for word in words if word != ""]


# -- as a file -----------------------------------------------------------------------------------------


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


def _escaped(text):
    return text.replace("{", "{{").replace("}", "}}")


def _phrase(parts):
    return quoted("".join(part if part == "{}" else _escaped(part) for part in parts))


def _several(texts):
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def _sentence(pieces):
    return quoted("".join(_escaped(piece) if isinstance(piece, str) else f"{{{piece[0]}}}" for piece in pieces))


def file_of(draft):
    lines = ["name: drawn", "title: Drawn", "variables:"]
    for name, states in draft.states.items():
        if name == "share":
            lines.append("  level: {states: [l0, l1]}")
            lines.append(
                f"  share: {{measured: level, unit: {quoted(draft.unit)}, from: 0, to: 1.5, step: .5, cuts: [1]}}"
            )
        else:
            lines.append(f"  {name}: {{states: [{', '.join(map(quoted, states))}]}}")
    if draft.code:
        lines.append(f"  code: {{repeat: {draft.code[0]}, states: [{', '.join(draft.code[1])}]}}")
    for name, (of, groups) in draft.merged.items():
        into = ", ".join(f"{new}: [{', '.join(olds)}]" for new, olds in groups.items())
        lines.append(f"  {name}: {{merge: {of}, into: {{{into}}}}}")
    lines += ["  noise: {states: [n0, n1], role: residual}", "  asked: {rule: \"hue == 'h0' and noise == 'n0'\"}"]
    lines.append("questions:")
    for k, text in enumerate(draft.questions):
        lines.append(f"  asked_{k}: {{asks: asked, kind: yes/no, text: {quoted(text)}}}")
    lines.append("levels:")
    lines += [f"  {level}: {{show: [{', '.join(shown)}]}}" for level, shown in draft.levels.items()]
    lines += ["memo:", "  paragraphs:"]
    for paragraph, orders in zip(draft.paragraphs, draft.orders, strict=True):
        lines.append("  - sentences:")
        lines += [f"      {label}: {_several([_sentence(p) for p in texts])}" for label, texts in paragraph]
        more = [f"[{', '.join(paragraph[k][0] for k in order)}]" for order in orders[1:]]
        lines += [f"    orders: [{', '.join(more)}]"] if more else []
    used = {name for paragraph in draft.paragraphs for _, texts in paragraph for name in told_by(texts[0])}
    lines.append("  phrases:")
    lines += list(_phrase_lines(draft, used))
    if lines[-1] == "  phrases:":
        lines.pop()
    return "\n".join(lines) + "\n"


def _phrase_lines(draft, used):
    if draft.code and "code" in used:
        before, after = draft.code_words
        groups = f", groups: {draft.groups}" if draft.groups else ""
        yield f"    code: {{code: {_phrase((before, '{}', after))}{groups}}}"
    for name, table in draft.phrases.items():
        if name not in used:
            continue
        yield f"    {name}:"
        indent = "      "
        if name in draft.by:
            yield f"      by: {draft.by[name]}"
            indent += "  "
        for other in dict.fromkeys(other for other, _ in table):
            if other is not None:
                yield f"      {other}:"
            for (row, state), texts in table.items():
                if row == other:
                    yield f"{indent}{quoted(state)}: {_several([_phrase(parts) for parts in texts])}"


# -- every memo of a case, written from the format alone --------------------------------------------------


def cases_of(draft, level):
    """Every case of a level: name → state."""
    names = draft.levels[level]
    for row in itertools.product(*(draft.states_of(name) for name in names)):
        yield dict(zip(names, row, strict=True))


def with_merged(draft, case):
    """A case with what follows from it."""
    found = dict(case)
    for name, (of, groups) in draft.merged.items():
        if of in case:
            found[name] = next(new for new, olds in groups.items() if case[of] in olds)
    return found


def told_by(pieces):
    return {piece[0] for piece in pieces if not isinstance(piece, str)}


def shown_paragraphs(draft, level):
    """The sentences that a level shows, with the orders that are left of them."""
    somewhere = {name for shown in draft.levels.values() for name in shown}
    for paragraph, orders in zip(draft.paragraphs, draft.orders, strict=True):
        kept = [
            k for k, (_, texts) in enumerate(paragraph)
            if not (told_by(texts[0]) - set(draft.levels[level])) & somewhere
        ]  # fmt: skip
        if kept:
            yield [[paragraph[k][1] for k in order if k in kept] for order in orders]


def phrases_of(draft, name, case):
    """The ways in which a case's state of a slot reads."""
    if name == "code":
        size = draft.groups or draft.code[0]
        row = "-".join(case["code"][k : k + size] for k in range(0, draft.code[0], size))
        return [draft.code_words[0] + row + draft.code_words[1]]
    state = case[name]
    if name not in draft.phrases:
        unit = draft.unit if name == "share" else ""
        return [state + (unit if unit in ("", "%") else f" {unit}")]
    other = case[draft.by[name]] if name in draft.by else None
    return ["".join(state if part == "{}" else part for part in parts) for parts in draft.phrases[name][other, state]]


def texts_of(draft, level, case, most=200):
    """Every memo of a case: all orders, phrasings and phrases; None where the level lacks what the text needs."""
    case = with_merged(draft, case)
    parts = []
    for orders in shown_paragraphs(draft, level):
        ways = []
        for sentences in orders:
            for chosen in itertools.product(*sentences):
                pieces = joined_sentences(chosen)
                names = [piece[0] for piece in pieces if not isinstance(piece, str)]
                needed = {*names, *(draft.by[name] for name in names if name in draft.by)}
                if not needed <= set(case):
                    return None
                for filled in itertools.product(*(phrases_of(draft, name, case) for name in names)):
                    left = iter(filled)
                    ways.append("".join(p if isinstance(p, str) else next(left) for p in pieces))
        parts.append(list(dict.fromkeys(ways)))
    endings = dict.fromkeys([" ".join(draft.questions), *draft.questions])
    found = itertools.product(*parts, endings)
    return ["\n\n".join(paragraphs) for paragraphs in itertools.islice(found, most)]


def joined_sentences(sentences):
    found = []
    for k, pieces in enumerate(sentences):
        found += [" "] * bool(k)
        found += pieces
    return found
