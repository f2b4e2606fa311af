"""Audits a judge: agreement with people, probes with changed answers, drift, and one verdict."""
