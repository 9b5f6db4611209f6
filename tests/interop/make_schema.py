"""Writes the JSON schema of documents from the table of tags: python tests/interop/make_schema.py

The schema is published with the package. A tag or a field that is added may be; what is there stays as long as the version does.
"""

import json
from pathlib import Path

import attrs

from privacy_accountant.codec import table
from privacy_accountant.interop.documents import SCHEMA, VERSION
from privacy_accountant.neighbors import Neighbors

PLACE = Path(__file__).parents[2] / "src/privacy_accountant/interop/schema/document-1.json"
NUMBER = r"^(-?inf|-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?|-?(0x[0-9a-f]+|[0-9]+)(/(0x[0-9a-f]+|[0-9]+))?)$"
VALUE = {"$ref": "#/$defs/value"}


def described(properties, required):
    return {
        "type": "object",
        "properties": properties,
        "required": sorted(required),
        "additionalProperties": False,
    }


def by_fields(codec):
    """The fields of an attrs class; one whose default is None may be absent."""
    fields = [field for field in attrs.fields(codec.cls) if field.init]
    required = {"type", *(field.alias for field in fields if field.default is attrs.NOTHING)}
    return described({"type": {"const": codec.tag}, **{field.alias: VALUE for field in fields}}, required)


def by_hand():
    """Classes whose JSON is not their fields."""
    neighbors = {"type": {"const": "Neighbors"}, "name": {"enum": list(Neighbors.__members__)}}
    sensitivity = {"type": {"const": "Sensitivity"}} | dict.fromkeys(
        ("per_value", "values", "l1", "l2_squared"), VALUE
    )
    names = ("study", "entry", "label", "mechanism", "cost", "repeated")
    receipt = {"type": {"const": "Receipt"}} | dict.fromkeys((*names, "partition"), VALUE)
    return {
        "Neighbors": described(neighbors, neighbors),
        "Sensitivity": described(sensitivity, ["type"]),
        "Receipt": described(receipt, ["type", *names]),
    }


def schema():
    """The schema of everything that the library itself can write; tags with a dot are other people's."""
    table.tags()
    held = by_hand()
    for tag, codec in sorted(table._by_tag.items()):
        if "." not in tag and codec.cls.__module__.startswith("privacy_accountant.") and tag not in held:
            held[tag] = by_fields(codec)
    own = {
        "type": "object",
        "properties": {"type": {"type": "string", "pattern": "[.]"}},
        "required": ["type"],
        "additionalProperties": VALUE,
    }
    text = described({"text": {"type": "string"}}, ["text"])
    tagged = [{"$ref": f"#/$defs/{tag}"} for tag in sorted(held)]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:{SCHEMA.replace('/', ':')}:{VERSION}",
        "title": f"Guarantees, mechanisms and receipts of privacy-accountant, version {VERSION}",
        "description": (
            "Every object names its type by a tag; the tags are listed here, and those with a dot belong to mechanisms that"
            " a program registered. A number is text that holds it exactly; a JSON integer is a count; a list is a tuple."
        ),
        "type": "object",
        "properties": {
            "schema": {"const": SCHEMA},
            "version": {"const": VERSION},
            "value": {"anyOf": [*tagged, {"$ref": "#/$defs/registered"}]},
        },
        "required": ["schema", "version", "value"],
        "$defs": {
            "number": {"type": "string", "pattern": NUMBER},
            "text": text,
            "registered": own,
            "value": {
                "anyOf": [
                    {"type": ["null", "boolean", "integer"]},
                    {"$ref": "#/$defs/number"},
                    {"$ref": "#/$defs/text"},
                    {"type": "array", "items": VALUE},
                    *tagged,
                    {"$ref": "#/$defs/registered"},
                ]
            },
            **held,
        },
    }


def written():
    return json.dumps(schema(), indent=1) + "\n"


if __name__ == "__main__":
    PLACE.write_text(written(), encoding="utf-8")
