"""Draws what is to be labelled: samples by quota and stratum, and questions with known answers."""
