"""Write one interaction to llm.interactions: what an application does after it has answered its user.

    pip install -r examples/producers/python/requirements.txt
    python examples/producers/python/produce.py 127.0.0.1:9092
"""

import json
import sys
from datetime import datetime, timezone

from confluent_kafka import Producer


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: produce.py BROKER:PORT", file=sys.stderr)
        return 2
    interaction = {
        "interaction_id": "example-python-1",
        "service": "support-bot",
        "operation": "answer_with_citations",
        "model": "gpt-4o-mini",
        "occurred_at": datetime.now(timezone.utc).isoformat(timespec="milliseconds"),
        "prompt": "How long do I have to return a jacket?",
        "answer": "You may return unused goods within 30 days of delivery [1].",
        "sources": ["Customers may return unused goods within 30 days of delivery for a full refund."],
    }
    failures = []
    producer = Producer({"bootstrap.servers": sys.argv[1], "acks": "all", "enable.idempotence": True})
    producer.produce(
        "llm.interactions",
        key=interaction["interaction_id"],
        value=json.dumps(interaction),
        on_delivery=lambda error, _: failures.append(error) if error else None,
    )
    waiting = producer.flush(10)
    if failures or waiting:
        print(f"not written: {failures or 'no answer from the broker'}", file=sys.stderr)
        return 1
    print("written to llm.interactions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
