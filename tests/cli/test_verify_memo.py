from __future__ import annotations

import json
import time

import pytest

from tests.text.test_recover import CASE, PARAPHRASE, TOLD


@pytest.fixture
def verify(pbn_command, tmp_path):
    def run(text, attributes, *more, level="medium"):
        (tmp_path / "m.txt").write_text(text, encoding="utf-8")
        held = attributes if isinstance(attributes, str) else json.dumps(attributes)
        (tmp_path / "a.json").write_text(held, encoding="utf-8")
        paths = [str(tmp_path / "m.txt"), "--attributes", str(tmp_path / "a.json")]
        return pbn_command("verify-memo", "credit_risk", *paths, "--level", level, *more)

    return run


def test_a_text_that_tells_the_attributes(verify):
    result = verify(PARAPHRASE, CASE)
    assert result.exit_code == 0
    assert "✗" not in result.stdout
    assert result.stdout.count("✓") == len(CASE) + 1
    assert "tells exactly the attributes" in result.stdout
    assert "does not prove that the text leaks nothing" in " ".join(result.stdout.split())


def test_a_text_that_does_not(verify):
    result = verify(PARAPHRASE, {**CASE, "cycle": "expansion", "employees": 151})
    assert result.exit_code == 1
    assert result.stdout.count("✗") == 2
    assert f"2 of {len(CASE)} attributes not told" in result.stdout


def test_a_hidden_phrase(verify):
    result = verify(PARAPHRASE + "It has a limited cash reserve.", CASE)
    assert result.exit_code == 1
    assert "✗ tells cash_buffer, which is hidden: 'a limited cash reserve'" in result.stdout
    assert "tells all the attributes, and 1 that the level hides" in result.stdout
    assert "exactly" not in result.stdout


def test_as_json(verify):
    text = (
        PARAPHRASE.replace("150 employees", "3-500 employees") + "In a phase of expansion with a limited cash reserve."
    )
    result = verify(text, {**CASE, "sector": "healthcare"}, "--json")
    assert result.exit_code == 1
    record = json.loads(result.stdout)
    assert (record["passed"], record["agrees"]) == (False, False)
    assert record["expected"] == {**TOLD, "sector": "healthcare"}
    assert record["different"] == {"sector": {"expected": "healthcare", "found": "technology"}}
    assert record["ambiguous"] == {"cycle": ["steady", "expansion"]}
    assert record["malformed"] == {"employees": ["-500 employees"]}
    assert record["hidden"] == {"cash_buffer": ["a limited cash reserve"]}
    assert record["missing"] == []
    good = json.loads(verify(PARAPHRASE, CASE, "--json").stdout)
    assert good["passed"] is True
    assert good["found"] == TOLD


def test_numbers_keep_their_digits(verify):
    text = json.dumps(CASE)
    assert '"top_customer_share": 34.5' in text
    assert verify(PARAPHRASE, text.replace("34.5", "34.50")).exit_code == 0
    result = verify(PARAPHRASE, text.replace("34.5", "34.500000000000000000001"))
    assert result.exit_code == 2
    assert "34.500000000000000000001" in result.stderr
    assert verify(PARAPHRASE, text.replace("150", "1.5e2")).exit_code == 0
    assert verify(PARAPHRASE, text.replace("150", "9" * 5000)).exit_code == 2


@pytest.mark.parametrize(("attributes", "code", "words"), [
    ("", "cli/attributes", "is no JSON"), ("{", "cli/attributes", "is no JSON"), ("[1]", "cli/attributes", "holds no"),
    ("5", "cli/attributes", "holds no"), ("null", "cli/attributes", "holds no"),
    ('{"sector": null}', "cli/attributes", "sector is no state"),
    ('{"sector": {"a": 1}}', "cli/attributes", "sector is no state"),
    ('{"sector": true}', "cli/attributes", "sector is no state"),
    ('{"sector": NaN}', "cli/attributes", "sector is no state"),
    ('{"sector": "technology", "sector": "healthcare"}', "cli/attributes", "gives sector twice"),
    ("[" * 100_000, "cli/attributes", "is no JSON"), ("{}", "text/missing-attribute", "sector"),
    ('{"sektor": "technology"}', "query/unknown-variable", "sektor"),
    ('{"sector": "tech"}', "query/unknown-state", "tech"), ('{"sector": ["a", "b"]}', "query/unknown-state", "sector"),
])  # fmt: skip
def test_attributes_that_are_none(verify, attributes, code, words):
    result = verify(PARAPHRASE, attributes)
    assert result.exit_code == 2
    assert code in result.stderr
    assert words in result.stderr.replace("\n", " ")
    assert len(result.stderr) < 2_000
    assert result.stdout == ""


def test_many_attributes_take_no_square_of_their_number(verify):
    start = time.perf_counter()
    result = verify(PARAPHRASE, "{" + ",".join(f'"k{k}": 1' for k in range(100_000)) + "}")
    assert "query/unknown-variable" in result.stderr
    assert time.perf_counter() - start < 20  # comparing each name with all takes minutes


def test_an_empty_text(verify):
    result = verify("", CASE)
    assert result.exit_code == 1
    assert result.stdout.count("nothing") >= len(CASE)
