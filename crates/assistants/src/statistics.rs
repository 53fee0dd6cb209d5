//! Formulas that turn counted answers into numbers: rates, shares, intervals, strength and difficulty. Pure.
