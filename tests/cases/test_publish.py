"""Publications: every row once, nothing to read off, a card and a Croissant description that say what is so."""

from __future__ import annotations

import hashlib
import json
import logging
import re
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pyarrow.parquet as parquet
import pytest
import yaml
from markdown_it import MarkdownIt

import pbn
from pbn.cases.dataset import make_dataset
from pbn.cases.layout import split_runs
from pbn.cases.plan import DatasetPlan
from pbn.cases.publish import publish
from pbn.cases.published import read_publication, verify_publication
from pbn.cases.records import Contents
from pbn.cases.terms import LICENCES, Terms
from tests.cli.conftest import ODD_WORLD

TICKET, CREDIT = (pbn.shipped_worlds()[name].read_text() for name in ("support_ticket", "credit_risk"))
ODD_STATES = ODD_WORLD.replace('"a=b"', '"a|b`c <i>"').replace("A [bold]", "A | `b` <i> *x* [bold]")


def draw(root, text, seed=1, start=0, stop=40, levels=("low", "high"), form="parquet", memo=True, **options):
    contents = Contents(levels=levels, memo=memo, question=options.pop("question", None))
    plan = DatasetPlan(source=text, seed=seed, start=start, stop=stop, form=form, contents=contents, **options)
    make_dataset(plan, root)
    return root


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """Two seeds of one world, one of them in parts and across the splits, and another world."""
    root = tmp_path_factory.mktemp("drawn")
    return [
        draw(root / "b", CREDIT, seed=2033, start=980, stop=1520, part_rows=270),
        draw(root / "a", CREDIT, seed=2032, stop=1500),
        draw(root / "c", TICKET),
    ]


@pytest.fixture(scope="module")
def hub(drawn, tmp_path_factory):
    out = tmp_path_factory.mktemp("hub") / "hub"
    publish(drawn, out)
    return out


@pytest.fixture(scope="module")
def manifest(hub):
    return read_publication(hub)


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """A world with names that break Markdown, in JSON Lines."""
    root = tmp_path_factory.mktemp("odd")
    draw(root / "data", ODD_STATES, levels=("fine", "coarse"), form="jsonl", memo=False, start=995, stop=1005)
    publish([root / "data"], root / "hub", Terms(title="A | `b` <i>", creator='X & "Y"', date="2026-01-31"))
    return root / "hub"


def read(path):
    return pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_json(path, lines=True, dtype=False)


def head_of(hub):
    return yaml.safe_load((hub / "README.md").read_text().split("---\n")[1])


def files_of(hub, config, split):
    (entry,) = [one for one in head_of(hub)["configs"] if one["config_name"] == config]
    (glob,) = [one["path"] for one in entry["data_files"] if one["split"] == split]
    return sorted(hub.glob(glob))


# -- the rows ----------------------------------------------------------------------------------------


def test_a_row_is_in_the_split_of_its_number():
    for start, stop in ((0, 1), (0, 5000), (999, 1001), (1499, 1501), (1500, 1501), (10**9, 10**9 + 2)):
        runs = list(split_runs(start, stop))
        assert [row for _, begin, end in runs for row in range(begin, end)] == list(range(start, stop))
        assert all(
            (name == "train") == (end <= 1000) and (name == "further") == (begin >= 1500) for name, begin, end in runs
        )


def test_every_row_of_the_input_is_in_exactly_one_split(drawn, hub):
    for config in head_of(hub)["configs"]:
        world, _, what = config["config_name"].partition("-")
        kind = what if what in ("labels", "truth") else f"cases-{what}"
        inputs = [root for root in drawn if json.loads((root / "manifest.json").read_text())["world"] == world]
        expected = pd.concat([pd.read_parquet(root / f"{kind}.parquet") for root in inputs])
        found = pd.concat([read(path) for one in config["data_files"] for path in sorted(hub.glob(one["path"]))])
        if "cases" not in kind:
            assert list(found.columns[:4]) == ["id", "level", "seed", "row"]
            found = found.drop(columns="seed")
        assert found["id"].is_unique or kind == "labels"
        key = ["id"]
        for frame in (expected, found):
            frame[frame.select_dtypes("category").columns] = frame.select_dtypes("category").astype(str)
        one, other = (frame.sort_values(key).reset_index(drop=True) for frame in (expected, found))
        pd.testing.assert_frame_equal(one, other, check_dtype=False, check_categorical=False)
        for entry in config["data_files"]:
            if kind in ("labels", "truth"):
                rows = pd.concat([read(path) for path in hub.glob(entry["path"])])["row"]
                low, high = {"train": (0, 999), "test": (1000, 1499), "further": (1500, 10**9)}[entry["split"]]
                assert rows.between(low, high).all()


def test_labels_and_truth_say_the_seed(hub):
    for config in ("credit_risk-labels", "credit_risk-truth"):
        for split, seeds in (("train", {2032, 2033}), ("further", {2033})):
            for path in files_of(hub, config, split):
                seed = int(re.search(r"-seed-(\d+)-", path.name)[1])
                assert set(read(path)["seed"]) == {seed}
            assert {int(re.search(r"-seed-(\d+)-", path.name)[1]) for path in files_of(hub, config, split)} == seeds


def test_what_a_model_reads_holds_nothing_but_what_its_level_shows(hub, manifest):
    worlds = {name: pbn.load(name) for name in ("credit_risk", "support_ticket")}
    for entry in manifest["files"]:
        if entry["kind"] == "cases":
            columns = list(read(hub / entry["path"]).columns)
            assert columns == ["id", *worlds[entry["world"]].levels[entry["level"]].visible, "memo"]


def test_types_encoding_and_metadata_are_kept(drawn, hub):
    made, given = (
        parquet.ParquetFile(path)
        for path in (files_of(hub, "credit_risk-low", "test")[0], drawn[1] / "cases-low.parquet")
    )
    for field in given.schema_arrow:
        name = str(made.schema_arrow.field(field.name).type)
        assert name == (str(field.type) if "dictionary" not in str(field.type) else "string")
    sector = made.metadata.row_group(0).column(1)
    assert "RLE_DICTIONARY" in sector.encodings
    assert sector.compression == "ZSTD"
    about = json.loads(made.schema_arrow.metadata[b"pbn"])
    assert (about["seed"], about["level"], about["rows"], about["split"]) == (2032, "low", [1000, 1500], "test")
    assert re.fullmatch(r"[0-9a-f-]{36}", about["canary"])


def test_canaries_are_one_for_each_law_and_seed(hub, manifest):
    canaries = [data_set["canary"] for data_set in manifest["data_sets"]]
    assert len(set(canaries)) == 3
    assert all(canary in (hub / "README.md").read_text() for canary in canaries)


# -- the folder --------------------------------------------------------------------------------------


def test_the_manifest_lists_every_file(hub, manifest):
    there = {path.relative_to(hub).as_posix(): path for path in hub.rglob("*") if path.is_file()}
    assert set(there) == {entry["path"] for entry in manifest["files"]} | {"manifest.json"}
    for entry in manifest["files"]:
        data = there[entry["path"]].read_bytes()
        assert (len(data), hashlib.sha256(data).hexdigest()) == (entry["bytes"], entry["sha256"])
    assert (hub / "worlds" / "credit_risk.yaml").read_text() == CREDIT


def test_the_same_input_gives_the_same_bytes(drawn, hub, tmp_path):
    publish(drawn[::-1], tmp_path / "again")
    for path in hub.rglob("*"):
        if path.is_file():
            assert path.read_bytes() == (tmp_path / "again" / path.relative_to(hub)).read_bytes(), path


def test_a_second_run_writes_nothing(drawn, hub, manifest):
    before = {path: path.stat().st_mtime_ns for path in hub.rglob("*")}
    assert publish(drawn, hub) == manifest
    assert {path: path.stat().st_mtime_ns for path in hub.rglob("*")} == before


def test_nothing_is_left_of_a_run_that_fails(drawn, tmp_path, monkeypatch):
    monkeypatch.setattr("pbn.cases.publish.card", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        publish(drawn[2:], tmp_path / "hub")
    assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    (tmp_path / ".hub.part" / "data").mkdir(parents=True)  # what a killed run leaves
    (tmp_path / ".hub.part" / "data" / "old").write_text("old")
    publish(drawn[2:], tmp_path / "hub")
    assert [path.name for path in tmp_path.iterdir()] == ["hub"]
    assert not list(tmp_path.rglob("old"))


def test_a_published_folder_can_be_verified(hub, manifest, odd):
    found = verify_publication(hub, manifest)
    assert found.passed
    assert found.files == len(manifest["files"])
    assert not found.other_bytes
    assert verify_publication(odd, read_publication(odd)).passed


def test_what_was_changed_is_found(drawn, tmp_path):
    root = tmp_path / "hub"
    publish(drawn[2:], root)
    path = files_of(root, "support_ticket-truth", "train")[0]
    frame = pd.read_parquet(path)
    frame.loc[3, "p_angry_yes"] = 0.5
    frame.to_parquet(path)
    (root / "data" / "more.txt").write_text("")
    (root / ".gitattributes").write_text("")  # as hubs add
    manifest = json.loads((root / "manifest.json").read_text())
    (entry,) = [entry for entry in manifest["files"] if entry["path"] == path.relative_to(root).as_posix()]
    entry["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    manifest["files"].append({"path": "../../etc/passwd", "sha256": ""})
    (root / "manifest.json").write_text(json.dumps(manifest))
    told = [str(difference) for difference in verify_publication(root, read_publication(root)).differences]
    assert len(told) == 3
    assert "lists ../../etc/passwd" in told[0]
    assert told[1] == "data/more.txt: is no file of the publication"
    assert "line 4, column p_angry_yes: 0.5, should be" in told[2]


# -- the card ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("which", ["hub", "odd"])
def test_the_head_of_the_card_names_exactly_the_files_that_exist(which, request):
    hub = request.getfixturevalue(which)
    head = head_of(hub)
    globs = [one["path"] for config in head["configs"] for one in config["data_files"]]
    found = [path for glob in globs for path in hub.glob(glob)]
    assert sorted(found) == sorted(path for path in (hub / "data").rglob("*") if path.is_file())
    assert all(hub.glob(glob) for glob in globs)
    assert head["license"] == "cc-by-4.0"
    assert head["size_categories"] == [{"hub": "1K<n<10K", "odd": "n<1K"}[which]]
    assert ("text-classification" in head["task_categories"]) == (which == "hub")


def cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def test_the_exact_table_is_that_of_the_world(hub):
    text = (hub / "README.md").read_text()
    for name, title in (("credit_risk", "Default"), ("support_ticket", "Triage")):
        part = text[text.index(f"## {title}") :].split("\n## ")[0]
        world = pbn.load(name)
        exact = [
            row for row in map(cells, part.split("As exact fractions")[1].split("</details>")[0].splitlines()) if row
        ]
        rounded = [
            row for row in map(cells, part.split("### Exact figures")[1].split("<details>")[0].splitlines()) if row
        ]
        lines = [
            (question, level, world.bayes_error(level, question=question))
            for question in world.questions
            for level in ("low", "high")
        ]
        for question, level, answer in lines:
            key = [f"`{question}`"] * (len(world.questions) > 1) + [f"ε\\* at `{level}`"]
            (full,) = [row for row in exact if row[: len(key)] == key]
            assert Fraction(full[len(key)]) == answer.exact
            (short,) = [row for row in rounded if row[: len(key)] == key]
            assert short[len(key) : len(key) + 2] == [f"{answer.value:.6f}", f"{answer.entropy:.6f}"]
        assert all(note.split()[0] in part for note in world.spec.notes)
    assert "| P(`yes`) | 0.210876 |  | 0.211 ✓ |" in text


def test_the_licence_covers_what_is_the_publishers_own(hub, odd):
    ships, own = ((root / "README.md").read_text().split("## License")[1] for root in (hub, odd))
    assert "This data set and this card are under [Creative Commons Attribution 4.0" in ships
    assert "so are `worlds/credit_risk.yaml`, `worlds/support_ticket.yaml`, which it ships." in ships
    assert "This data set and its world files and this card are under" in own
    assert own.split("## ")[0].rstrip().endswith("`pbn`, is under the MIT License.")


def test_levels_and_demonstrations_are_told_as_the_files_are(hub, odd):
    whole, short = ((root / "README.md").read_text() for root in (hub, odd))
    assert "- `high` hides `cash_buffer`, `principal_due` besides." in whole
    assert "- `coarse` hides `colour`, `letter` besides, and shows `letter_1`, `letter_2`, `letter_3` in their" in short
    assert "train-seed-2032-*" in whole
    assert "Demonstrations" not in short


def test_every_column_is_described(hub):
    text = (hub / "README.md").read_text()
    for path in (hub / "data").rglob("*.parquet"):
        for name in parquet.read_schema(path).names:
            assert f"| `{name}` | " in text, name


@pytest.mark.parametrize("which", ["hub", "odd"])
def test_the_card_is_sound_markdown(which, request):
    text = (request.getfixturevalue(which) / "README.md").read_text()
    body = text.split("---\n", 2)[2]
    html = MarkdownIt("commonmark").enable("table").render(body)
    assert html.count("<table>") == len(re.findall(r"^\| --[-:]", body, re.MULTILINE))
    for match in re.finditer(r"<table>.*?</table>", html, re.DOTALL):
        head, *rows = (len(re.findall(r"<t[hd]", row)) for row in match[0].split("<tr>")[1:])
        assert set(rows) <= {head}
    outside = re.sub(r"<(pre|code).*?</\1>", "", html, flags=re.DOTALL)
    assert "| --" not in outside
    assert "<i>" not in outside
    assert html.count("<details>") == html.count("</details>") == body.count("<summary>")


def test_the_pandas_example_of_the_card_runs(hub, odd, monkeypatch):
    for root, rows in ((hub, 500 + 500), (odd, 5)):
        monkeypatch.chdir(root)
        (block,) = re.findall(r"```python\n(import pandas.*?)```", (root / "README.md").read_text(), re.DOTALL)
        names = {}
        exec(block, names)
        assert 0 < len(names["joined"]) == len(names["cases"]) <= rows
        assert {"id", "level", "seed", "row"} < set(names["joined"].columns)


@pytest.mark.slow
def test_the_commands_of_the_card_make_it_again(hub, drawn):
    (block,) = re.findall(r"```console\n(.*?)```", (hub / "README.md").read_text(), re.DOTALL)
    for line in block.splitlines():
        words = line.removeprefix("$ pbn ").split()
        subprocess.run([sys.executable, "-m", "pbn", *words], cwd=hub, check=True, capture_output=True)
    for path in hub.rglob("*"):
        if path.is_file():
            assert path.read_bytes() == (hub.parent / "again" / path.relative_to(hub)).read_bytes(), path


# -- Croissant ---------------------------------------------------------------------------------------


@pytest.fixture(params=["hub", "odd"])
def croissant(request, caplog):
    mlc = pytest.importorskip("mlcroissant")
    caplog.set_level(logging.ERROR)
    root = request.getfixturevalue(request.param)
    return root, mlc.Dataset(str(root / "croissant.json"))


def test_croissant_is_valid(croissant):
    root, dataset = croissant
    issues = dataset.metadata.ctx.issues
    assert not issues.errors
    assert all("datePublished" in warning for warning in issues.warnings)
    said = json.loads((root / "croissant.json").read_text())
    assert said["isLiveDataset"] is False
    assert said["conformsTo"] == "http://mlcommons.org/croissant/1.1"
    files = {one["contentUrl"]: one for one in said["distribution"] if one["@type"] == "cr:FileObject"}
    listed = [path for kind in ("data", "worlds") for path in (root / kind).rglob("*") if path.is_file()]
    assert len(files) == len(listed)
    for path in listed:
        one = files[path.relative_to(root).as_posix()]
        assert one["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
        assert one["contentSize"] == f"{path.stat().st_size} B"
    configs = [config["config_name"] for config in head_of(root)["configs"]]
    assert [one["name"] for one in said["recordSet"]] == ["splits", *configs]


@pytest.mark.parametrize("what", ["high", "labels", "truth"])
def test_croissant_reads_the_rows_that_pandas_reads(hub, what, caplog):
    mlc = pytest.importorskip("mlcroissant")
    config = f"support_ticket-{what}"
    found = pd.DataFrame(mlc.Dataset(str(hub / "croissant.json")).records(config))
    expected = pd.concat([read(path) for path in files_of(hub, config, "train")])
    assert set(found.pop(f"{config}/split")) == {b"train"}
    assert len(found) == len(expected)
    for name, values in expected.items():
        column = found[f"{config}/" + re.sub(r"\W", "_", name)]
        read_back = [value.decode() if isinstance(value, bytes) else value for value in column]
        assert read_back == list(values), name
    assert "Could not match" not in caplog.text


def test_croissant_says_what_the_terms_say(odd):
    said = json.loads((odd / "croissant.json").read_text())
    assert said["creator"]["name"] == 'X & "Y"'
    assert said["datePublished"].startswith("2026-01-31")
    assert "year = {2026}" in said["citeAs"]


# -- what is refused ---------------------------------------------------------------------------------


def refused(*roots, out, terms=None):
    with pytest.raises(pbn.PbnError) as caught:
        publish(list(roots), out, terms)
    assert not out.exists() or not (out / "README.md").exists()
    assert len(caught.value.faults) == 1
    return caught.value


def test_unfinished_and_missing_data_sets(tmp_path, drawn):
    shutil.copytree(drawn[2], tmp_path / "data")
    (tmp_path / "data" / "manifest.json").rename(tmp_path / "data" / ".plan.json")
    assert refused(tmp_path / "data", out=tmp_path / "hub").code == "cases/unfinished"
    assert refused(tmp_path / "none", out=tmp_path / "hub").code == "cases/no-data"


def damage(root, name, change):
    path = root / name
    path.write_bytes(change(path.read_bytes()))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda data: data[:-1], "bytes, the manifest says"),
        (lambda data: data[:-9] + bytes([data[-9] ^ 1]) + data[-8:], "SHA-256 differs"),
    ],
)
def test_files_that_are_not_those_of_the_manifest(tmp_path, drawn, change, told):
    root = shutil.copytree(drawn[2], tmp_path / "data")
    damage(root, "truth.parquet", change)
    error = refused(root, out=tmp_path / "hub")
    assert error.code == "publish/damaged"
    assert told in str(error)
    (root / "truth.parquet").unlink()
    assert refused(root, out=tmp_path / "hub").code == "publish/damaged"


def test_a_column_too_many_is_no_file_of_a_data_set_whatever_the_manifest_says(tmp_path, drawn):
    root = shutil.copytree(drawn[2], tmp_path / "data")
    frame = pd.read_parquet(root / "cases-high.parquet")
    frame["label_angry"] = "yes"
    frame.to_parquet(root / "cases-high.parquet")
    manifest = json.loads((root / "manifest.json").read_text())
    (entry,) = [entry for entry in manifest["files"] if entry["path"] == "cases-high.parquet"]
    data = (root / "cases-high.parquet").read_bytes()
    entry |= {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    (root / "manifest.json").write_text(json.dumps(manifest))
    error = refused(root, out=tmp_path / "hub")
    assert error.code == "publish/damaged"
    assert "label_angry" in str(error)


@pytest.mark.parametrize(
    "change",
    [
        lambda manifest: manifest["files"].pop(),
        lambda manifest: manifest["files"][0].update(path="../../secret"),
        lambda manifest: manifest["files"][0].update(start=5),
        lambda manifest: manifest.update(law_digest="0" * 64),
        lambda manifest: manifest.update(world="other"),
    ],
)
def test_manifests_that_do_not_go_with_their_world(tmp_path, drawn, change):
    root = shutil.copytree(drawn[2], tmp_path / "data")
    manifest = json.loads((root / "manifest.json").read_text())
    change(manifest)
    (root / "manifest.json").write_text(json.dumps(manifest))
    assert refused(root, out=tmp_path / "hub").code == "publish/manifest"


def test_data_sets_that_do_not_go_together(tmp_path, drawn):
    out, ticket = tmp_path / "hub", drawn[2]
    assert refused(ticket, ticket, out=out).code == "publish/overlap"
    overlap = draw(tmp_path / "overlap", TICKET, start=39, stop=41)
    error = refused(overlap, ticket, out=out)
    assert error.code == "publish/overlap"
    assert "rows 39 to 39" in str(error)
    law = draw(tmp_path / "law", TICKET.replace("[.50,  .35,  .15]", "[.50,  .34,  .16]"), seed=9)
    assert refused(law, ticket, out=out).code == "publish/other-law"
    text = draw(tmp_path / "text", TICKET.replace("How the ticket sounds", "Its sound"), seed=9)
    assert refused(text, ticket, out=out).code == "publish/other-file"
    fewer = draw(tmp_path / "fewer", TICKET, levels=("low",), seed=9)
    error = refused(fewer, ticket, out=out)
    assert error.code == "publish/other-contents"
    assert "they differ in their levels" in str(error)
    lines = draw(tmp_path / "lines", TICKET, form="jsonl", seed=9)
    assert refused(lines, ticket, out=out).code == "publish/formats"
    levels = draw(tmp_path / "levels", ODD_WORLD.replace("coarse:", "truth:"), levels=("fine", "truth"), memo=False)
    assert refused(levels, out=out).code == "publish/level-name"


def test_the_same_law_under_another_name_has_the_same_rows(tmp_path, drawn):
    renamed = draw(tmp_path / "renamed", TICKET.replace("name: support_ticket", "name: ticket"))
    assert refused(renamed, drawn[2], out=tmp_path / "hub").code == "publish/overlap"


def test_folders_that_are_taken(tmp_path, drawn):
    ticket = shutil.copytree(drawn[2], tmp_path / "data" / "ticket")
    for out in (ticket, ticket / "hub", tmp_path / "data"):
        assert refused(ticket, out=out).code == "publish/inside"
    (tmp_path / "hub").mkdir()
    (tmp_path / "hub" / "mine.txt").write_text("mine")
    assert refused(ticket, out=tmp_path / "hub").code == "publish/not-empty"
    (tmp_path / "file").write_text("")
    assert refused(ticket, out=tmp_path / "file").code == "cases/unwritable"
    publish([ticket], tmp_path / "done")
    other = "the folder {} holds another publication: it differs in its terms (licence)".format(tmp_path / "done")
    for terms, told in ((Terms(licence="MIT"), f"publish/other: {other}"), (None, "publish/changed: ")):
        with (tmp_path / "done" / "README.md").open("a") as file:
            file.write("more")
        with pytest.raises(pbn.PbnError) as caught:
            publish([ticket], tmp_path / "done", terms)
        assert str(caught.value).startswith(told)


@pytest.mark.parametrize(("module", "told"), [("pyarrow", "Parquet files need pyarrow"), ("mlcroissant", "Croissant")])
def test_missing_extras(tmp_path, drawn, monkeypatch, module, told):
    for name in [name for name in sys.modules if name == module or name.startswith(f"{module}.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    error = refused(drawn[2], out=tmp_path / "hub")
    assert error.code == "cases/extra"
    assert told in str(error)
    assert "pbn[data]" in str(error)


def test_two_runs_do_not_write_to_one_folder(tmp_path, drawn):
    import fcntl
    import os

    (tmp_path / ".hub.part").mkdir()
    handle = os.open(tmp_path / ".hub.part", os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    assert refused(drawn[2], out=tmp_path / "hub").code == "publish/in-use"
    os.close(handle)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("licence", "GPL"), ("title", "a\nb"), ("title", " "), ("creator", "x" * 201), ("language", "English"),
        ("url", "hub"), ("url", "https://a b"), ("date", "31.1.2026"), ("date", "20260131"), ("version", "1"),
    ],
)  # fmt: skip
def test_terms_that_are_not_of_their_form(name, value):
    with pytest.raises(pbn.PbnError) as caught:
        Terms(**{name: value})
    assert caught.value.code == "publish/terms"


def test_licences_are_found_whatever_their_case():
    assert [Terms(licence=name.lower()).data_licence for name in LICENCES] == list(LICENCES.values())
    assert Terms().options == {}
    assert Terms(licence="mit", title="x").options == {"title": "x", "license": "MIT"}


def test_paths_are_as_the_page_says(hub):
    paths = {Path(path).relative_to(hub).as_posix() for path in (hub / "data" / "credit_risk-low").iterdir()}
    assert "data/credit_risk-low/train-seed-2032-00000.parquet" in paths
    assert "data/credit_risk-low/test-seed-2033-00001.parquet" in paths


# -- another reader ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_datasets_library_reads_every_configuration(hub, tmp_path, monkeypatch):
    datasets = pytest.importorskip("datasets")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_OFFLINE", True)
    for config in head_of(hub)["configs"]:
        name = config["config_name"]
        found = datasets.load_dataset(str(hub), name, cache_dir=str(tmp_path))
        for split, rows in found.items():
            assert rows.num_rows == sum(len(read(path)) for path in files_of(hub, name, split))
