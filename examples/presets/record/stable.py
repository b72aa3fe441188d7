"""Writes records with ids and times that do not change from one recording to the next."""

import datetime
import json
import os
import re

DURATIONS = {"response_time", "litellm_overhead_time_ms", "latency"}
BASE = 1795255201.0  # 2026-11-21T10:00:01Z
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
HEX = re.compile(r"\b(0x)?([0-9a-f]{32}|[0-9a-f]{16})\b")
PACKAGES = re.compile(r'[^\s"]*/site-packages/')
RUN_ORDER = re.compile(r"\b\d{8}T\d{12}Z")
PORT = re.compile(r"127\.0\.0\.1:\d+")
ISO = re.compile(r"\b(\d{4}-\d\d-\d\d)([T ])(\d\d:\d\d:\d\d(?:\.\d+)?)(Z|\+00:00)?")


class Stable:
    """One numbering for all records of a file."""

    def __init__(self):
        self.now = datetime.datetime.now(datetime.timezone.utc).timestamp()
        self.times, self.ids = [], {}

    def near(self, seconds):
        return abs(seconds - self.now) < 7200

    def walk(self, value, visit):
        if isinstance(value, dict):
            return {k: 0.25 if k in DURATIONS and v else self.walk(v, visit) for k, v in value.items()}
        if isinstance(value, list):
            return [self.walk(v, visit) for v in value]
        return visit(value)

    def scales(self, value):
        return next((s for s in (1, 1e3, 1e6, 1e9) if self.near(value / s)), None)

    def collect(self, value):
        if isinstance(value, str):
            for m in ISO.finditer(value):
                if self.near(seconds(m)):
                    self.times.append(seconds(m))
            if value.isdigit() and self.scales(int(value)):
                self.times.append(int(value) / self.scales(int(value)))
        elif isinstance(value, (int, float)) and not isinstance(value, bool) and self.scales(value):
            self.times.append(value / self.scales(value))
        return value

    def moved(self, at):
        return BASE + 0.25 * self.order.index(round(at, 3))

    def replace(self, value):
        if isinstance(value, str):
            if value.isdigit() and self.scales(int(value)):
                scale = self.scales(int(value))
                return str(round(self.moved(int(value) / scale) * 100) * int(scale) // 100)
            value = PACKAGES.sub("", RUN_ORDER.sub("20261121T100001000000Z", PORT.sub("127.0.0.1:8000", value)))
            value = ISO.sub(self.iso, value)
            value = UUID.sub(lambda m: f"00000000-0000-4000-8000-{self.number(m.group()):012x}", value)
            return HEX.sub(lambda m: (m[1] or "") + f"{self.number(m[2]):0{len(m[2])}x}", value)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and self.scales(value):
            moved = self.moved(value / self.scales(value)) * self.scales(value)
            return int(moved) if isinstance(value, int) else moved
        return value

    def number(self, text):
        return self.ids.setdefault(text, 0xA000 + len(self.ids)) if int(text.replace("-", ""), 16) > 0xFFFF else int(text, 16)

    def iso(self, m):
        if not self.near(seconds(m)):
            return m.group()
        at = datetime.datetime.fromtimestamp(self.moved(seconds(m)), datetime.timezone.utc)
        return at.strftime(f"%Y-%m-%d{m[2]}%H:%M:%S.%f") + (m[4] or "")

    def records(self, rows):
        self.walk(rows, self.collect)
        self.order = sorted({round(t, 3) for t in self.times})
        return self.walk(rows, self.replace)


def seconds(m):
    return datetime.datetime.fromisoformat(f"{m[1]}T{m[3]}+00:00").timestamp()


def write(name, rows):
    """Writes rows as JSON Lines beside this folder."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", name)
    with open(path, "w", encoding="utf-8") as f:
        for row in Stable().records(json.loads(json.dumps(rows, default=str))):
            f.write(json.dumps(row, ensure_ascii=False) + "\n")
    print(name, len(rows))
