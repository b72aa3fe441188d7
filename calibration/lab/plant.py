#!/usr/bin/env python3
"""Plants one fault at a time into right answers: training rows for the claim model where nobody has labelled faults.

    plant.py [--variants N] IN OUT

IN is JSON Lines, plain or gzip: labelled rows (those with label 1 are left out) or interactions as they were recorded, which
are taken for right. OUT holds each right answer with label 0, then its variants with label 1, the place of the fault as span.
"""
import argparse
import collections
import gzip
import json
import random
import re
import sys

# Words that change the sense when one takes the place of the other.
CUES = """all/some, every/most, each/one of the, always/usually, always/sometimes, must/may, must/should, required/optional, can/cannot,
before/after, within/after, until/from, earlier/later, first/last, at least/at most, at least/exactly, up to/at least, minimum/maximum,
more than/less than, over/under, above/below, between/outside, is/is not, are/are not, was/was not, does/does not, will/will not,
has/has no, allowed/not allowed, possible/not possible, and/or, both/one of the, only/also, with/without, including/excluding,
planned/completed, proposed/decided, may/will, likely/certainly, largely/entirely, several/all, many/all, part of/all of, not/, don't/,
doesn't/, isn't/is, aren't/are, can't/can, won't/will, alle/einige, muss/kann, vor/nach, mindestens/höchstens, mit/ohne, kein/ein,
keine/eine, nicht/, tous/certains, doit/peut, avant/après, avec/sans, todos/algunos, debe/puede, antes/después, con/sin"""
OPPOSITES = """increased/decreased, increase/decrease, rose/fell, rise/fall, grew/shrank, raised/lowered, higher/lower,
high/low, highest/lowest, largest/smallest, large/small, longest/shortest, longer/shorter, long/short, better/worse,
best/worst, cheaper/dearer, early/late, new/old, strong/weak, fast/slow, faster/slower, open/closed, opens/closes,
opened/closed, enabled/disabled, enable/disable, approved/rejected, accepted/refused, included/excluded, includes/excludes,
supports/opposes, agreed/disagreed, agree/disagree, won/lost, gained/lost, started/ended, begins/ends, added/removed,
adds/removes, internal/external, public/private, free/paid, automatically/manually, monthly/yearly, daily/weekly, north/south,
east/west, northern/southern, eastern/western, positive/negative, present/absent, succeeded/failed, passed/failed,
safe/dangerous, common/rare, full/empty, hot/cold, warm/cool, indoor/outdoor, buy/sell, bought/sold, male/female, young/old,
younger/older, left/right, top/bottom, upper/lower, true/false, near/far, inside/outside"""
MONTHS = """January February March April May June July August September October November December Januar Februar März Mai Juni Juli
Oktober Dezember janvier février mars avril mai juin juillet août septembre octobre novembre décembre enero febrero marzo abril
mayo junio julio agosto septiembre octubre noviembre diciembre"""
NO_NAMES = set((MONTHS + " Monday Tuesday Wednesday Thursday Friday Saturday Sunday The This That These Those There Here They He She"
                " It We You I In On At For From With And But Or If When While After Before Yes No Not Please").split())


def pairs(text):
    """{word: the words that may take its place}, in both directions."""
    out = collections.defaultdict(list)
    for pair in text.replace("\n", " ").split(", "):
        a, b = pair.strip(",").split("/")
        out[a].append(b)
        if b:
            out[b].append(a)
    return dict(out)


def words_of(table):
    return re.compile(r"(?<![\w'])(?:%s)(?![\w'])" % "|".join(sorted(map(re.escape, table), key=len, reverse=True)), re.I)


CUE, OPPOSITE = pairs(CUES), pairs(OPPOSITES)
CUE_WORD, OPPOSITE_WORD = words_of(CUE), words_of(OPPOSITE)
MARKER = re.compile(r"\[(\d{1,2})\]")
NUMBER = re.compile(r"(?<![\w.,/:\[-])\d+(?:[.,]\d+)*(?![\w/:-]|[.,]\d)")
TIME = re.compile(r"(?<![\w:])\d{1,2}:\d\d(?![\w:])")
MONTH = "(?:%s)" % "|".join(MONTHS.split())
DAY = re.compile(r"(?<!\w)(?:\d{4}-\d\d-(\d\d)|(\d{1,2})(?:st|nd|rd|th|\.)? (?:de )?%s|%s (\d{1,2}))(?!\w)" % (MONTH, MONTH))
NAME = re.compile(r"(?<=[\w,;)] )[A-ZÄÖÜ][\w'-]{2,}")
CONDITION = re.compile(r",? *\b(?:if|unless|except|provided|as long as|until|excluding|apart from|subject to|once|wenn|sofern|außer|"
                       r"falls|sauf|salvo)\b[^,.;)\n]{8,80}")
VERB = re.compile(r"\b(?:is|are|can|has|have|will|was|were)\b")
JOINT = re.compile(r"[,;]|\b(?:and|is|are|for|with|in|by|to)\b")
SENTENCE = re.compile(r"[^\n]+?(?:(?<![A-Z\d])[.!](?: *\[\d+\])*(?=\s)|(?=\n)|$)")
LIST_MARK = re.compile(r"\s*(?:[-*•>|]+|\d+[.)])?\s*")


def claims(answer):
    """(start, end) of the sentences and items that state something."""
    for m in SENTENCE.finditer(answer):
        start = LIST_MARK.match(answer, m.start(), m.end()).end()
        text = answer[start:m.end()]
        if len(text.split()) >= 5 and not text.startswith("#") and not text.rstrip().endswith((":", "?")):
            yield start, m.end()


def records(text):
    """The records of JSON and the rows of tables, as [(table, {field: value})]."""
    found = []

    def walk(value, table):
        if isinstance(value, list):
            for v in value:
                walk(v, table)
        elif isinstance(value, dict):
            plain = {k: v for k, v in value.items() if isinstance(v, (str, int, float)) and len(str(v)) < 60}
            found.append((table, plain))
            for k, v in value.items():
                walk(v, k)

    try:
        walk(json.loads(text), "")
        return found
    except ValueError:
        pass
    head = None
    for line in text.splitlines():
        cells = [c.strip() for c in (line.strip().strip("|").split("|") if "|" in line else line.split(","))]
        if head and len(cells) == len(head) and not set(line) <= set("|-: "):
            found.append((str(head), dict(zip(head, cells))))
        elif len(cells) > 2 and ", " not in line:
            head = cells
    return found


class Evidence:
    """What the sources of an answer offer to put in a right one's place."""

    def __init__(self, interaction):
        texts = [s if isinstance(s, str) else s.get("text") or "" for s in interaction.get("sources") or []]
        text = "\n".join(texts)
        self.sources = len(texts)
        self.numbers = sorted(set(NUMBER.findall(text)))
        self.times = sorted(set(TIME.findall(text)))
        self.names = sorted(set(NAME.findall(text)) - NO_NAMES)
        self.records = [r for t in texts for r in records(t)]


def shape(number):
    """What two numbers share that could stand for each other."""
    return sum(c.isdigit() for c in number) > 3, "." in number


def matched(word, new):
    """new, capitalised as word is."""
    return new[:1].upper() + new[1:] if word[:1].isupper() else new


def swap(a, b, answer):
    a, b = sorted((a, b), key=lambda m: m.start())
    return a.start(), b.end(), b.group() + answer[a.end():b.start()] + a.group()


def figure_faults(rng, answer, start, end, ev):
    numbers = [m for m in NUMBER.finditer(answer, start, end) if m.group() in ev.numbers]
    if numbers:
        m = rng.choice(numbers)
        others = [n for n in ev.numbers if n != m.group() and shape(n) == shape(m.group())]
        if others:
            yield "figure_other", m.start(), m.end(), rng.choice(others)
        i = rng.choice([i for i, c in enumerate(m.group()) if c.isdigit()])
        digit = rng.choice([d for d in "123456789" if d != m.group()[i]])
        yield "figure_digit", m.start(), m.end(), m.group()[:i] + digit + m.group()[i + 1:]
    if len({m.group() for m in numbers}) > 1:
        a = rng.choice(numbers)
        yield "figures_swapped", *swap(a, rng.choice([m for m in numbers if m.group() != a.group()]), answer)
    days = list(DAY.finditer(answer, start, end))
    if days:
        m = rng.choice(days)
        day = m.lastindex
        width = len(m.group(day))
        other = rng.choice([d for d in range(1, 29) if d != int(m.group(day))])
        yield "day", m.start(day), m.end(day), str(other).zfill(width) if "-" in m.group() else str(other)
    times = [m for m in TIME.finditer(answer, start, end) if m.group() in ev.times]
    if times and len(ev.times) > 1:
        m = rng.choice(times)
        yield "time_other", m.start(), m.end(), rng.choice([t for t in ev.times if t != m.group()])


COUNTS = "zero one two three four five six seven eight nine ten eleven twelve".split()
COUNT = re.compile(r"(?<![\w-])(?:%s)(?![\w-])" % "|".join(COUNTS[2:]), re.I)
NEGATION = re.compile(r" (?:not|no|never)(?= )|n't\b")


def record_faults(rng, answer, start, end, ev):
    """A value of another record or field, a turned yes or no, a wrong count."""
    told = []  # (match, value, place of the record, field)
    for n, (_, fields) in enumerate(ev.records):
        for key, value in fields.items():
            shown = str(value).replace("_", " ")
            m = re.search(r"(?<![\w.,])%s(?![\w]|[.,]\d)" % re.escape(shown), answer[start:end]) if len(shown) > 1 else None
            if m and not isinstance(value, bool):
                told.append((start + m.start(), start + m.end(), value, n, key))
    rng.shuffle(told)
    for a, b, value, n, key in told[:1]:
        table, fields = ev.records[n]
        others = {str(r[key]) for t, r in ev.records if t == table and key in r} - {str(value), ""}
        if others:
            yield "value_of_other_record", a, b, rng.choice(sorted(others)).replace("_", " ")
        kin = {str(v) for k, v in fields.items() if k != key and type(v) is type(value) and NUMBER.fullmatch(str(v))} - {str(value)}
        if kin and NUMBER.fullmatch(str(value)):
            yield "value_of_other_field", a, b, rng.choice(sorted(kin))
    for _, fields in ev.records:
        for key, value in fields.items():
            words = [w.lower() for w in re.findall(r"[A-Z]?[a-z]{3,}", key)]
            if str(value).lower() in ("true", "false", "yes", "no") and words and words[-1] in answer[start:end].lower():
                m, verb = NEGATION.search(answer, start, end), VERB.search(answer, start, end)
                if m:
                    yield "flag_turned", m.start(), m.end(), ""
                elif verb:
                    yield "flag_turned", verb.end(), verb.end(), " not"
    m = COUNT.search(answer, start, end)
    if m and ev.records:
        n = COUNTS.index(m.group().lower())
        yield "count_off", m.start(), m.end(), matched(m.group(), COUNTS[rng.choice([c for c in (n - 1, n + 1, n + 2) if 1 < c < 13])])


def name_faults(rng, answer, start, end, ev):
    names = [m for m in NAME.finditer(answer, start, end) if m.group() in ev.names]
    if not names:
        return
    m, told = rng.choice(names), {m.group() for m in names}
    others = [n for n in ev.names if n not in told]
    if others:
        yield "name_other", m.start(), m.end(), rng.choice(others)
    apart = [n for n in names if n.group() != m.group() and abs(n.start() - m.start()) > len(m.group()) + 4]
    if apart:
        yield "names_swapped", *swap(m, rng.choice(apart), answer)


def word_faults(rng, answer, start, end, ev):
    for kind, pattern, table in (("cue", CUE_WORD, CUE), ("opposite", OPPOSITE_WORD, OPPOSITE)):
        found = [m for m in pattern.finditer(answer, start, end) if m.group().lower() in table]
        if found:
            m = rng.choice(found)
            new = matched(m.group(), rng.choice(table[m.group().lower()]))
            drop = 1 if not new and answer[m.end():m.end() + 1] == " " else 0
            yield kind, m.start(), m.end() + drop, new
    m = CONDITION.search(answer, start, end)
    if m and end - start - len(m.group()) > 25:
        yield "condition_dropped", m.start(), m.end(), ""
    m = VERB.search(answer, start, end)
    if m and rng.random() < .25:
        word = rng.choice(("always", "only", "never"))
        yield word + "_inserted", m.end(), m.end(), " " + word


def clause_faults(rng, answer, start, end, clauses):
    """The tail of another claim of the answer, or a clause of another document."""
    text = answer[start:end]
    others = [answer[a:b] for a, b in claims(answer) if a != start]
    if others:
        other = rng.choice(others)
        heads, tails = ([m.start() for m in JOINT.finditer(t) if len(t) * .25 < m.start() < len(t) * .75] for t in (text, other))
        if heads and tails:
            yield "tail_of_other_claim", start + rng.choice(heads), end, other[rng.choice(tails):]
    if clauses:
        stop = start + len(MARKER.sub("", text).rstrip(" .!\n")) if not MARKER.search(text) else None
        if stop:
            yield "clause_of_other_document", stop, stop, rng.choice((", and ", ", ", "; ")) + rng.choice(clauses)


def citation_faults(rng, answer, start, end, ev):
    markers = list(MARKER.finditer(answer, start, end))
    cited = {m.group(1) for m in markers}
    others = [str(i) for i in range(1, ev.sources + 1) if str(i) not in cited]
    if markers and others:
        m = rng.choice(markers)
        yield "citation_moved", m.start(1), m.end(1), rng.choice(others)


def faults(rng, answer, ev, clauses):
    """All (kind, start, end, new text, claim) that this draw offers."""
    for start, end in claims(answer):
        makers = (figure_faults(rng, answer, start, end, ev), record_faults(rng, answer, start, end, ev),
                  name_faults(rng, answer, start, end, ev),
                  word_faults(rng, answer, start, end, ev), clause_faults(rng, answer, start, end, clauses),
                  citation_faults(rng, answer, start, end, ev))
        for kind, a, b, new in (fault for maker in makers for fault in maker):
            if answer[a:b] != new:
                yield kind, a, b, new, (start, end)


def plant(row, fault):
    """The row with the fault in its answer."""
    kind, a, b, new, (start, end) = fault
    answer = row["interaction"]["answer"]
    changed = answer[:a] + new + answer[b:]
    first, last = (a, a + len(new)) if new else (start, max(start + 1, end - (b - a)))  # what was dropped marks its claim
    bytes_to = lambda i: len(changed[:i].encode())
    span = {"start": bytes_to(first), "end": bytes_to(last), "type": kind}
    return {"interaction": {**row["interaction"], "answer": changed}, "label": 1, "spans": [span], "group": row["group"],
            "meta": {"kind": kind, "planted": True}}


def read(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def right(rows):
    """The right answers that have sources, as labelled rows."""
    for n, row in enumerate(rows, 1):
        interaction = row.get("interaction", row)
        if row.get("label", 0) == 0 and interaction.get("answer") and interaction.get("sources"):
            name = str(interaction.get("interaction_id") or n)
            yield {"interaction": {**interaction, "interaction_id": name}, "label": 0, "group": row.get("group") or name}


def variants(rows, count):
    """Each row, then as many variants: kinds that were planted least so far come first."""
    used = collections.Counter()
    clauses = {id(r): [c.strip() for a, b in claims(r["interaction"]["answer"])
                       for c in re.split(r"[,;:.]| and ", MARKER.sub("", r["interaction"]["answer"][a:b])) if 4 <= len(c.split()) <= 14]
               for r in rows}
    for row in rows:
        yield row
        name = row["interaction"]["interaction_id"]
        rng = random.Random(name)
        other = rng.choice(rows)
        foreign = clauses[id(other)] if other["group"] != row["group"] else []
        offered = list(faults(rng, row["interaction"]["answer"], Evidence(row["interaction"]), foreign))
        rng.shuffle(offered)
        for n in range(1, count + 1):
            if not offered:
                break
            fault = min(offered, key=lambda f: used[f[0]])
            offered = [f for f in offered if f[0] != fault[0]] or [f for f in offered if f is not fault]
            used[fault[0]] += 1
            planted = plant(row, fault)
            planted["interaction"]["interaction_id"] = f"{name}#{n}"
            yield planted
    print(*(f"{kind} {n}" for kind, n in used.most_common()), sep=", ", file=sys.stderr)


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("source", metavar="IN")
    args.add_argument("out", metavar="OUT")
    args.add_argument("--variants", type=int, default=6, help="faulty variants of each answer (6)")
    args = args.parse_args()
    with open(args.out, "w", encoding="utf-8") as out:
        for row in variants(list(right(read(args.source))), args.variants):
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
