"""Guarantees and mechanisms to and from JSON, through a closed table of tags."""

from privacy_accountant.codec.table import Json, decode, encode, enter, tagged, tags, unregistered

__all__ = ["Json", "decode", "encode", "enter", "tagged", "tags", "unregistered"]
