"""Training by noisy gradients on Poisson samples, as one release."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs

from privacy_accountant.codec import tagged
from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import Real, canonical, exact, integer, positive, real
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.pld import PLD, GaussianPair, SubsampledGaussianPair
from privacy_accountant.mechanisms.base import Mechanism
from privacy_accountant.mechanisms.gaussian import Gaussian
from privacy_accountant.mechanisms.opaque import Elsewhere
from privacy_accountant.mechanisms.sampled import PoissonSampled
from privacy_accountant.neighbors import Neighbors


def _noise_multiplier(value: object) -> Real:
    return positive(value, "noise_multiplier")


def _sampling_rate(value: object) -> Real:
    rule = "a number in (0, 1]"
    rate = real(value, "sampling_rate", rule)
    if not 0 < rate <= 1:
        raise InvalidParameterError("sampling_rate", rule, value)
    return rate


def _steps(value: object) -> int:
    return integer(value, "steps", "an integer >= 1", least=1)


@tagged("DPSGD")
@attrs.frozen(repr=False)
class DPSGD(Elsewhere):
    r"""Stochastic gradient descent with clipped gradients and Gaussian noise (Abadi et al. 2016, arXiv 1607.00133).

    Every step draws a Poisson sample, clips each record's gradient to an L2 norm of C, adds them up and adds Gaussian noise of standard
    deviation `noise_multiplier` times C to every coordinate. The release is all of the steps' noisy sums, and so whatever is made of them. It
    is the composition of `steps` equal releases, each a `PoissonSampled` Gaussian; C cancels.

    It is an account, not a sampler: the training loop draws the noise. Record it with `Accountant.spend` *before* training starts; `step` is
    one step as a mechanism that can draw samples and noise.

    **What it assumes**: batches are drawn as here, every record by a coin of its own at every step. Most training loops shuffle instead and
    go through the data in order; for them no such bound is proved, and attacks find more than it says (Annamalai et al. 2024, arXiv
    2411.10614). A step whose batch is empty is still a step, and sums are divided by the expected batch size.

    Attributes:
        noise_multiplier: Standard deviation of the noise in units of the clipping norm; the decimal that was typed.
        sampling_rate: Probability of a record to be in a batch, in (0, 1].
        steps: How many.

    Raises:
        InvalidParameterError: When a parameter is out of range.

    Example:
        >>> from privacy_accountant import ADP, DPSGD
        >>> training = DPSGD(noise_multiplier=1.1, sampling_rate=0.01, steps=1000)
        >>> round(training.guarantee().get_epsilon(1e-5), 4)
        1.5154
        >>> enough = DPSGD.calibrate(ADP(1, 1e-5), sampling_rate=0.01, steps=1000)
        >>> round(enough.noise_multiplier, 3)
        1.415
    """

    noise_parameter: ClassVar[str | None] = "noise_multiplier"
    neighbors = Neighbors.ADD_OR_REMOVE_ONE
    _instead = "noised in the training loop, step by step (see DPSGD.step), and recorded before that with Accountant.spend"

    noise_multiplier: Real = attrs.field(converter=_noise_multiplier)
    sampling_rate: Real = attrs.field(converter=_sampling_rate)
    steps: int = attrs.field(converter=_steps)

    def _native(self) -> PrivacyGuarantee:
        square = canonical(1 / exact(self.noise_multiplier) ** 2)
        if self.sampling_rate == 1:
            return PLD.of(GaussianPair(square), self.steps)
        return PLD.of(SubsampledGaussianPair(self.sampling_rate, square), self.steps)

    def step(self, clipping_norm: Any = 1, **parameters: Any) -> Mechanism:
        """One step as a mechanism: `draw_sample` draws the batch and `randomize` noises the sum of its clipped gradients.

        Args:
            clipping_norm: The L2 norm C that gradients are clipped to.
            **parameters: `grid` and `length` of the `Gaussian`, for gradients that are real numbers. What a grid adds is part of the
                step's own guarantee, not of this account; choose the noise multiplier a little larger.
        """
        norm = exact(positive(clipping_norm, "clipping_norm"))
        noise = Gaussian(norm * exact(self.noise_multiplier), norm, **parameters)
        return noise if self.sampling_rate == 1 else PoissonSampled(noise, self.sampling_rate)
