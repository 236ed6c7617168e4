"""Counterfactual regret minimisation, one engine a module."""
