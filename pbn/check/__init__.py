"""Every promise of a world tested: what must hold of any world, and what its file claims besides."""

from pbn.check.checking import check_world, planned_checks
from pbn.check.report import Check, Finding, Report, Result

__all__ = ["Check", "Finding", "Report", "Result", "check_world", "planned_checks"]
