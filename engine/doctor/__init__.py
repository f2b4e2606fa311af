"""An examination of the installation that imports and starts nothing heavy."""

from engine.doctor.findings import Area, Finding, State
from engine.doctor.host import host_findings
from engine.doctor.installation import installation_findings
from engine.doctor.providers import provider_findings
from engine.doctor.workspace import workspace_findings

__all__ = [
    "Area",
    "Finding",
    "State",
    "host_findings",
    "installation_findings",
    "provider_findings",
    "workspace_findings",
]
