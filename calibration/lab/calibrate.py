#!/usr/bin/env python3
"""The embedded calibration, the prior of confab tune and the answers of its simulation, from scores of rows.

    calibrate.py ROWS SCORES

ROWS is what `confab evaluate --rows` wrote for the sets below, SCORES what `fit.py --scores` did: scores of grounding by models
that have not seen the answer. No text is read or written.
"""
import argparse
import collections
import csv
import gzip
import json
import math
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
NEAR = ("ragtruth", "begin", "attributionbench", "summedits")
TEXT = ("citation", "grounding", "facts")
DETECTORS = ("citation", "grounding", "facts", "confidence", "schema", "technical", "tools", "consistency")
DIGITS = {"citation": 20, "facts": 20}  # of the prior: scores are multiples of 1/20, else of 1/100
QUIET = .96  # the threshold of grounding leaves this share of the right answers of each set below it


def wilson(hits, n, z=1.96):
    if not n:
        return 0, 1
    p = hits / n
    centre, half = (p + z * z / 2 / n) / (1 + z * z / n), z * math.sqrt(p * (1 - p) / n + z * z / 4 / n / n) / (1 + z * z / n)
    return centre - half, centre + half


def table(file):
    with open(file, encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


def read(rows_file, scores_file):
    """The measured rows: set, label, scores by detector and model, with the score of grounding by models that saw neither group
    nor author, and that by one that saw nothing of the set."""
    held_out = {(r["set"], r["id"]): r for r in table(scores_file)}
    rows = []
    for r in table(rows_file):
        scores = {d: float(r[d + "_score"]) for d in DETECTORS if r.get(d + "_outcome") in ("fired", "clear")}
        scores |= {d: float(r[d + "_score"]) for d in ("consistency",) if r.get(d + "_score")}
        limits = {d: float(r[d + "_threshold"]) for d in scores if r.get(d + "_threshold")}
        row = {"set": r["dataset"], "id": r["id"], "group": r["group"], "label": int(r["label"]), "model": r["model"], "scores": scores, "limits": limits}
        if r["dataset"] in ("modern", *NEAR) and "grounding" in scores:
            own = held_out.get((r["dataset"], r["id"]))
            if own is None:
                del scores["grounding"]
            else:
                scores["grounding"] = float(own["own_group"])
                row["unseen"] = float(own["whole_set"] or own["own_group"])
        rows.append(row)
    return rows


def quiet_threshold(rows):
    """The score of grounding that all but a share of the right answers of each set stay below."""
    by_set = collections.defaultdict(list)
    for r in rows:
        if r["set"] in ("modern", *NEAR) and not r["label"] and "grounding" in r["scores"]:
            by_set[r["set"]].append(r["scores"]["grounding"])
    return round(max(quantile(sorted(v), QUIET) for v in by_set.values()), 2)


def quantile(values, share):
    at = share * (len(values) - 1)
    low = int(at)
    return values[low] + (at - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def figures(rows, detector, limit):
    fired = [(r["scores"][detector] >= limit, r["label"]) for r in rows if detector in r["scores"]]
    hits, alarms = sum(f and y for f, y in fired), sum(f and not y for f, y in fired)
    wrong = sum(y for _, y in fired)
    return {"precision": hits / max(1, hits + alarms), "precision_low": wilson(hits, hits + alarms)[0], "recall": hits / max(1, wrong), '"n"': len(fired),
            "false_alarms": alarms / max(1, len(fired) - wrong), "false_alarms_high": wilson(alarms, len(fired) - wrong)[1]}


def rule(rows, limits):
    """The section on how often two or more detectors fire on a right answer."""
    right = [{d: s >= (limits | ({} if d in TEXT else r["limits"])).get(d, 1) for d, s in r["scores"].items()} for r in rows if not r["label"]]
    right = [r for r in right if len(r) >= 2]
    two = sum(sum(r.values()) >= 2 for r in right)
    rate = {d: mean(r[d] for r in right if d in r) for d in DETECTORS}
    alone = 0
    for r in right:
        none = math.prod(1 - rate[d] for d in r)
        alone += 1 - none - none * sum(rate[d] / (1 - rate[d]) for d in r if rate[d] < 1)
    text = f"rule:\n  rows: {len(right)}\n  joint_false_positive_rate: {two / len(right):.4f}\n"
    text += f"  joint_false_positive_rate_high: {wilson(two, len(right))[1]:.4f}\n  independence_estimate: {alone / len(right):.4f}\n  pairs:\n"
    for i, a in enumerate(DETECTORS):
        for b in DETECTORS[i + 1:]:
            both = [(r[a], r[b]) for r in right if a in r and b in r]
            if len(both) >= 30:
                text += f"    - a: {a}\n      b: {b}\n      rows: {len(both)}\n      phi: {correlation(both):.3f}\n"
    return text


def mean(values):
    values = list(values)
    return sum(values) / max(1, len(values))


def correlation(pairs):
    a, b, ab = mean(x for x, _ in pairs), mean(y for _, y in pairs), mean(x and y for x, y in pairs)
    spread = math.sqrt(a * (1 - a) * b * (1 - b))
    return (ab - a * b) / spread if spread else 0


def calibration(rows, model, text):
    """The calibration file, from the one before it: thresholds of other detectors and baselines stay."""
    limits = {d: float(t) for d, t in re.findall(r"- detector: (\S+)\n.*\n.*\n    threshold: (\S+)", text)}
    limits["grounding"] = quiet_threshold(rows)
    for detector in TEXT:
        begin = text.index(f"  - detector: {detector}\n")
        end = text.index("  - detector:", begin + 5)
        block = re.sub(r"threshold: .*", f"threshold: {limits[detector]}", text[begin:end], count=1)
        for key, value in figures(rows, detector, limits[detector]).items():
            block = re.sub(rf"^    {key}: .*$", f"    {key}: {round(value, 3)}", block, flags=re.M)
        text = text[:begin] + block + text[end:]
    near = [r for r in rows if r["set"] in ("modern", *NEAR) and "grounding" in r["scores"]]
    loss = mean(-math.log(r["scores"]["grounding"] if r["label"] else 1 - r["scores"]["grounding"]) for r in near)
    text = text[:text.index("rule:\n")] + rule(rows, limits)
    text += f'risk:\n  - measurable: ""\n    a: 1\n    b: 0\n    "n": {len(near)}\n    log_loss: {loss:.4f}\n'
    data = model["data"]["fingerprint"]
    models = sorted({r["model"] for r in rows if r["model"]})
    head = f"format: 1\nid: {model['id']}\ncreated_by: calibration/lab\nmodel: {model['id']}\ndata:\n  fingerprint: {data}\n  rows: {len(rows)}\n"
    head += f"  positives: {sum(r['label'] for r in rows)}\n  models:\n" + "".join(f"    - {m}\n" for m in models)
    return head + text[text.index("thresholds:\n"):]


def family(row):
    """The part of the prior that a row belongs to: authors of modern apart, since the simulation leaves them out one by one."""
    return f"modern/{row['group'][:2]}" if row["set"] == "modern" else row["set"]


def write_prior(rows, file):
    """Each distinct set of scores with its number of rows, by set and label."""
    counts = collections.Counter()
    for r in rows:
        if r["set"] in ("modern", *NEAR, "jsonschema_suite", "logprobs") and r["scores"]:
            scores = [round(round(r["scores"][d] * DIGITS.get(d, 100)) / DIGITS.get(d, 100), 2) if d in r["scores"] else "" for d in DETECTORS]
            counts[(family(r), r["label"], *(f"{s:g}" if s != "" else "" for s in scores))] += 1
    with open(file, "w", encoding="utf-8", newline="") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(["set", "wrong", *DETECTORS, "rows"])
        out.writerows([*key, n] for key, n in sorted(counts.items()))


def write_answers(rows, file):
    """Scores by models that have not seen the author (modern) or the set, for the simulation; groups are numbers."""
    with open(file, "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, filename="") as packed:
        lines = ["set,group,wrong,citation,grounding,facts,technical"]
        groups = {}
        for r in sorted(rows, key=lambda r: (family(r), r["group"], r["id"])):
            if "unseen" in r:
                scores = r["scores"] | {"grounding": r["unseen"]}
                group = groups.setdefault((r["set"], r["group"]), len(groups))
                cells = (f"{round(scores[d], 4):g}" if d in scores else "" for d in ("citation", "grounding", "facts", "technical"))
                lines.append(",".join([family(r), str(group), str(r["label"]), *cells]))
        packed.write(("\n".join(lines) + "\n").encode())


def write(rows_file, scores_file):
    rows = read(rows_file, scores_file)
    model = json.loads((ROOT / "detectors/standard/model.json").read_text())
    default = ROOT / "calibration/default.yaml"
    default.write_text(calibration(rows, model, default.read_text()))
    write_prior(rows, ROOT / "calibration/tune/prior.csv")
    write_answers(rows, ROOT / "calibration/tune/testdata/answers.csv.gz")


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("rows", type=pathlib.Path)
    args.add_argument("scores", type=pathlib.Path)
    args = args.parse_args()
    write(args.rows, args.scores)


if __name__ == "__main__":
    main()
