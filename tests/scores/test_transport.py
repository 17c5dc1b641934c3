"""W1 of laws with atoms: scipy's numbers, in every way that ours is computed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

from pbn.scores import transport
from pbn.scores.inputs import ScoreError
from pbn.scores.transport import distance, law, wasserstein


@given(st.integers(0, 2**32), st.booleans(), st.booleans(), st.booleans())
def test_against_scipy(seed, by_cells, weighted, same):
    rng = np.random.default_rng(seed)
    n, m = rng.integers(1, 80, 2)
    u, v = np.round(rng.random(n), rng.integers(1, 5)), np.round(rng.random(m) ** 2 * 3 - 1, rng.integers(1, 5))
    v = rng.permutation(u) if same else v
    a, b = (rng.random(len(u)) + 0.01, rng.random(len(v)) + 0.01) if weighted else (None, None)
    expected = wasserstein_distance(u, v, a, b)
    with pytest.MonkeyPatch.context() as patch:
        if by_cells:
            patch.setattr(transport, "_FEW", 0)
        assert wasserstein(u, v, a, b) == pytest.approx(expected, abs=1e-13)
    assert distance(law(u, a), law(v, b)) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("pair", ["far", "near", "few", "one value", "equal weights"])
def test_many_atoms(pair):
    rng = np.random.default_rng(1)
    u, v = rng.random(30_000), rng.beta(2, 3, 25_000)
    a, b = rng.random(30_000), rng.random(25_000)
    if pair == "near":
        v, b = u + 1e-7 * rng.random(30_000), a
    elif pair == "few":
        v, b = np.array([0, 0.5, 1]), np.array([0.25, 0.5, 0.25])
    elif pair == "one value":
        u, v = np.full(30_000, 0.3), np.full(25_000, 0.3)
    elif pair == "equal weights":
        a = b = None
    assert wasserstein(u, v, a, b) == pytest.approx(wasserstein_distance(u, v, a, b), abs=1e-12)
    assert wasserstein(v, u, b, a) == pytest.approx(wasserstein(u, v, a, b), abs=1e-12)


@pytest.mark.parametrize("scale", [1e-318, 1e-305, 1e250, 1e300])
def test_extreme_atoms(scale):
    rng = np.random.default_rng(2)
    u, v = scale * np.round(rng.random(9000), 2), scale * np.round(rng.random(9001) ** 2, 2)
    assert wasserstein(u, v) == pytest.approx(wasserstein_distance(u, v), rel=1e-9, abs=1e-320)


@given(st.integers(0, 2**32), st.booleans(), st.booleans(), st.sampled_from([-1000, 500, 1010, 1023]))
def test_the_unit_of_the_atoms_does_not_matter(seed, by_cells, weighted, exponent):
    """Times a power of two the distance is too; only beyond the largest float is it infinite."""
    rng = np.random.default_rng(seed)
    n, m = rng.integers(1, 40, 2)
    m = rng.choice([n, m])
    u, v = rng.uniform(-1, 1, n), rng.uniform(-1, 1, m)
    a, b = (rng.random(n) + 0.01, rng.random(m) + 0.01) if weighted else (None, None)
    scale = 2.0**exponent
    with pytest.MonkeyPatch.context() as patch:
        if by_cells:
            patch.setattr(transport, "_FEW", 0)
        plain = wasserstein(u, v, a, b)
        assert wasserstein(u * scale, v * scale, a, b) == pytest.approx(plain * scale, rel=1e-9, abs=0)
    plain = distance(law(u, a), law(v, b))
    assert distance(law(u * scale, a), law(v * scale, b)) == pytest.approx(plain * scale, rel=1e-9, abs=0)


def test_atoms_at_the_ends_of_the_floats():
    assert wasserstein([-1.7e308, 1.7e308], [0.0]) == pytest.approx(1.7e308)
    assert wasserstein([1.7e308] * 9, [0.0] * 9) == pytest.approx(1.7e308)
    assert wasserstein([-1.7e308], [1.7e308]) == np.inf
    assert wasserstein([-1.7e308, 1.7e308], [0.0], [0, 1]) == pytest.approx(1.7e308)


def test_laws_merge_equal_values():
    found = law([0.5, 0.25, 0.5], [1, 1, 2])
    assert found.values.tolist() == [0.25, 0.5]
    assert found.weights.tolist() == [0.25, 0.75]
    assert found.mean == 0.4375


@pytest.mark.parametrize("call", [
    lambda: wasserstein([], [1.0]),
    lambda: wasserstein([1.0], [np.inf]),
    lambda: wasserstein([[1.0]], [1.0]),
    lambda: wasserstein([1.0], [1.0], [1.0, 2.0]),
    lambda: law([1.0], [-1.0]),
])  # fmt: skip
def test_what_is_no_law(call):
    with pytest.raises(ScoreError):
        call()
