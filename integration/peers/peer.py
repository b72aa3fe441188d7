"""Validates interactions and maps five fields: peer.py SEEDS SCHEMA INPUT OUTPUT."""

import json
import sys

import jsonschema_rs
from quixstreams import Application

seeds, schema, source, target = sys.argv[1:]
with open(schema, encoding="utf-8") as file:
    validator = jsonschema_rs.validator_for(json.load(file))
fields = ("interaction_id", "tenant", "model", "operation", "occurred_at")


def mapped(value):
    return {"valid": validator.is_valid(value)} | {name: value.get(name) for name in fields}


app = Application(
    broker_address=seeds,
    consumer_group="peer-python",
    auto_offset_reset="earliest",
    loglevel="ERROR",
    producer_extra_config={"linger.ms": 10, "compression.type": "lz4"},
)
frame = app.dataframe(app.topic(source, value_deserializer="json"))
frame.apply(mapped).to_topic(app.topic(target, value_serializer="json"))
app.run()
