"""Stages before retrieval, which change what is searched for, with one module for each."""
