"""The single questions that a report answers: each goes to the guarantee."""

from __future__ import annotations

from numpy.typing import ArrayLike

from privacy_accountant.guarantees.arguments import Answer
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.risk.figures import true_positive_rate
from privacy_accountant.risk.posterior import posterior


class Questions:
    """What can be asked of a report, number by number."""

    guarantee: PrivacyGuarantee

    def beta(self, alpha: ArrayLike) -> Answer:
        """The least share of people that an attack misses at the false positive rate alpha: a lower bound.

        Raises:
            InvalidParameterError: When alpha is not in [0, 1].
        """
        return self.guarantee.beta(alpha)

    def tpr(self, alpha: ArrayLike) -> Answer:
        r"""The largest true positive rate, :math:`1 - f(\alpha)`, at the false positive rate alpha: an upper bound.

        Raises:
            InvalidParameterError: When alpha is not in [0, 1].

        Example:
            >>> from privacy_accountant import GDP, RiskReport
            >>> RiskReport(GDP(mu=0)).tpr([0.0, 0.01, 1.0]).tolist()
            [0.0, 0.01, 1.0]
        """
        return true_positive_rate(self.guarantee, alpha)

    @property
    def advantage(self) -> float:
        r"""The largest :math:`\mathrm{TPR} - \alpha` of any attack: an upper bound."""
        return self.guarantee.advantage

    def bayes_risk(self, prior: ArrayLike) -> Answer:
        """The least error of an attacker whose belief before the results is `prior`: a lower bound.

        Raises:
            InvalidParameterError: When prior is not in [0, 1].
        """
        return self.guarantee.bayes_risk(prior)

    def attack_success(self, baseline: ArrayLike) -> Answer:
        """The largest success of an attack that succeeds with probability `baseline` without the record: an upper bound.

        Raises:
            InvalidParameterError: When baseline is not in [0, 1].
        """
        return self.guarantee.attack_success(baseline)

    def ppv(self, alpha: ArrayLike, prior: float) -> Answer:
        """The largest share of right accusations at the false positive rate alpha: an upper bound, never quoted without alpha.

        Raises:
            InvalidParameterError: When alpha or prior is not in [0, 1].
        """
        return self.guarantee.ppv(alpha, prior)

    def posterior(self, prior: ArrayLike, exception: float = 1e-6) -> Answer:
        r"""The largest belief after the results of someone whose belief before was `prior`: an upper bound.

        It holds for all results but those of an event of probability at most `exception`, whether or not the record was used.
        With L the privacy loss, :math:`\Pr[L > t] \le \delta(\varepsilon) / (1 - e^{\varepsilon - t})` for every t above epsilon;
        a loss of t turns a belief p into :math:`p e^t / (1 - p + p e^t)`. The belief that it was *not* used rises by no more.

        Raises:
            InvalidParameterError: When prior or exception is not in [0, 1].

        Example:
            >>> from privacy_accountant import GDP, RiskReport
            >>> round(RiskReport(GDP(mu=0.5)).posterior(0.1, exception=0.001), 3)
            0.403
        """
        return posterior(self.guarantee, prior, exception)

    def get_epsilon(self, delta: ArrayLike) -> Answer:
        """The least epsilon at a delta: an upper bound, infinity when there is none.

        Raises:
            InvalidParameterError: When delta is not in [0, 1].
        """
        return self.guarantee.get_epsilon(delta)

    def get_delta(self, epsilon: ArrayLike) -> Answer:
        """The privacy profile at any real epsilon: an upper bound.

        Raises:
            InvalidParameterError: When epsilon is not a number.
        """
        return self.guarantee.get_delta(epsilon)
