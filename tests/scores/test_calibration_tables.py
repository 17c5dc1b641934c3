"""Binned calibration errors against tables of torchmetrics and netcal, and against scikit-learn's curves.

The numbers in `TORCHMETRICS` and `NETCAL` were computed once, on Python 3.11, with torchmetrics 1.9.0 (torch 2.14.1 on
the CPU) and netcal 1.4.0 (numpy 2.4.6, scipy 1.17.1); neither program is needed to run these tests. To compute them
again, with ``q, y = rows(name)`` as lists, K classes and ``count`` bins::

    import numpy, torch
    from netcal.metrics import ACE, ECE, MCE
    from torchmetrics.functional.classification import binary_calibration_error, multiclass_calibration_error

    q, y = torch.tensor(q), torch.tensor(y)  # float32
    binary_calibration_error(q, y, n_bins=count, norm=norm)  # of="positive"
    multiclass_calibration_error(q, y, num_classes=K, n_bins=count, norm=norm)  # of="top-label"

    q, y = numpy.array(q), numpy.array(y)  # float64; "positive", or with more than two labels "top-label"
    ECE(count, equal_intervals=width == "equal-width").measure(q, y)  # and MCE, ACE

and for of="pooled" what is written for "positive", with ``q.ravel()`` and, of each of its numbers, whether its class
came out (0 or 1). ACE is the plain mean of the gaps over the bins that are not empty: it checks `reliability`.

The bins are not everywhere ours, so that each table has only inputs on which they are; `DIFFERENT` has the others:

- torchmetrics: [j/B, (j+1)/B) too, but 1 has one more bin to itself; edges are torch.linspace's. In float32 those of
  5 and 10 bins are the floats nearest to j/B; 3/15, 6/15 and some more of 15 bins are not, and 3/10 in float64 is not.
- netcal, equal width: [j/B, (j+1)/B), 1 in the last; edges are numpy.linspace's. Those at 3/5, 3/10, 6/10 and 7/10
  are one float above the nearest, so that a prediction written 0.3 is one bin lower than in ours.
- netcal, equal mass: [a, b) between quantiles that are interpolated; the same bins if their number divides that of
  the rows and no two predictions at an edge are equal.
- scikit-learn's curve: (a, b], and the same interpolated quantiles.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve

from pbn.scores.calibration import Binning, ece, reliability

INPUTS = {  # prediction, or that of each class, and label of each row; the first two are torchmetrics' own examples
    "doc-binary": ".25:0 .25:0 .55:1 .75:1 .75:1",
    "doc-classes": ".25,.2,.55:0 .55,.05,.4:1 .1,.3,.6:2 .9,.05,.05:0",
    "one": ".37:1",
    "constant": ".5:0 .5:1 .5:0 .5:0 .5:1 .5:0 .5:1 .5:0",
    "narrow": ".61:1 .62:1 .64:0 .65:1 .66:1 .66:1 .69:0",
    "edges": "0:0 0:1 .05:0 .1:1 .1:0 .1:0 .15:0 .2:1 .4:0 .4:1 .45:0 .5:1 .5:0 .5:0 .8:1 .8:1 .85:0 .9:1 .95:0",
    "tenths": ".2:1 .25:0 .3:1 .3:1 .3:0 .35:0 .6:0 .6:1 .65:1 .7:0 .7:1 .7:1 .75:0",
    "hundredths": ".28:0 .285:1 .285:0 .29:1 .295:0 .295:1 .572:0 .578:1 .58:1 .58:0 .585:0",
    "ends": "0:0 0:0 0:1 .02:0 .03:0 .48:1 1:1 1:1 1:0 1:1 1:1",
    "rare": """.001:0 .009:0 .083:1 .015:0 .042:0 .026:1 .001:0 .011:0 .005:0 .081:0 .001:0 .087:0
        .003:0 .002:0 .143:0 .115:0 .017:0 .093:0 .113:1 .07:0 .024:0 .059:0 0:0 .002:0""",
    "spread": """.28:0 .46:1 .12:0 .52:1 .41:0 .07:0 .1:0 .99:1 .69:0 .45:0 .64:1 .27:0 .31:1 .07:0 .05:0 .81:1 .81:1
        0:0 .33:0 .09:0 .47:0 .62:1 .55:0 .13:0 .72:0 .61:1 .47:1 .31:0 .92:1 .08:0 .14:0 .38:1 .26:0 .62:1 .69:0
        .72:1 .77:1 .18:0 .75:0 .25:0""",
    "distinct": """.61:1 .955:0 .03:0 .14:1 .9:1 .48:0 .165:0 .34:0 .1:0 .18:1 .11:0 .415:0 .555:1 .45:1 .495:1
        .345:0 .12:1 .885:1 .54:1 .025:0 .665:1 .065:0 .83:0 .46:0 .235:0 .895:1 .385:1 .42:1 .435:0 .79:0""",
    "two": ".93,.07:0 .42,.58:1 .15,.85:1 .55,.45:1 .65,.35:0 .25,.75:0 .98,.02:0 .35,.65:1 .12,.88:1 .85,.15:1",
    "three": """.1,.36,.54:1 .38,.47,.15:1 .65,.23,.12:0 .42,.21,.37:2 .58,.42,0:2 .13,.07,.8:2 .29,.69,.02:1
        .18,.76,.06:2 .77,.13,.1:2 .01,.63,.36:1 .29,.27,.44:1 .25,.4,.35:0 .57,.36,.07:1 .4,.57,.03:2 .44,.52,.04:0
        .61,.26,.13:1 .1,.17,.73:1 .66,.1,.24:0 .07,.48,.45:1 .09,.62,.29:1""",
    "three-edges": """.4,.31,.29:0 .4,.31,.29:0 .4,.31,.29:1 .4,.31,.29:0 .25,.5,.25:2 .25,.25,.5:2
        .8,.1,.1:0 .1,.8,.1:1 .34,.33,.33:2 .33,.34,.33:0 .5,.25,.25:1 1,0,0:0 1,0,0:0 1,0,0:1 0,0,1:2 0,1,0:1""",
    "four": """.02,.73,.19,.06:1 .11,.15,.41,.33:2 .05,.01,.1,.84:3 .19,.02,.52,.27:1 .14,.16,.64,.06:1
        .06,.01,.62,.31:2 .19,.07,.15,.59:1 .09,.46,.26,.19:0 .07,.61,.01,.31:0 .05,.18,.1,.67:1 .32,.01,.59,.08:2
        .16,.46,.13,.25:0 .02,.04,.71,.23:2 .13,.01,.81,.05:3 .03,.01,.9,.06:2 .05,.35,.22,.38:3 0,.63,.11,.26:1
        .68,.1,0,.22:0 .31,.14,.55,0:1 .39,.29,.12,.2:2 .09,.07,.8,.04:0 .04,.35,.03,.58:3 .07,.01,.57,.35:0
        .24,.21,.35,.2:0""",
}

TORCHMETRICS = [  # rows, bins, of, then l1, l2 and max to 9 digits
    ("doc-binary", 2, "positive", 0.290000021, 0.291833282, 0.316666663),
    ("doc-classes", 3, "top-label", 0.199999988, 0.208166599, 0.233333319),
    ("one", 10, "positive", 0.629999995, 0.629999995, 0.629999995),
    ("constant", 2, "positive", 0.125, 0.125, 0.125),
    ("constant", 15, "positive", 0.125, 0.125, 0.125),
    ("narrow", 10, "positive", 0.0671428442, 0.0671428442, 0.0671428442),
    ("narrow", 15, "positive", 0.264285684, 0.316310525, 0.689999998),
    ("edges", 5, "positive", 0.228947341, 0.270786226, 0.800000012),
    ("edges", 10, "positive", 0.228947341, 0.285562664, 0.800000012),
    ("tenths", 5, "positive", 0.153846145, 0.164472744, 0.216666669),
    ("tenths", 10, "positive", 0.176923081, 0.192153782, 0.275000006),
    ("hundredths", 50, "positive", 0.196818203, 0.205619916, 0.248333305),
    ("hundredths", 100, "positive", 0.196818203, 0.237772182, 0.373333365),
    ("ends", 10, "positive", 0.224545449, 0.243254453, 0.519999981),
    ("rare", 5, "positive", 0.0832083374, 0.0832083374, 0.0832083374),
    ("rare", 10, "positive", 0.0832083374, 0.0959591493, 0.209666669),
    ("rare", 15, "positive", 0.0951250046, 0.115852147, 0.194000021),
    ("spread", 5, "positive", 0.0762499943, 0.0798639581, 0.117500007),
    ("spread", 10, "positive", 0.116250001, 0.14404355, 0.264999986),
    ("spread", 15, "positive", 0.209750012, 0.261007041, 0.620000005),
    ("distinct", 5, "positive", 0.155000001, 0.181678519, 0.292999983),
    ("distinct", 10, "positive", 0.221666649, 0.297027797, 0.790000021),
    ("distinct", 15, "positive", 0.244666681, 0.361231357, 0.954999983),
    ("two", 5, "top-label", 0.066999957, 0.0756989196, 0.0979999304),
    ("two", 10, "top-label", 0.224999979, 0.30530858, 0.75),
    ("three", 5, "top-label", 0.215500012, 0.23166655, 0.299000025),
    ("three", 10, "top-label", 0.32949996, 0.419143945, 0.75333333),
    ("three", 10, "pooled", 0.198666677, 0.271956116, 0.75333333),
    ("three-edges", 10, "top-label", 0.248750001, 0.260352314, 0.349999994),
    ("three-edges", 10, "pooled", 0.116666652, 0.14738366, 0.349999994),
    ("four", 5, "top-label", 0.145416662, 0.18297106, 0.337499976),
    ("four", 10, "top-label", 0.200416654, 0.237681195, 0.483333319),
    ("four", 15, "top-label", 0.171249986, 0.228285104, 0.519999981),
    ("four", 10, "pooled", 0.179791674, 0.193125308, 0.483333319),
]  # fmt: skip

NETCAL = [  # rows, bins, width, of, then ECE, MCE, ACE
    ("doc-binary", 2, "equal-width", "positive", 0.29000000000000004, 0.31666666666666676, 0.2833333333333334),
    ("doc-classes", 3, "equal-width", "top-label", 0.2000000000000001, 0.23333333333333345, 0.1666666666666667),
    ("one", 10, "equal-width", "positive", 0.63, 0.63, 0.63),
    ("constant", 2, "equal-width", "positive", 0.125, 0.125, 0.125),
    ("narrow", 10, "equal-width", "positive", 0.06714285714285717, 0.06714285714285717, 0.06714285714285717),
    ("narrow", 15, "equal-width", "positive", 0.2642857142857143, 0.69, 0.44166666666666665),
    ("edges", 5, "equal-width", "positive", 0.22894736842105257, 0.8, 0.34982142857142856),
    ("edges", 10, "equal-width", "positive", 0.22894736842105262, 0.8, 0.2970238095238095),
    ("edges", 15, "equal-width", "positive", 0.2552631578947368, 0.95, 0.3277777777777778),
    ("tenths", 15, "equal-width", "positive", 0.23076923076923073, 0.75, 0.30416666666666664),
    ("hundredths", 100, "equal-width", "positive", 0.19681818181818184, 0.37333333333333335, 0.18666666666666668),
    ("ends", 10, "equal-width", "positive", 0.22454545454545438, 0.52, 0.30333333333333323),
    ("rare", 10, "equal-width", "positive", 0.08320833333333333, 0.20966666666666667, 0.1374047619047619),
    ("rare", 15, "equal-width", "positive", 0.095125, 0.194, 0.128625),
    ("spread", 5, "equal-width", "positive", 0.07625000000000003, 0.11749999999999994, 0.07800584415584415),
    ("spread", 10, "equal-width", "positive", 0.11624999999999999, 0.265, 0.12101666666666663),
    ("spread", 15, "equal-width", "positive", 0.20975000000000002, 0.62, 0.2308968253968254),
    ("distinct", 10, "equal-width", "positive", 0.22166666666666668, 0.79, 0.2920476190476191),
    ("distinct", 3, "equal-mass", "positive", 0.08933333333333336, 0.183, 0.08933333333333336),
    ("distinct", 5, "equal-mass", "positive", 0.183, 0.37583333333333335, 0.18300000000000002),
    ("distinct", 10, "equal-mass", "positive", 0.2753333333333334, 0.5049999999999999, 0.2753333333333333),
    ("distinct", 15, "equal-mass", "positive", 0.258, 0.81, 0.258),
    ("two", 10, "equal-width", "positive", 0.36300000000000004, 0.85, 0.43125),
    ("two", 5, "equal-mass", "positive", 0.223, 0.485, 0.223),
    ("three", 5, "equal-width", "top-label", 0.21550000000000002, 0.299, 0.2078148148148148),
    ("three", 10, "equal-width", "top-label", 0.3295, 0.7533333333333333, 0.3482666666666666),
    ("three", 15, "equal-width", "top-label", 0.3515, 0.765, 0.35752380952380947),
    ("three", 4, "equal-mass", "top-label", 0.27849999999999997, 0.5559999999999999, 0.27849999999999997),
    ("three", 10, "equal-width", "pooled", 0.19866666666666663, 0.7533333333333333, 0.2578114478114478),
    ("three", 4, "equal-mass", "pooled", 0.12666666666666665, 0.2466666666666667, 0.12666666666666665),
    ("three-edges", 5, "equal-width", "top-label", 0.13624999999999998, 0.34, 0.18476190476190477),
    ("three-edges", 10, "equal-width", "top-label", 0.24874999999999992, 0.35, 0.2513333333333333),
    ("three-edges", 15, "equal-width", "top-label", 0.24874999999999992, 0.35, 0.2513333333333333),
    ("three-edges", 10, "equal-width", "pooled", 0.11666666666666661, 0.35, 0.15083333333333326),
    ("four", 10, "equal-width", "top-label", 0.2004166666666667, 0.48333333333333345, 0.1983333333333334),
    ("four", 15, "equal-width", "top-label", 0.17125, 0.52, 0.20085416666666667),
    ("four", 3, "equal-mass", "top-label", 0.14541666666666667, 0.19000000000000006, 0.14541666666666667),
    ("four", 10, "equal-width", "pooled", 0.17979166666666666, 0.48333333333333345, 0.2044477671451356),
]  # fmt: skip

DIFFERENT = [  # whose, rows, bins, width, the bin of each row by our definition and by theirs, their l1 error
    ("torchmetrics: 1 alone", ".92:1 1:0", 10, "equal-width", "00", "01", 0.539999962),
    ("torchmetrics: 3/15 in float32", ".15:1 .2:0", 15, "equal-width", "01", "00", 0.324999988),
    ("torchmetrics: 3/10 of float64", ".25:1 .3:0", 10, "equal-width", "01", "00", 0.22499999999999998),
    ("netcal: 3/10", ".25:1 .3:0", 10, "equal-width", "01", "00", 0.22499999999999998),
    ("netcal: 3/5", ".52:1 .6:0", 5, "equal-width", "01", "00", 0.06000000000000005),
    ("netcal: ties at a quantile", ".2:0 .5:1 .5:1 .9:0", 2, "equal-mass", "0001", "0111", 0.075),
    ("netcal: an odd row", ".1:1 .4:0 .8:1", 2, "equal-mass", "001", "011", 0.3666666666666667),
    ("netcal: 5 rows, 3 bins", ".1:1 .2:0 .5:1 .7:0 .9:0", 3, "equal-mass", "00112", "00122", 0.56),
    ("scikit-learn: 1/2", ".25:1 .5:0", 2, "equal-width", "01", "00", 0.125),
    ("scikit-learn: 5 rows, 3 bins", ".1:1 .2:0 .5:1 .7:0 .9:0", 3, "equal-mass", "00112", "00122", 0.56),
]  # fmt: skip
"""Scikit-learn 1.9.1 has no calibration error: of its curve's bins, Σ share · |prob_true − prob_pred|."""


def parsed(text):
    """Predictions, (n,) or (n, K), and labels of rows that are written ``prediction:label``."""
    pairs = [row.split(":") for row in text.split()]
    q = [[float(number) for number in numbers.split(",")] for numbers, _ in pairs]
    return [row[0] if len(row) == 1 else row for row in q], [int(label) for _, label in pairs]


def rows(name):
    return parsed(INPUTS[name])


def counted(q, y):
    """Each different row once, with how often it comes as its weight."""
    found, count = np.unique(np.column_stack([q, y]), axis=0, return_counts=True)
    return found[:, :-1].squeeze(1) if found.shape[1] == 2 else found[:, :-1], found[:, -1].astype(int), count


@pytest.mark.parametrize(("name", "count", "of", "l1", "l2", "most"), TORCHMETRICS)
def test_against_torchmetrics(name, count, of, l1, l2, most):
    q, y = rows(name)
    different, labels, weight = counted(q, y)
    for norm, theirs in (("l1", l1), ("l2", l2), ("max", most)):
        binning = Binning(count=count, of=of, norm=norm)
        assert ece(y, q, binning).value == pytest.approx(theirs, rel=0, abs=1e-6)
        assert ece(labels, different, binning, weight).value == pytest.approx(theirs, rel=0, abs=1e-6)


@pytest.mark.parametrize(("name", "count", "width", "of", "expected", "most", "average"), NETCAL)
def test_against_netcal(name, count, width, of, expected, most, average):
    q, y = rows(name)
    different, labels, weight = counted(q, y)
    for norm, theirs in (("l1", expected), ("max", most)):
        binning = Binning(count=count, width=width, of=of, norm=norm)
        assert ece(y, q, binning).value == pytest.approx(theirs, rel=0, abs=1e-12)
        assert ece(labels, different, binning, weight).value == pytest.approx(theirs, rel=0, abs=1e-12)
    for shown in (reliability(y, q, binning), reliability(labels, different, binning, weight)):
        assert np.abs(shown.outcome - shown.prediction).mean() == pytest.approx(average, rel=0, abs=1e-12)


def gathered(q, y, bins):
    """The l1 error of bins that are given."""
    cells = {}
    for place, prediction, label in zip(bins, q, y, strict=True):
        cells.setdefault(place, []).append(label - prediction)
    return sum(abs(sum(gaps)) for gaps in cells.values()) / len(q)


@pytest.mark.parametrize(("text", "count", "width", "ours", "others", "theirs"), [row[1:] for row in DIFFERENT],
                         ids=[row[0] for row in DIFFERENT])  # fmt: skip
def test_where_others_have_other_bins(text, count, width, ours, others, theirs):
    """The bins, gathered by hand, give both numbers; ours are those that `Binning` defines."""
    q, y = parsed(text)
    assert gathered(q, y, others) == pytest.approx(theirs, rel=0, abs=1e-6)
    found = ece(y, q, Binning(count=count, width=width)).value
    assert found == pytest.approx(gathered(q, y, ours), rel=0, abs=1e-12)
    assert abs(found - theirs) > 0.05


@given(st.integers(0, 2**32), st.integers(1, 12), st.integers(1, 12))
@settings(deadline=None)
def test_against_the_curves_of_scikit_learn(seed, count, times):
    """Predictions are all different and on no edge, and their number is a multiple of that of the bins."""
    rng = np.random.default_rng(seed)
    q = rng.random(count * times)
    y = (rng.random(len(q)) < q ** rng.choice([0.5, 1, 2])).astype(int)
    wide = np.histogram(q, count, (0, 1))[0] / len(q)
    for width, strategy, mass in (
        ("equal-width", "uniform", wide[wide > 0]),
        ("equal-mass", "quantile", np.full(count, 1 / count)),
    ):
        rate, prediction = calibration_curve(y, q, n_bins=count, strategy=strategy)
        shown = reliability(y, q, Binning(count=count, width=width))
        assert shown.mass == pytest.approx(mass, rel=0, abs=1e-12)
        assert shown.outcome == pytest.approx(rate, rel=0, abs=1e-12)
        assert shown.prediction == pytest.approx(prediction, rel=0, abs=1e-12)
        gap = np.abs(rate - prediction)
        for norm, theirs in (("l1", mass @ gap), ("l2", np.sqrt(mass @ gap**2)), ("max", gap.max())):
            binning = Binning(count=count, width=width, norm=norm)
            assert ece(y, q, binning).value == pytest.approx(theirs, rel=0, abs=1e-12)
