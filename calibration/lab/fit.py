#!/usr/bin/env python3
"""Learns the claim model from columns that `confab evaluate --features` wrote.

    fit.py [--columns DIR] [--out model.json] [--figures figures.json] [--date YYYY-MM-DD]

DIR holds NAME.jsonl for each set of SETS; sets that are missing are left out, but one is needed. The same files give the same model.
"""
import argparse
import base64
import csv
import hashlib
import json
import math
import pathlib
import struct

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

SEED = 7
AUTHORS = ("mC", "mD", "mE")  # of modern_train: how a group begins

# What each set weighs in all and how many of its claims are taken. Half of the weight goes to faulty claims.
# Of a planted set the right answers are the negatives and the planted claims the positives.
SETS = {
    "modern": (3000, None), "modern_planted": (1500, None), "ragtruth_planted": (400, 8000),
    "ragtruth": (500, 3000), "begin": (500, 3000), "attributionbench": (500, 3000), "summedits": (500, 3000),
    "xsum_words": (150, 2000), "faithdial_audit": (150, 2000), "vitaminc_real": (150, 2000), "infotabs": (150, 2000),
    "dialfact": (150, 2000), "quintd_phones": (150, 2000), "tabfact": (150, 2000),
}
NEAR = ("ragtruth", "begin", "attributionbench", "summedits")  # cross-validated by group
UNUSED = ("factcheckbench", "paws", "scone")  # never learned from: whole sets left out

# The sign of a column: more of it never lowers (+) or never raises (-) the log-odds of a fault. Others are free.
RISES = """nov1 nov2 nov3 cbi cbi_known miss_weight miss_last miss_run figures_out figures_free figure_gap figure_clash names_out
fields_false neg_only neg_lost neg_scope neg_scope_lost opposites wholes cited_gap cited_figures""".split()
FALLS = "cov1 cov2nd cov3 cov_all clause_min run_share aligned figure_own figure_mean figures_e1 pair_mean pair_min cited".split()
FALLS += ["clause_min_rel", "pair_rel", "fields_agree"]


class Set:
    """The claims of one set: columns x, label y and row of each claim; label and group of each row."""

    def __init__(self, path, planted):
        with open(path, encoding="utf-8") as f:
            self.columns = json.loads(next(f))["columns"]
            lines = [json.loads(line) for line in f]
        rows = {}
        for line in lines:
            rows.setdefault(line["row"], (len(rows), line["label"], str(line["group"]), str(line["id"])))
        _, self.label, self.group, self.id = (np.array(v) for v in zip(*rows.values()))
        self.row = np.array([rows[line["row"]][0] for line in lines])
        self.x = np.array([line["x"] for line in lines], dtype=np.float32)
        self.y = np.array([line["label"] if line["faulty"] is None else int(line["faulty"]) for line in lines])
        # In a variant only the planted claim says something new; in a labelled answer every claim counts.
        self.use = (self.y == 1) | (self.label[self.row] == 0) if planted else np.ones(len(lines), bool)

    def part(self, rows, weight, most):
        """x, y and weights of the claims of these rows that are learned from."""
        take = np.flatnonzero(self.use & rows[self.row])
        take = np.random.RandomState(SEED).permutation(take)[:most]
        y = self.y[take]
        share = np.where(y == 1, weight / 2 / max(1, y.sum()), weight / 2 / max(1, (1 - y).sum()))
        return self.x[take], y, share


def learn(sets, columns, keep):
    """A model of the rows for which keep(name, set) holds."""
    parts = []
    for name, s in sets.items():
        if name not in SETS:
            continue
        weight, most = SETS[name]
        rows = keep(name, s)
        if rows.any():
            weight *= len({g[:2] for g in s.group[rows]}) / len(AUTHORS) if name.startswith("modern") else 1
            parts.append(s.part(rows, weight, most))
    x, y, w = (np.concatenate(v) for v in zip(*parts))
    signs = [1 if c in RISES else -1 if c in FALLS else 0 for c in columns]
    model = HistGradientBoostingClassifier(
        max_iter=200, learning_rate=.08, max_leaf_nodes=20, max_depth=6, min_samples_leaf=60, l2_regularization=5, max_features=.5,
        max_bins=64, early_stopping=False, monotonic_cst=signs, random_state=SEED)
    return model.fit(x, y, sample_weight=w / w.mean())


def answer_scores(model, s):
    """½·log Σ exp(2·log-odds) over the claims of each answer."""
    total = np.zeros(len(s.label))
    np.add.at(total, s.row, np.exp(2 * model.decision_function(s.x)))
    return np.log(np.maximum(total, 1e-12)) / 2


def auroc(s, scores, rows=slice(None)):
    return round(float(roc_auc_score(s.label[rows], scores[rows])), 3)


def twins_ordered(s, scores):
    """The share of pairs (ids that differ in what follows the last "-") whose faulty answer ranks above its right twin."""
    pairs = {}
    for name, label, score in zip(s.id, s.label, scores):
        pairs.setdefault(name.rsplit("-", 1)[0], {})[label] = score
    pairs = [(p[1], p[0]) for p in pairs.values() if len(p) == 2]
    return round(sum((bad > good) + .5 * (bad == good) for bad, good in pairs) / max(1, len(pairs)), 3)


def folds(s, count=5):
    """The fold of each row; rows of a group share one, also across sets."""
    return np.array([hashlib.sha256(g.encode()).digest()[0] % count for g in s.group])


def validate(sets, columns):
    """Scores of answers by models that saw neither their author nor their group, by set; and of sets that are never learned from."""
    out = {name: np.full(len(sets[name].label), np.nan) for name in ("modern", *SETS) if name in sets and "planted" not in name}
    unused = {name: [] for name in sets if name in UNUSED}
    for fold in range(5):
        author = AUTHORS[fold] if fold < len(AUTHORS) else None

        def held_out(name, s, fold=fold, author=author):
            if name.startswith("modern"):
                return np.array([g[:2] == author for g in s.group])
            return folds(s) == fold

        model = learn(sets, columns, lambda name, s: ~held_out(name, s))
        for name, scores in out.items():
            rows = held_out(name, sets[name])
            scores[rows] = answer_scores(model, sets[name])[rows]
        for name, scores in unused.items():
            scores.append(answer_scores(model, sets[name]))
    return out | {name: np.mean(scores, axis=0) for name, scores in unused.items()}


def figures(sets, columns, scores, to_probability):
    """What the model is worth on rows it has not learned from."""
    report = {"sets": {}, "left_out_whole": {}, "score_above_which_right_answers": {}}
    probability = {name: 1 / (1 + np.exp(-to_probability["scale"] * s - to_probability["shift"])) for name, s in scores.items()}
    for name, s in sets.items():
        if name in scores:
            right = np.sort(probability[name][s.label == 0])[::-1]
            report["sets"][name] = {"rows": len(s.label), "auroc": auroc(s, scores[name])}
            report["score_above_which_right_answers"][name] = {
                f"{share:.0%}": round(float(right[int(share * len(right))]), 3) for share in (.05, .03, .01)}
    if "modern" in sets:
        s = sets["modern"]
        by_author = {a: auroc(s, scores["modern"], np.array([g[:2] == a for g in s.group])) for a in AUTHORS}
        report["authors"] = by_author | {"mean": round(sum(by_author.values()) / len(by_author), 3),
                                         "twins": twins_ordered(s, scores["modern"])}
    for name in sets:
        if name in SETS and not name.startswith("modern") and name not in (*NEAR, "ragtruth_planted"):
            model = learn(sets, columns, lambda other, s, name=name: np.full(len(s.label), other != name))
            report["left_out_whole"][name] = auroc(sets[name], answer_scores(model, sets[name]))
    return report


def scale(sets, scores):
    """Scale and shift from the score of an answer to its log-odds of a fault at an even prior; each set weighs the same."""
    x, y, w = [], [], []
    for name in ("modern", *NEAR):
        if name in sets:
            label = sets[name].label
            x.append(scores[name])
            y.append(label)
            w.append(np.where(label == 1, .5 / label.sum(), .5 / (1 - label).sum()))
    fit = LogisticRegression(C=1e6).fit(np.concatenate(x)[:, None], np.concatenate(y), sample_weight=np.concatenate(w) * 1000)
    return {"scale": round(float(fit.coef_[0, 0]), 6), "shift": round(float(fit.intercept_[0]), 6)}


def write_scores(sets, columns, scores, to_probability, file):
    """Scores of answers, as flags have them, by models that saw neither their group nor author, and by one that saw nothing of the set."""
    names = [name for name in ("modern", *NEAR) if name in sets]

    def probability(s, scale):
        return 1 / (1 + np.exp(-scale["scale"] * s - scale["shift"]))

    with open(file, "w", encoding="utf-8", newline="") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(["set", "id", "own_group", "whole_set"])
        for name in names:
            own, whole = probability(scores[name], to_probability), None
            if name in NEAR:
                model = learn(sets, columns, lambda other, s, name=name: np.full(len(s.label), other.removesuffix("_planted") != name))
                others = {other: s for other, s in sets.items() if other != name}
                whole = probability(answer_scores(model, sets[name]), scale(others, scores))
            for i, answer in enumerate(sets[name].id):
                out.writerow([name, answer, f"{own[i]:.6f}", "" if whole is None else f"{whole[i]:.6f}"])


def typical(sets):
    """The median of each column over the claims of right answers; each set weighs the same."""
    right = [s.x[s.label[s.row] == 0] for name, s in sets.items() if name in ("modern", *NEAR)]
    few = min(len(x) for x in right)
    taken = np.concatenate([x[np.random.RandomState(SEED).permutation(len(x))[:few]] for x in right])
    return [round(float(v), 4) for v in np.median(taken, axis=0)]


def trees(model, columns):
    """The trees as the package internal/model reads them: 11 bytes a node; a value below the limit goes left."""
    roots, nodes = [], []
    for (tree,) in model._predictors:
        at, order = {0: len(nodes)}, [0]
        roots.append(len(nodes))
        nodes.append(None)
        for i in order:  # children of a split stand side by side, after it
            node = tree.nodes[i]
            if node["is_leaf"]:
                nodes[at[i]] = struct.pack("<hbif", -1, 0, 0, node["value"])
                continue
            limit = np.float32(node["num_threshold"])  # x <= threshold is x < the next number above it
            limit = np.nextafter(limit, np.float32(np.inf)) if float(limit) <= node["num_threshold"] else limit
            at[node["left"]], at[node["right"]] = len(nodes), len(nodes) + 1
            nodes[at[i]] = struct.pack("<hbif", node["feature_idx"], 0, len(nodes), limit)
            nodes += [None, None]
            order += [node["left"], node["right"]]
    return {"features": columns, "bias": float(model._baseline_prediction[0, 0]), "roots": roots,
            "nodes": base64.b64encode(b"".join(nodes)).decode()}


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--columns", type=pathlib.Path, default="bin/lab")
    args.add_argument("--out", type=pathlib.Path, default="detectors/standard/model.json")
    args.add_argument("--figures", type=pathlib.Path, default="calibration/lab/figures.json")
    args.add_argument("--scores", type=pathlib.Path, help="also write scores of answers that models have not seen: for calibrate.py")
    args.add_argument("--date", default="", help="first part of the model's id")
    args = args.parse_args()
    files = {name: args.columns / f"{name}.jsonl" for name in (*SETS, *UNUSED)}
    files = {name: path for name, path in files.items() if path.exists()}
    if not files:
        raise SystemExit(f"{args.columns} has no columns: run `confab evaluate --features` for the sets, or make lab")
    sets = {name: Set(path, "planted" in name) for name, path in files.items()}
    columns = next(iter(sets.values())).columns
    for name, s in sets.items():
        if s.columns != columns:
            raise SystemExit(f"{files[name]} has other columns than {next(iter(files.values()))}: write all of them with one version")
    for sign in RISES + FALLS:
        if sign not in columns:
            print(f"note: no column {sign}")
    scores = validate(sets, columns)
    to_probability = scale(sets, scores)
    report = figures(sets, columns, scores, to_probability)
    if args.scores:
        write_scores(sets, columns, scores, to_probability, args.scores)
    model = learn(sets, columns, lambda name, s: np.ones(len(s.label), bool))
    fingerprint = hashlib.sha256(b"".join(files[name].read_bytes() for name in sorted(files) if name in SETS)).hexdigest()[:16]
    learned = [s for name, s in sets.items() if name in SETS]
    text = json.dumps({
        "format": 2, "id": "-".join(filter(None, (args.date, fingerprint[:8]))), "created_by": "calibration/lab",
        "data": {"fingerprint": fingerprint, "rows": sum(len(s.label) for s in learned),
                 "positives": int(sum(s.label.sum() for s in learned)), "seed": SEED},
        "grounding": {"trees": trees(model, columns), **to_probability, "typical": typical(sets)}}, separators=(",", ":"))
    args.out.write_text(text + "\n")
    args.figures.write_text(json.dumps(report, indent=1) + "\n")
    print(json.dumps(report, indent=1))
    print(f"{args.out}: {len(text):,} bytes")


if __name__ == "__main__":
    main()
