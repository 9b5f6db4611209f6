"""Large groups only: the delta of both rules, the whole curve by enumeration, and no trace of the groups that were not large."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import special, stats

from privacy_accountant import (
    ADP,
    GDP,
    RDP,
    ZCDP,
    Accountant,
    CalibrationError,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Geometric,
    InvalidAggregateError,
    InvalidParameterError,
    Laplace,
    Neighbors,
    NoisyThreshold,
    Sensitivity,
    UnsupportedConversionError,
)
from privacy_accountant.codec import decode, encode

NOISES = (Laplace, Gaussian, DiscreteLaplace, DiscreteGaussian, Geometric)
noises = pytest.mark.parametrize("noise", NOISES, ids=lambda cls: cls.__name__)
FALSE_ALARM = 1e-8


def made(noise, size, per_value=1, values=1):
    return noise(
        **{noise.noise_parameter: size, "sensitivity": Sensitivity(per_value=per_value, values=values)}
    )


def masses(noise, size, reach=90):
    """P(Z = k) for k = -reach .. reach of each kind of noise, from its textbook."""
    k = np.arange(-reach, reach + 1)
    if noise is Gaussian:
        edges = np.append(k - 0.5, reach + 0.5)
        right = special.ndtr(-np.abs(edges) / size)
        steps = np.where(edges[:-1] >= 0, right[:-1] - right[1:], right[1:] - right[:-1])
        return np.where(k == 0, 1 - 2 * special.ndtr(-0.5 / size), np.abs(steps))
    if noise is Laplace:
        return np.where(
            k == 0, -math.expm1(-1 / (2 * size)), np.exp(-np.abs(k) / size) * math.sinh(1 / (2 * size))
        )
    weights = np.exp(-(k**2) / (2 * size**2)) if noise is DiscreteGaussian else np.exp(-np.abs(k) / size)
    return weights / weights.sum()


# ---------------------------------------------------------------------------------------------- delta


def test_both_rules_have_their_own_delta():
    """A public report: the strict form's delta was given to the other rule."""
    noise = DiscreteLaplace(scale=1, sensitivity=1)
    assert NoisyThreshold(noise, 5).delta == pytest.approx(0.00492583395603573, rel=1e-13)
    assert NoisyThreshold(noise, 5, strict=False).delta == pytest.approx(0.0133898049326985, rel=1e-13)
    assert NoisyThreshold(noise, 5).least == 6
    assert NoisyThreshold(noise, 5, strict=False).least == 5


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize(("threshold", "least"), [(37.3, 38), (Fraction(113, 3), 38), (-0.5, 0)])
def test_a_real_threshold_is_not_cut_off(threshold, least, strict):
    assert NoisyThreshold(Laplace(1, 1), threshold, strict=strict).least == least


def test_the_delta_is_that_of_the_noise_that_is_drawn():
    """Rounded Gaussian noise at the threshold 1 + sigma Phi^-1(1 - delta) that a continuous one would need, cut off and rounded up."""
    noise = Gaussian(sigma=3.73063163482, sensitivity=1)
    assert NoisyThreshold(noise, 17, strict=False).delta == pytest.approx(1.62791501203e-5, rel=1e-9)
    assert NoisyThreshold(noise, 18, strict=False).delta == pytest.approx(4.87051441002e-6, rel=1e-9)
    laplace_formula = NoisyThreshold(noise, 11.8197782844103)
    assert laplace_formula.delta > 0.0018


@noises
@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize(("per_value", "values"), [(1, 1), (2, 1), (1, 5), (3, 40)])
def test_the_delta_sums_the_tail(noise, strict, per_value, values):
    """Against the probabilities of the law, added up one by one."""
    large = NoisyThreshold(made(noise, 2, per_value, values), 14, strict=strict)
    one = math.fsum(masses(noise, 2)[90 + 14 + strict - per_value :])
    truth = -math.expm1(values * math.log1p(-one))
    assert large.delta >= truth * (1 - 1e-12)
    assert large.delta == pytest.approx(truth, rel=1e-11)


def test_very_many_groups_and_very_small_deltas():
    with mpmath.workdps(40):
        one = mpmath.exp(-mpmath.mpf(499) - mpmath.mpf(1) / 2) / 2
        far = NoisyThreshold(Laplace(1, Sensitivity(per_value=1, values=10**6)), 500)
        assert (
            one * 10**6 * (1 - mpmath.mpf(10) ** -15)
            <= far.delta
            <= one * 10**6 * (1 + mpmath.mpf(10) ** -15)
        )
    near = NoisyThreshold(Laplace(1, Sensitivity(per_value=1, values=10**6)), 4)
    assert near.delta == 1
    assert NoisyThreshold(Laplace(1, 1), 0).delta == 1
    assert NoisyThreshold(Gaussian(1, 1), 10**6).delta > 0


# ---------------------------------------------------------------------------------------------- curve


def law_of(count, law, least, reach=60):
    """Published counts and their probabilities; the first cell is that nothing is published. None: the group does not occur."""
    if count is None:
        return np.append(1.0, np.zeros(reach))
    shown = law[90 + least - count :][:reach]
    return np.append(1 - shown.sum(), shown)


def profile(pairs, e):
    """The hockey-stick divergence of independent groups."""
    one, other = np.ones(1), np.ones(1)
    for p, q in pairs:
        one, other = np.outer(one, p).ravel(), np.outer(other, q).ravel()
    return float(np.maximum(one - math.exp(e) * other, 0).sum())


@pytest.mark.parametrize(
    ("noise", "size"), [(DiscreteLaplace, 2), (Laplace, 1.5), (Gaussian, 2), (DiscreteGaussian, 2)]
)
@pytest.mark.parametrize("strict", [True, False])
def test_the_curve_covers_every_way_in_which_one_person_touches_two_groups(noise, size, strict):
    """Groups joined, left, brought along and taken away: each pair of neighbouring worlds, enumerated."""
    large = NoisyThreshold(made(noise, size, 1, 2), 6, strict=strict)
    worlds = [(None, 1), (1, None), (5, 6), (6, 5), (1, 2), (4, 4)]
    law = masses(noise, size)
    pairs = {world: tuple(law_of(count, law, large.least) for count in world) for world in worlds}
    claim = large.guarantee()
    points = np.array([0.0, 0.31, 0.77, 1.37, 2.3])
    allowed = claim.get_delta(points)
    for one, other in itertools.combinations_with_replacement(worlds, 2):
        for e, most in zip(points, allowed, strict=True):
            assert profile((pairs[one], pairs[other]), e) <= most + 1e-12, (one, other, e)
    brought = profile((pairs[1, None], pairs[1, None]), 2.3)
    assert brought == pytest.approx(large.delta, rel=1e-9)


def test_the_claim_is_the_noise_and_the_delta():
    pure = NoisyThreshold(made(Laplace, 2, 1, 2), 40)
    assert pure.price(ADP) == (1, Fraction(repr(pure.delta)))
    rho, delta = pure.price(ZCDP)
    assert (rho, delta) == (pure.noise.price(ZCDP)[0], Fraction(repr(pure.delta)))
    assert pure.guarantee().get_delta(1.0) == pytest.approx(pure.delta, rel=1e-9)
    for form in (GDP, RDP):
        with pytest.raises(UnsupportedConversionError, match="delta"):
            pure.price(form, (2,))
    with pytest.raises(UnsupportedConversionError):
        pure.noise_interval()


def test_another_library_claims_the_same():
    """Its delta is that of the strict rule; for the other one a larger one is true."""
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    space = (
        dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int)),
        dp.l01inf_distance(dp.absolute_distance(T=int)),
    )
    theirs = dp.m.make_laplace_threshold(*space, scale=2.0, threshold=40)
    epsilon, delta = theirs.map((3, 3, 1))
    ours = NoisyThreshold(made(DiscreteLaplace, 2, 1, 3), 40)
    assert epsilon == pytest.approx(1.5, rel=1e-9)
    assert ours.price(ADP)[0] == Fraction(3, 2)
    assert ours.delta == pytest.approx(delta, rel=1e-6)
    assert NoisyThreshold(ours.noise, 40, strict=False).delta > 1.6 * delta


# ---------------------------------------------------------------------------------------------- releases


@noises
def test_large_groups_come_out_sorted_and_small_ones_do_not(noise):
    large = NoisyThreshold(made(noise, 2, 1, 3), 60)
    counts = {"flu": 10**6, "cold": 5 * 10**5, "kuru": 1, "anthrax": 2}
    published = large.randomize(counts)
    assert type(published) is dict
    assert list(published) == ["cold", "flu"]
    assert all(abs(published[name] - counts[name]) < 200 for name in published)
    assert list(large.randomize(dict(reversed(counts.items())))) == ["cold", "flu"]
    assert large.randomize({}) == large.randomize({"kuru": 1}) == {}


def test_counts_near_the_threshold_come_out_as_often_as_they_should():
    large = NoisyThreshold(DiscreteLaplace(2, 1), 10, strict=False)
    names = dict.fromkeys(range(20000), 9)
    published = large.randomize(names)
    chance = math.exp(-1 / 2) / (1 + math.exp(-1 / 2))
    assert stats.binomtest(len(published), 20_000, chance).pvalue > FALSE_ALARM
    assert min(published.values()) == 10


def test_groups_of_every_kind_are_sorted():
    large = NoisyThreshold(Laplace(1, 1), 40)
    groups = [("b", 2), ("a", 10), "z", "a", 3, -1, 2.5, None, True, ("a", 2)]
    published = large.randomize(dict.fromkeys(groups, 10**5))
    assert list(published) == [None, True, 2.5, -1, 3, "a", "z", ("a", 2), ("a", 10), ("b", 2)]


def test_a_series_keeps_nothing_of_the_groups_that_were_not_large():
    """An index of categories, or of levels, would still list them."""
    pandas = pytest.importorskip("pandas")
    large = NoisyThreshold(Laplace(1, 1), 40)
    counts = pandas.Series(
        [1, 10**5, 10**5], index=pandas.CategoricalIndex(["rare", "b", "a"], name="illness"), name="n"
    )
    published = large.randomize(counts)
    assert published.index.tolist() == ["a", "b"]
    assert (published.index.name, published.name, published.dtype) == ("illness", "n", "int64")
    assert not hasattr(published.index, "categories")
    levels = pandas.MultiIndex.from_tuples([("x", 1), ("rare", 7), ("w", 2)], names=["illness", "ward"])
    published = large.randomize(pandas.Series([10**5, 1, 10**5], index=levels))
    assert published.index.tolist() == [("w", 2), ("x", 1)]
    assert [list(level) for level in published.index.levels] == [["w", "x"], [1, 2]]
    assert list(published.index.names) == ["illness", "ward"]
    for nothing in (counts[:1], pandas.Series([1], index=levels[1:2])):
        assert len(large.randomize(nothing)) == 0


@pytest.mark.parametrize(
    "bad",
    [
        3,
        [1, 2],
        "ab",
        None,
        {"a": 1.0},
        {"a": True},
        {"a": "1"},
        {math.nan: 5},
        {frozenset(): 3},
        {("a", math.nan): 3},
    ],
    ids=repr,
)
def test_what_is_no_count_of_groups_is_refused(bad):
    with pytest.raises(InvalidAggregateError, match="^value must be a dict from groups"):
        NoisyThreshold(Laplace(1, 1), 40).check(bad)


def test_a_group_that_comes_twice_is_refused():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(InvalidAggregateError, match="twice"):
        NoisyThreshold(Laplace(1, 1), 40).check(pandas.Series([1, 2], index=["a", "a"]))


@pytest.mark.parametrize("adaptive", [True, False])
def test_a_study_charges_it_and_does_not_note_how_many_groups_there_were(adaptive, tmp_path):
    large = NoisyThreshold(made(Laplace, 4, 1, 2), 90)
    assert decode(encode(large)) == large
    counts = {"flu": 10**6, "kuru": 1}
    with Accountant.open(tmp_path / "x.db", study="s", budget=ADP(4, 1e-6), adaptive=adaptive) as study:
        first = study.release(counts, large, label="illnesses", key="k")
        assert study.release({"x": 5}, large, label="illnesses", key="k") == first
        assert list(first) == ["flu"]
        assert study.last.interval is None
    with Accountant.open(tmp_path / "x.db", study="s") as study:
        assert study.release(counts, large, label="illnesses", key="k") == first
        assert study.history()[0].mechanism == large
    assert large.check(counts) == large.check({}) == ()


# ---------------------------------------------------------------------------------------------- parameters


@pytest.mark.parametrize(
    "bad",
    [
        3,
        None,
        Laplace(1, 2),
        Laplace(1, Sensitivity(l1=2)),
        Laplace(1, Sensitivity(per_value=0.5, values=2)),
        Laplace(1, 1, grid=2**-4),
        "Laplace",
    ],
    ids=repr,
)
def test_the_noise_says_what_one_person_adds(bad):
    with pytest.raises(InvalidParameterError, match="^noise must be"):
        NoisyThreshold(bad, 40)


def test_other_fields():
    for bad in (math.inf, math.nan, "3", True, None):
        with pytest.raises(InvalidParameterError, match="^threshold must be"):
            NoisyThreshold(Laplace(1, 1), bad)
    with pytest.raises(InvalidParameterError, match="^strict must be"):
        NoisyThreshold(Laplace(1, 1), 4, strict=1)
    replaced = Laplace(1, Sensitivity(per_value=1, values=2), neighbors=Neighbors.REPLACE_ONE)
    assert NoisyThreshold(replaced, 4).neighbors is Neighbors.REPLACE_ONE


@noises
def test_calibration_meets_the_target(noise):
    target, sensitivity = ADP(1.0, 1e-6), Sensitivity(per_value=1, values=3)
    found = NoisyThreshold.calibrate(target, sensitivity=sensitivity, noise=noise)
    assert type(found.noise) is noise
    assert found.guarantee().get_delta(1.0) <= 1e-6
    assert found.delta <= 5e-7 < NoisyThreshold(found.noise, found.threshold - 1).delta
    size = float(getattr(found.noise, noise.noise_parameter))
    less = NoisyThreshold(made(noise, 0.995 * size, 1, 3), found.threshold)
    assert less.guarantee().get_delta(1.0) > 1e-6 or noise in (Gaussian, DiscreteGaussian)


def test_calibration_of_several_releases_and_its_refusals():
    found = NoisyThreshold.calibrate(ADP(1.0, 1e-6), sensitivity=1, releases=4, strict=False, share=0.25)
    assert found.guarantee().self_compose(4).get_delta(1.0) <= 1e-6
    assert found.delta <= 0.25e-6 / 4
    assert not found.strict
    for target in (ADP(1.0), GDP(1.0), ZCDP(0.1), ADP(1.0, 1.0)):
        with pytest.raises(CalibrationError):
            NoisyThreshold.calibrate(target, sensitivity=1)
    with pytest.raises(CalibrationError, match="share"):
        NoisyThreshold.calibrate(ADP(1.0, 1e-6), sensitivity=1, share=0)
    for bad in ({"noise": 3}, {"noise": ADP}, {"share": 2}, {"strict": 1}, {"threshold": 4}):
        with pytest.raises(InvalidParameterError):
            NoisyThreshold.calibrate(ADP(1.0, 1e-6), sensitivity=1, **bad)
