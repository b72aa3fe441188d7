#!/usr/bin/env python3
"""The claim model and the calibration from labelled rows: rows, planted faults, columns, model, figures, calibration.

    lab.py [--data DIR] [--work DIR] [--confab PROGRAM] [arguments of fit.py]
"""
import argparse
import gzip
import json
import pathlib
import re
import subprocess
import sys

import calibrate
import fit
import plant

FILES = {  # of DATA; sets that are not named here are public/train/NAME
    "modern": ["modern/train/pairs"], "ragtruth": ["ragtruth/train", "ragtruth/more"], "begin": ["begin/train", "begin/more"],
    "attributionbench": ["attributionbench/train", "attributionbench/more"], "summedits": ["summedits/train", "summedits/more"],
    "factcheckbench": ["factcheckbench/train"],
}
MEASURED = ("jsonschema_suite/train", "logprobs/train")  # of DATA, for the calibration only
PLANTED = {"modern": 6, "ragtruth": 2}  # variants of each right answer


def read(path):
    with gzip.open(path, "rt", encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def texts(row):
    """The answer and the sources, without what formatting changes."""
    interaction = row["interaction"]
    for text in [interaction.get("answer"), *(s.get("text") for s in interaction.get("sources") or [])]:
        yield re.sub(r"\W+", "", text or "").lower()


def held_back(data):
    """The texts of rows that nothing may be learned from."""
    return {text for path in sorted(data.glob("*/dev/*.jsonl.gz")) for row in read(path) for text in texts(row) if len(text) > 20}


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--data", type=pathlib.Path, default="../shared/data")
    args.add_argument("--work", type=pathlib.Path, default="bin/lab")
    args.add_argument("--confab", default="bin/confab")
    args, rest = args.parse_known_args()
    args.work.mkdir(parents=True, exist_ok=True)
    never = held_back(args.data)
    for name in (name for name in (*fit.SETS, *fit.UNUSED) if not name.endswith("_planted")):
        files = [args.data / f"{f}.jsonl.gz" for f in FILES.get(name, [f"public/train/{name}"])]
        rows = [row for f in files if f.exists() for row in read(f)]
        kept = [row for row in rows if never.isdisjoint(texts(row))]
        print(f"{name}: {len(kept)} rows" + (f", {len(rows) - len(kept)} left out: their text is held back" * (kept != rows)), flush=True)
        outs = {name: kept}
        if name in PLANTED:
            outs[name + "_planted"] = list(plant.variants(list(plant.right(kept)), PLANTED[name]))
        for out, rows in outs.items():
            (args.work / f"{out}.jsonl").unlink(missing_ok=True)
            if rows:
                columns(args, out, rows)
    scores, measured = args.work / "scores.csv", args.work / "rows.csv"
    sys.argv = ["fit.py", "--columns", str(args.work), "--scores", str(scores), *rest]
    fit.main()
    labels = [args.data / f"{f}.jsonl.gz" for f in (*(f for files in FILES.values() for f in files), *MEASURED)]
    labels = [option for f in labels if f.exists() for option in ("--labels", f)]
    subprocess.run([args.confab, "evaluate", *labels, "--resamples", "0", "--rows", measured], check=True, stdout=subprocess.DEVNULL)
    calibrate.write(measured, scores)


def columns(args, name, rows):
    labels = args.work / f"{name}.rows.jsonl"
    labels.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    subprocess.run([args.confab, "evaluate", "--labels", labels, "--features", args.work / f"{name}.jsonl"], check=True)


if __name__ == "__main__":
    main()
