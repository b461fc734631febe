"""Templates: lines that software prints, with placeholders for what varies; parsed, printed and checked for form."""

from faultbook.signatures.comparison import Comparison, Operand, parse_comparison
from faultbook.signatures.form import form_faults
from faultbook.signatures.patterns import PATTERNS
from faultbook.signatures.template import TYPES, Fault, Part, Placeholder, Template, format_template, parse_template

__all__ = [
    "PATTERNS",
    "TYPES",
    "Comparison",
    "Fault",
    "Operand",
    "Part",
    "Placeholder",
    "Template",
    "form_faults",
    "format_template",
    "parse_comparison",
    "parse_template",
]
