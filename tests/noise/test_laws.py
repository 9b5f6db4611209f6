"""The four laws: probabilities, half widths, and draws against them."""

import inspect
import math
import tracemalloc
from fractions import Fraction

import attrs
import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.noise import DiscreteGaussianLaw, RoundedGaussianLaw, laws
from privacy_accountant.noise.stepped import Stepped
from privacy_accountant.noise.table import Table

SMALL = ["0.05", "0.3", "1", "2.5", "10", "64", "64.5", "99"]
LARGE = ["128", "128.5", "1000", "1e6", "1e9"]
HUGE = [str(2**62), "1e25", "1e400"]


class TestDraws:
    @pytest.mark.parametrize("scale", SMALL + LARGE)
    def test_arrays_follow_the_law(self, make, follows, scale):
        law = make(scale)
        drawn = law.draw((500, 600))
        assert drawn.shape == (500, 600)
        assert drawn.dtype == np.int64
        assert follows(law, drawn.ravel())

    @pytest.mark.parametrize("scale", ["0.3", "1", "10", "128.5", "1e6"])
    def test_single_draws_follow_the_law(self, make, follows, scale):
        law = make(scale)
        drawn = [law.draw_one() for _ in range(20000)]
        assert {type(x) for x in drawn} == {int}
        assert follows(law, drawn)

    @pytest.mark.parametrize("scale", HUGE)
    def test_huge_scales_follow_the_law(self, make, law_type, scale):
        """The distribution by Kolmogorov and Smirnov, the low bits by chi-square."""
        law = make(scale)
        drawn = [int(x) for x in law.draw((20000,))] + [law.draw_one() for _ in range(5000)]
        shape = "norm" if "Gaussian" in law_type.__name__ else "laplace"
        scaled = [float(Fraction(x) / Fraction(scale)) for x in drawn]
        assert stats.kstest(scaled, shape).pvalue > 1e-8
        low = np.bincount([x % 128 for x in drawn], minlength=128)
        assert stats.chisquare(low).pvalue > 1e-8
        assert len(set(drawn)) > 24900

    @pytest.mark.parametrize("scale", ["1000", "1e6", "1e12"])
    def test_low_bits_are_uniform_at_large_scales(self, make, scale):
        low = np.bincount(make(scale).draw((200000,)) & 127, minlength=128)
        assert stats.chisquare(low).pvalue > 1e-8

    @pytest.mark.parametrize("scale", ["0.3", "1", "9.5"])
    def test_the_slow_table_path_follows_the_law(self, make, follows, scale):
        """Shrunk tables: thousands of draws are settled with integers of any size."""
        table = make(scale)._make_sampler(short=3, word=7)
        table.cumulative, slow = Remembering(table.cumulative), Counting(table._settle)
        table._settle = slow
        assert follows(make(scale), table.draw(60000, laws.operating_system))
        assert slow.calls > (200 if scale == "0.3" else 1500)

    @pytest.mark.parametrize("scale", ["129", "1000", "1e6", str(2**62)])
    def test_the_slow_rejection_path_follows_the_law(self, make, follows, law_type, scale):
        sampler = make(scale)._make_sampler(short=3, word=7)
        table, threshold = sampler.table, Counting(sampler._threshold)
        table.cumulative, table._settle = Remembering(table.cumulative), Counting(table._settle)
        sampler.sure = np.zeros_like(sampler.sure)
        sampler.close, sampler._threshold = 2.0, threshold
        drawn = sampler.draw(8000, laws.operating_system)
        assert threshold.calls >= 8000
        assert table._settle.calls >= 2000
        if float(scale) < 1e9:
            assert follows(make(scale), drawn)
        shape = "norm" if "Gaussian" in law_type.__name__ else "laplace"
        if float(scale) > 1e5:
            assert stats.kstest([float(x) / float(scale) for x in drawn], shape).pvalue > 1e-8

    @pytest.mark.parametrize("scale", ["1e-300", "1e-3"])
    def test_tiny_scales_give_zero(self, make, scale):
        law = make(scale)
        assert not law.draw((300000,)).any()
        assert {law.draw_one() for _ in range(1000)} == {0}
        assert law.pmf(0) == 1.0

    def test_beyond_int64_python_ints(self, make):
        drawn = make(str(2**62)).draw((100, 100))
        assert drawn.dtype == object
        assert {type(x) for x in drawn.ravel()} == {int}
        assert max(abs(x) for x in drawn.ravel()) > 2**63
        assert make("1e30").draw((3,)).dtype == object

    @pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (5,), (2, 3, 4)])
    def test_shapes(self, make, shape):
        for scale in ("1", "1000", "1e30"):
            assert make(scale).draw(shape).shape == shape

    def test_there_is_no_seed(self, law_type):
        assert list(inspect.signature(law_type.draw).parameters) == ["self", "shape"]
        assert list(inspect.signature(law_type.draw_one).parameters) == ["self"]
        assert len(attrs.fields(law_type)) == 1

    @settings(max_examples=15)
    @given(st.integers(1, 10**30), st.integers(1, 10**30), st.integers(0, 3))
    def test_every_positive_rational_scale_draws(self, top, bottom, which):
        law = laws.IntegerLaw.__subclasses__()[which](Fraction(top, bottom))
        drawn = law._make_sampler().draw(50, laws.operating_system)
        bound = law.half_width(1 - 1e-15)
        assert all(abs(int(x)) <= bound for x in drawn)


class Remembering:
    """A distribution that keeps its enclosures, so that thousands of slow draws take no time."""

    def __init__(self, cumulative):
        self.cumulative, self.signed, self.known = cumulative, cumulative.signed, {}

    def enclose(self, bits):
        if bits not in self.known:
            self.known[bits] = self.cumulative.enclose(bits)
        return self.known[bits]


class Counting:
    def __init__(self, function):
        self.function, self.calls = function, 0

    def __call__(self, *arguments):
        self.calls += 1
        return self.function(*arguments)


class TestProbabilities:
    @pytest.mark.parametrize(
        "scale", ["1e-3", "0.05", "1/3", "1", "10", "127.9", "128", "128.1", "1e6", str(2**62)]
    )
    def test_pmf(self, make, mass, scale):
        law = make(scale)
        spread = max(1, round(float(Fraction(scale))))
        with mpmath.workdps(400):
            for k in (0, 1, -1, 2, spread, -3 * spread, 8 * spread, 30 * spread):
                assert law.pmf(k) == pytest.approx(float(mass(law, k)), rel=2e-15, abs=0), k

    def test_pmf_sums_to_one(self, make):
        law = make("2.7")
        reach = law.half_width(1 - 1e-15)
        assert math.fsum(law.pmf(k) for k in range(-reach, reach + 1)) == pytest.approx(1, abs=1e-14)

    def test_what_no_float_holds_is_zero(self, make):
        assert make("1").pmf(10**6) == 0.0
        assert make("1e-300").pmf(1) == 0.0
        assert make("1e400").pmf(0) == 0.0

    def test_reference_of_a_large_discrete_gaussian(self):
        law = DiscreteGaussianLaw(Fraction(200))
        total = math.fsum(math.exp(-k * k / 80000) for k in range(-9000, 9001))
        assert law.pmf(150) == pytest.approx(math.exp(-22500 / 80000) / total, rel=1e-14)


class TestHalfWidth:
    @pytest.mark.parametrize(
        "scale", ["1e-300", "0.1", "1", "3.7", "64", "127", "1000", "123456.789", str(2**62)]
    )
    @pytest.mark.parametrize("level", [0, 0.5, 0.95, Fraction(10**40 - 1, 10**40)])
    def test_is_the_least(self, make, law_type, tail, scale, level):
        law = make(scale)
        if law_type is DiscreteGaussianLaw and Fraction(scale) > 128:
            assert law.half_width(level) == RoundedGaussianLaw(law.sigma).half_width(level)
            return
        h, exact = law.half_width(level), Fraction(str(level))
        with mpmath.workdps(60):
            if scale == "1e-300":
                assert h == 0
                return
            outside = 1 - mpmath.mpf(exact.numerator) / exact.denominator
            assert tail(law, h) <= outside
            assert h == 0 or tail(law, h - 1) > outside

    def test_at_a_scale_of_100_digits(self, make, law_type, tail):
        law = make("1e100")
        h = law.half_width(0.95)
        if law_type is not DiscreteGaussianLaw:
            with mpmath.workdps(300):
                assert tail(law, h) <= mpmath.mpf(1) / 20 < tail(law, h - 1)
        expected = 1.96 if "Gaussian" in law_type.__name__ else 2.996
        assert float(Fraction(h, 10**100)) == pytest.approx(expected, rel=1e-3)

    @pytest.mark.parametrize("sigma", ["129", "150.25"])
    @pytest.mark.parametrize("level", [0.001, 0.3, 0.68, 0.683, 0.7, 0.95, 0.9999, 1 - 1e-12])
    def test_of_a_large_discrete_gaussian_is_never_too_small(self, tail, sigma, level):
        law = DiscreteGaussianLaw(Fraction(sigma))
        h, exact = law.half_width(level), Fraction(str(level))
        with mpmath.workdps(30):
            outside = 1 - mpmath.mpf(exact.numerator) / exact.denominator
            assert tail(law, h) <= outside
            assert h < 2 or tail(law, h - 2) > outside

    @pytest.mark.parametrize("h", [0, 1, 50, 128, 129, 130, 200, 700])
    def test_the_rounded_gaussian_is_more_spread_than_a_large_discrete_one(self, tail, h):
        sigma = Fraction(257, 2)
        with mpmath.workdps(60):
            assert tail(DiscreteGaussianLaw(sigma), h) < tail(RoundedGaussianLaw(sigma), h)

    @pytest.mark.parametrize("level", [1, 1.5, -0.1, math.nan, math.inf, "0.95", True, None])
    def test_levels_outside_are_refused(self, make, level):
        with pytest.raises(InvalidParameterError, match="level must be"):
            make("1").half_width(level)

    def test_covers_what_is_drawn(self, make):
        for scale in ("0.7", "12", "1000"):
            law = make(scale)
            inside = int((np.abs(law.draw((100000,))) <= law.half_width(0.95)).sum())
            assert stats.binomtest(inside, 100000, 0.95, alternative="less").pvalue > 1e-8


class TestValues:
    @pytest.mark.parametrize(
        "scale", [0, 1, 1.0, -1, "1", Fraction(0), Fraction(-1, 3), math.nan, True, None]
    )
    def test_only_positive_fractions(self, law_type, scale):
        with pytest.raises(InvalidParameterError):
            law_type(scale)

    def test_equal_by_value_and_frozen(self, law_type):
        one, two = law_type(Fraction(1, 10)), law_type(Fraction("0.1"))
        assert one == two
        assert hash(one) == hash(two)
        assert one != law_type(Fraction(0.1))
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            setattr(one, attrs.fields(law_type)[0].name, Fraction(2))

    def test_laws_of_one_scale_share_no_table(self):
        kinds = laws.IntegerLaw.__subclasses__()
        assert len({law(Fraction(3)) for law in kinds}) == len(kinds) == 4
        assert len({id(laws._sampler(law(Fraction(3)))) for law in kinds}) == 4

    @pytest.mark.parametrize("scale", ["64", "128", "1e6"])
    def test_memory_of_a_scale(self, make, scale):
        laws._sampler.cache_clear()
        law = make(scale)
        tracemalloc.start()
        try:
            before = tracemalloc.get_traced_memory()[0]
            law.draw_one()
            assert tracemalloc.get_traced_memory()[0] - before < 2**20
        finally:
            tracemalloc.stop()

    def test_the_cache_is_bounded(self):
        for n in range(1, 50):
            laws._sampler(RoundedGaussianLaw(Fraction(n, 50)))
        assert laws._sampler.cache_info().currsize <= laws._sampler.cache_info().maxsize == 32

    @pytest.mark.parametrize("scale", ["64", "65", "128", "129", "256", "257", "1e6", str(2**61), "1e400"])
    def test_table_scales(self, make, law_type, scale):
        """Steps are the least powers of two that bring the table's scale down to 128."""
        sampler = make(scale)._make_sampler()
        direct = Fraction(scale) <= (64 if law_type is RoundedGaussianLaw else 128)
        assert isinstance(sampler, Table if direct else Stepped)
        if not direct:
            assert Fraction(scale) <= 128 << sampler.k
            assert sampler.k == 0 or Fraction(scale) > 64 << sampler.k
