"""Read flags and print what to do about each answer, as a service does that withdraws or marks answers.

    pip install -r examples/consumers/python/requirements.txt
    python examples/consumers/python/consume.py 127.0.0.1:9092
"""

import json
import sys
from collections import OrderedDict

from confluent_kafka import Consumer

MAX_INCIDENTS = 100_000


class Verdicts:
    """Remembers the pass that decided each incident.

    Kafka delivers at least once and the passes in any order: a repeat changes nothing, and a deep flag replaces the fast
    one. A service that must not forget writes an upsert by incident_id instead: examples/connect/postgres.sql.
    """

    def __init__(self) -> None:
        self.passes: OrderedDict[str, str] = OrderedDict()

    def is_news(self, flag: dict) -> bool:
        known = self.passes.get(flag["incident_id"])
        if known in (flag["pass"], "deep"):
            return False
        if known is None and len(self.passes) == MAX_INCIDENTS:
            self.passes.popitem(last=False)
        self.passes[flag["incident_id"]] = flag["pass"]
        return True


def decide(flag: dict) -> str:
    """Never more than the tenant's action permits: LOG, FLAG or BLOCK."""
    recommendation, action = flag["recommendation"], flag.get("action", "LOG")
    if recommendation == "block" and action == "BLOCK":
        return "withdraw"  # replace it where it is still shown or stored
    if recommendation != "allow" and action in ("FLAG", "BLOCK"):
        return "mark"  # show a warning next to it, or queue it for a person
    return "log"


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: consume.py BROKER:PORT", file=sys.stderr)
        return 2
    consumer = Consumer(
        {
            "bootstrap.servers": sys.argv[1],
            "group.id": "example-python",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
        }
    )
    consumer.subscribe(["llm.incidents"])
    verdicts = Verdicts()
    try:
        while True:
            handled = 0
            for record in consumer.consume(num_messages=500, timeout=1.0):
                if record.error():  # such as a missing topic: the client tries again
                    print(f"read llm.incidents: {record.error()}", file=sys.stderr, flush=True)
                    continue
                handled += 1
                try:
                    flag = json.loads(record.value())
                    if verdicts.is_news(flag):
                        print(decide(flag), flag["pass"], flag["tenant"], flag["interaction_id"], flush=True)
                except (TypeError, ValueError, KeyError) as error:  # one record must not stop the rest
                    place = f"{record.topic()}/{record.partition()}/{record.offset()}"
                    print(f"{place} is not a flag: {error!r}", file=sys.stderr, flush=True)
            if handled:
                consumer.commit(asynchronous=False)  # after acting: a crash repeats flags and loses none
    except KeyboardInterrupt:
        return 0
    finally:
        consumer.close()


if __name__ == "__main__":
    sys.exit(main())
