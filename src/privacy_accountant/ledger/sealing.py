"""What makes a rewritten chain detectable: a secret that whoever can write the database does not have."""

from __future__ import annotations

import hashlib
import hmac
import json
import os

import attrs

from privacy_accountant.errors import InvalidParameterError

VARIABLE = "PRIVACY_ACCOUNTANT_LEDGER_KEY"
"""The environment variable that holds the secret."""

_LEAST = 16


@attrs.frozen
class Sealer:
    """How entries are hashed: SHA-256, or HMAC-SHA-256 (RFC 2104) with a secret.

    Without a secret the chain shows any change that does not rewrite everything after it. With one, nobody who lacks the secret
    can write an entry at all.

    Attributes:
        key: The secret; None for plain hashes.
    """

    key: bytes | None = attrs.field(default=None, repr=False)

    @property
    def name(self) -> str:
        """The name of the hash, as a study's settings hold it."""
        return "sha256" if self.key is None else "hmac-sha256"

    def digest(self, body: str) -> str:
        """The hash of an entry's body, hexadecimal."""
        if self.key is None:
            return hashlib.sha256(body.encode()).hexdigest()
        return hmac.new(self.key, body.encode(), hashlib.sha256).hexdigest()

    def holds(self, body: str, digest: str) -> bool:
        """Whether a hash is that of a body."""
        return hmac.compare_digest(self.digest(body).encode(), digest.encode())

    def objection(self, settings: str) -> str | None:
        """Why this sealer cannot speak for a study of these settings, in words; None when it can.

        A study that has no seal is refused while a secret is set: else whoever rewrites the ledger would just leave the seal out.
        """
        try:
            sealed = json.loads(settings).get("digest", "sha256")
        except (AttributeError, ValueError):
            return "its settings cannot be read"
        if sealed == self.name:
            return None
        if self.key is None:
            return f"it is sealed with a key; set {VARIABLE}"
        return f"it is not sealed with a key, and {VARIABLE} is set; unset it to work on this study"


def sealer_of_environment() -> Sealer:
    """The sealer that the environment asks for.

    Raises:
        InvalidParameterError: When the secret is too short; it is not quoted.
    """
    secret = os.environ.get(VARIABLE)
    if secret is None:
        return Sealer()
    if len(secret) < _LEAST:
        raise InvalidParameterError(
            VARIABLE, f"a secret of {_LEAST} characters or more", _Length(len(secret))
        )
    return Sealer(secret.encode())


class _Length(int):
    """A length, shown in place of what has it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{int(self)} characters"
