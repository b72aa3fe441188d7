"""Writes data.json: made-up scored rows, and what scikit-learn and SciPy compute from them.

The tests TestScikitLearn of calibration/shares and calibration/quality compare this with our figures.

    python generate.py > data.json        # with examples/notebook/requirements.txt
"""

import json

import numpy as np
import scipy.stats
import sklearn
from sklearn.metrics import f1_score, precision_score, recall_score, roc_auc_score

LEVELS, PER_LEVEL, THRESHOLD = 25, 16, 0.5

rng = np.random.default_rng(20261122)
level = np.repeat(np.arange(LEVELS), PER_LEVEL)
log_odds = np.round(-3 + 6 * level / (LEVELS - 1), 4)
label = (rng.random(len(level)) < 1 / (1 + np.exp(1.5 - 0.8 * log_odds))).astype(int)
score = np.round(np.clip(0.35 + 0.1 * log_odds + 0.2 * rng.standard_normal(len(level)), 0, 1), 2)  # with ties
weight = np.round(rng.uniform(0.5, 4, len(level)), 2)
fired = (score >= THRESHOLD).astype(int)


MODELS = 3  # row i is of model i % MODELS


def within_model(w):
    parts = [np.arange(len(label)) % MODELS == m for m in range(MODELS)]
    areas = [roc_auc_score(label[p], score[p], sample_weight=w[p]) for p in parts]
    return np.average(areas, weights=[(w * label)[p].sum() for p in parts])


def found(w, share):
    """The part of the faulty weight among the highest scores; equal scores are taken in equal parts."""
    levels = np.unique(score)[::-1]
    seen = [0] + [w[score >= at].sum() / w.sum() for at in levels]
    return np.interp(share, seen, [0] + [recall_score(label, score >= at, sample_weight=w) for at in levels])


def figures(w):
    return {
        "auroc": roc_auc_score(label, score, sample_weight=w),
        "within_model": within_model(w),
        "found_in_5": found(w, 0.05), "found_in_20": found(w, 0.2), "found_in_50": found(w, 0.5),
        "f1": f1_score(label, fired, sample_weight=w),
        "precision": precision_score(label, fired, sample_weight=w),
        "recall": recall_score(label, fired, sample_weight=w),
    }


def wilson(hits, trials):
    interval = scipy.stats.binomtest(hits, trials).proportion_ci(method="wilson")
    return {"hits": hits, "trials": trials, "low": interval.low, "high": interval.high}


ones = np.ones(len(level))
print(json.dumps({
    "made_by": f"scikit-learn {sklearn.__version__}, SciPy {scipy.__version__}, NumPy {np.__version__}",
    "threshold": THRESHOLD,
    "equal": {"figures": figures(ones)},
    "weighted": {"figures": figures(weight)},
    "wilson": [wilson(h, n) for h, n in [(0, 1), (1, 1), (7, 10), (81, 263), (999, 1000)]],
    "log_odds": log_odds.tolist(), "label": label.tolist(), "score": score.tolist(), "weight": weight.tolist(),
}))
