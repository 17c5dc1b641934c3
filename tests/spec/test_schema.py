"""The JSON Schema that editors use: good worlds pass it, bad ones do not."""

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from pbn.spec import json_schema, load_spec

WORLDS = sorted((Path(__file__).parents[2] / "worlds").glob("*.yaml"))
GOOD = {
    "name": "demo", "title": "A demonstration",
    "parameters": {"m": 4, "half": "1 / 2"},
    "variables": {
        "cash": {"states": ["weak", "strong"], "p": [0.5, "half"], "values": [1, 2]},
        "cycle": {"states": "1..3"},
        "debt": {"states": ["no", "yes"], "given": "cash", "p": {"weak": [0, 1], "strong": {"no": 1, "yes": "0"}}},
        "total": {"rule": "cash + 1"},
        "grade": {"states": ["a", "b"], "first": [["cash > 1", "a"]], "else": "b"},
        "points": {"of": "grade", "values": {"a": 1, "b": 2}},
        "kind": {"merge": "cycle", "into": {"low": "1..2", "high": [3]}},
        "share": {"measured": "cash", "unit": "%", "from": 0, "to": 100, "step": 0.1, "cuts": [25]},
        "pages": {"count": {"lognormal": {"median": 3, "scale": 1}, "from": 0, "to": 9}, "role": "irrelevant"},
    },
    "questions": {"grade": {"asks": "grade", "kind": "yes/no", "positive": "a", "text": "Is it?"}},
    "levels": {"low": {"hide": []}, "high": {"hide": ["share"]}},
    "claims": ["strictly_nested"],
    "published": [{"quantity": "prior", "question": "grade", "value": 0.2, "source": "A book"}],
}  # fmt: skip


@pytest.fixture(scope="module")
def validator():
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def changed(**variables):
    return {**GOOD, "variables": {**GOOD["variables"], **variables}}


def test_a_good_world(validator):
    validator.validate(GOOD)


@pytest.mark.parametrize("path", WORLDS, ids=lambda path: path.stem)
@pytest.mark.parametrize("loader", [yaml.BaseLoader, yaml.SafeLoader])
def test_the_worlds_that_ship_pass_however_an_editor_reads_scalars(path, loader, validator):
    assert load_spec(path)
    data = yaml.load(path.read_text(encoding="utf-8"), loader)
    validator.validate(json.loads(json.dumps(data)))


@pytest.mark.parametrize("bad", [
    [], {}, {**GOOD, "titel": "x"}, {**GOOD, "variables": {}}, {**GOOD, "levels": []}, {**GOOD, "claims": ["sound"]},
    {**GOOD, "name": "Demo"}, {**GOOD, "questions": {"q": {"asks": "cash", "kind": "open", "text": "T"}}},
    changed(v={"states": ["a"], "rule": "cash"}, w={"states": ["a"], "p": [1], "rule": "cash"}),
    changed(v={}), changed(v=[]), changed(v={"text": "nothing"}), changed(v={"states": ["a"], "role": "hidden"}),
    changed(v={"states": ["a"], "cuts": [1]}), changed(v={"of": "cash"}), changed(v={"states": ["a"], "p": [[1]]}),
    changed(v={"first": [["a"]], "else": "b", "states": ["a", "b"]}), changed(v={"count": {"from": 1}}),
    changed(v={"states": ["a"], "role": None}),
], ids=str)  # fmt: skip
def test_bad_worlds(bad, validator):
    assert not validator.is_valid(bad)


def test_every_key_is_described():
    schema = json_schema()
    described = [part["properties"] for name, part in schema["$defs"].items() if name.endswith("Variable")]
    assert all("description" in value or "$ref" in value for part in described for value in part.values())
    assert all(part.get("description") for name, part in schema["$defs"].items() if name != "Cell")


def test_no_key_may_be_null():
    assert '"null"' not in json.dumps(json_schema())
