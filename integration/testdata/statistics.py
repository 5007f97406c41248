"""Reads data sets as JSON and writes what SciPy and statsmodels compute of them.

A statistic that does not exist is null.
"""
import json
import math
import sys
import warnings

import numpy as np
from scipy import stats
from statsmodels.stats.contingency_tables import StratifiedTable
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.oneway import anova_oneway
from statsmodels.stats.proportion import proportion_confint

warnings.simplefilter("ignore")


def figures(compute):
    """Returns the figures, or None if one of them does not exist."""
    try:
        values = [float(v) for v in compute()]
    except (ValueError, ZeroDivisionError):
        return None
    return values if all(map(math.isfinite, values)) else None


def welch(a, b):
    t = stats.ttest_ind(a, b, equal_var=False)
    return t.statistic, t.df, t.pvalue


def anova(groups):
    t = anova_oneway(groups, use_var="unequal", welch_correction=True)
    return t.statistic, *t.df, t.pvalue


def chi_square(counts):
    counts = np.array(counts, int)
    t = stats.chi2_contingency(counts, correction=False)
    return (t.statistic, t.dof, t.pvalue, stats.contingency.association(counts, method="cramer"),
            t.expected_freq.min())


def strata(tables):
    # A stratum without one of the groups says nothing. The p-value is that of SciPy,
    # as statsmodels subtracts from 1, which leaves no digits of a small one.
    tables = [np.array(t, float) for t in tables if sum(t[0]) and sum(t[1])]
    s = StratifiedTable(tables)
    null = s.test_null_odds(correction=False)
    weights = [t[0].sum() * t[1].sum() / t.sum() for t in tables]
    differences = [t[0][0] / t[0].sum() - t[1][0] / t[1].sum() for t in tables]
    return s.oddsratio_pooled, np.average(differences, weights=weights), null.statistic, stats.chi2.sf(null.statistic, 1)


def results(d):
    a, b, groups = d["a"], d["b"], d["groups"]
    x, y = d["x"], d["y"]
    return {
        "welch": figures(lambda: welch(a, b)),
        "mann_whitney": figures(lambda: stats.mannwhitneyu(a, b)),
        "anova": figures(lambda: anova(groups)),
        "kruskal": figures(lambda: stats.kruskal(*groups)),
        "pearson": figures(lambda: stats.pearsonr(x, y)),
        "spearman": figures(lambda: stats.spearmanr(x, y)),
        "chi_square": figures(lambda: chi_square(d["counts"])),
        "fisher": figures(lambda: [stats.fisher_exact(d["strata"][0]).pvalue]),
        "strata": figures(lambda: strata(d["strata"])),
        # Without the rounding error that is left of 0.
        "wilson": figures(lambda: np.round(proportion_confint(d["count"], d["n"], method="wilson"), 15)),
        "holm": figures(lambda: multipletests(d["p"], method="holm")[1]),
        "benjamini_hochberg": figures(lambda: multipletests(d["p"], method="fdr_bh")[1]),
    }


json.dump([results(d) for d in json.load(sys.stdin, parse_int=float)], sys.stdout)
