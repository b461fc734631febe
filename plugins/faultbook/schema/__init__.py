"""The entry format, version 1: frozen models, and the violations that data of another shape gets."""

from faultbook.schema.actions import Check, Example, Fix, Verify
from faultbook.schema.commands import Command, Danger
from faultbook.schema.completeness import Lack, lacks
from faultbook.schema.entry import Entry, Status, TellApart
from faultbook.schema.faults import schema_violations
from faultbook.schema.fields import SLUG, TEMPLATE_LIMIT, Kind, Limit, Model, TextField, text_fields, texts
from faultbook.schema.signature import Signature, Symptom
from faultbook.schema.sources import Reference, Sample
from faultbook.schema.vocabulary import Category, Reproduced, ReproducedCase, System, Tag, Wanted, parse_vocabulary

__all__ = [
    "SLUG",
    "TEMPLATE_LIMIT",
    "Category",
    "Check",
    "Command",
    "Danger",
    "Entry",
    "Example",
    "Fix",
    "Kind",
    "Lack",
    "Limit",
    "Model",
    "Reference",
    "Reproduced",
    "ReproducedCase",
    "Sample",
    "Signature",
    "Status",
    "Symptom",
    "System",
    "Tag",
    "TellApart",
    "TextField",
    "Verify",
    "Wanted",
    "lacks",
    "parse_vocabulary",
    "schema_violations",
    "text_fields",
    "texts",
]
