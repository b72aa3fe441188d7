#!/bin/sh
# Writes one interaction to llm.interactions with kcat, to try a topic from a shell.
#   sh examples/producers/kcat/produce.sh 127.0.0.1:9092
set -eu
broker=${1:?usage: produce.sh BROKER:PORT}
printf '%s|%s\n' 'example-kcat-1' \
  '{"interaction_id": "example-kcat-1", "service": "support-bot", "model": "gpt-4o-mini", "prompt": "How long do I have to return a jacket?", "answer": "You may return unused goods within 30 days of delivery [1].", "sources": ["Customers may return unused goods within 30 days of delivery for a full refund."]}' |
  kcat -P -b "$broker" -t llm.interactions -K '|' -X acks=all
echo 'written to llm.interactions'
