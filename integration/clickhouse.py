"""Runs statements on an embedded ClickHouse: clickhouse.py DDL FLAGS QUERY prints the rows of the query as JSON Lines.

FLAGS has a flag a line; each becomes an INSERT of its own, so that they lie in parts of their own.
"""

import re
import sys

from chdb import session

ddl, flags, query = sys.argv[1:]
database = session.Session()
text = re.sub(r"--[^\n]*", "", open(ddl, encoding="utf-8").read())
for statement in filter(str.strip, text.split(";")):
    database.query(statement)
for line in open(flags, encoding="utf-8"):
    database.query("INSERT INTO confab_inbox FORMAT JSONAsString " + line)
print(database.query(query, "JSONEachRow").bytes().decode(), end="")
