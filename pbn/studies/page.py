"""One page that holds everything: what was published, what we find, and all figures; no scripts, no other files."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from html import escape

from pbn.studies.study import NOT_THERE, Comparison, Record

STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, "DejaVu Sans", Verdana, sans-serif; color: #1b1f24; background: #fff;
       max-width: 72rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.6rem; }
h2 { font-size: 1.25rem; margin-top: 2.5rem; border-top: 1px solid #d5dae0; padding-top: 1.2rem; }
p { max-width: 48rem; } .faint { color: #57606a; } .quick { color: #a83f00; font-weight: 600; }
img { max-width: 100%; height: auto; display: block; margin: 1rem 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .86rem; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid #e3e7eb; }
th { border-bottom: 2px solid #6b7480; white-space: nowrap; }
td.why { color: #57606a; min-width: 14rem; }
.yes { color: #00785a; white-space: nowrap; } .no { color: #a83f00; font-weight: 700; white-space: nowrap; }
td:nth-child(2) { min-width: 9.5rem; } td .faint { white-space: nowrap; }
nav a { margin-right: 1rem; display: inline-block; }
@media print { body { max-width: none; } h2 { break-after: avoid; } img { break-inside: avoid; } }
"""
KINDS = {"exact": "exact", "counted": "counted", "bounded": "with a proved bound", "drawn": "depends on a draw"}
INTRODUCTION = (
    "The tables and figures of ProbabilityBench that need no other model, computed again. The published value stands "
    f"first, or “{NOT_THERE}”; then ours, how sure it is, and whether the two agree. Where they need not agree, "
    "because our source does not fix the number or makes no claim that we can test, there is a dash. The published "
    "rows cannot be drawn again, since their generator is not in our source: what depends on a draw agrees within a "
    "stated tolerance."
)
HEADS = ("quantity", "where", "published", "ours", "ours is", "agree", "why")


def page(records: Sequence[Record], pictures: Mapping[str, bytes]) -> str:
    """The page as HTML; ``pictures`` are PNGs by the name of the study."""
    tested = [one for record in records for one in record.comparisons if one.agrees is not None]
    agreed = sum(bool(one.agrees) for one in tested)
    links = "".join(f'<a href="#{record.name}">{escape(record.title)}</a>' for record in records)
    parts = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>Published figures and ours</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>",
        f"<h1>Published figures and ours</h1>\n<p>{INTRODUCTION}</p>",
        f"<p><strong>{agreed} of {len(tested)}</strong> comparisons that can be tested agree.</p>\n<nav>{links}</nav>",
        *(_section(record, pictures[record.name]) for record in records),
        "</main>\n</body>\n</html>\n",
    ]
    return "\n".join(parts)


def _section(record: Record, picture: bytes) -> str:
    name, data = record.name, base64.b64encode(picture).decode()
    files = ", ".join(f'<a href="{name}.{ending}">{ending.upper()}</a>' for ending in ("csv", "png", "pdf"))
    quick = ' <span class="quick">Quick: smaller samples than the full study.</span>' if record.quick else ""
    head = "".join(f"<th>{word}</th>" for word in HEADS)
    alt = f"{escape(record.title)}: a figure of the numbers in {name}.csv"
    return "\n".join(
        [
            f'<section>\n<h2 id="{name}">{escape(record.title)}</h2>',
            f'<p>{escape(record.about)}{quick} <span class="faint">{record.seconds:g} s; {files}</span></p>',
            f'<img alt="{alt}" src="data:image/png;base64,{data}">',
            f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>',
            *map(_row, record.comparisons),
            "</tbody></table></div>\n</section>",
        ]
    )


def _row(one: Comparison) -> str:
    mark = {True: '<td class="yes">✓ yes</td>', False: '<td class="no">✗ no</td>', None: "<td>—</td>"}[one.agrees]
    published = f'<span class="faint">{NOT_THERE}</span>' if one.published is None else escape(one.published)
    where = escape(one.where).replace(" = ", "&nbsp;=&nbsp;")
    cells = f"<td>{escape(one.quantity)}</td><td>{where}</td><td>{published}</td><td>{escape(one.ours)}</td>"
    return f'<tr>{cells}<td>{KINDS[one.kind]}</td>{mark}<td class="why">{escape(one.why)}</td></tr>'
