"""World files: read, checked, resolved."""

from pbn.spec.load import load_spec, parse_spec
from pbn.spec.model import WorldSpec
from pbn.spec.schema import json_schema

__all__ = ["WorldSpec", "json_schema", "load_spec", "parse_spec"]
