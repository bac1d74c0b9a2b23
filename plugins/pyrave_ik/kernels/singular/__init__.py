"""Singular poses: continua, perturbation, Newton steps to singular solutions."""
