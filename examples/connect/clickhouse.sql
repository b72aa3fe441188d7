-- Flags in ClickHouse: one row an incident, the deep flag in place of the fast one, in whatever order they arrive.
-- Write each flag as text to confab_inbox, by clickhouse-sink.json, clickhouse-kafka.sql, or by
--   clickhouse-client -q "INSERT INTO confab_inbox FORMAT JSONAsString" < flags.jsonl
CREATE TABLE confab_flags (
  incident_id String,
  pass LowCardinality(String),
  interaction_id String,
  tenant LowCardinality(String),
  service LowCardinality(String),
  operation LowCardinality(String),
  provider LowCardinality(String),
  model LowCardinality(String),
  occurred_at Nullable(DateTime64(9, 'UTC')),
  detected_at DateTime64(9, 'UTC'),
  fired Array(LowCardinality(String)),
  risk Nullable(Float64),
  recommendation LowCardinality(String),
  action LowCardinality(String),
  alert Bool,
  citation_outcome LowCardinality(Nullable(String)),
  citation_score Nullable(Float64),
  grounding_outcome LowCardinality(Nullable(String)),
  grounding_score Nullable(Float64),
  facts_outcome LowCardinality(Nullable(String)),
  facts_score Nullable(Float64),
  confidence_outcome LowCardinality(Nullable(String)),
  confidence_score Nullable(Float64),
  schema_outcome LowCardinality(Nullable(String)),
  schema_score Nullable(Float64),
  technical_outcome LowCardinality(Nullable(String)),
  technical_score Nullable(Float64),
  tools_outcome LowCardinality(Nullable(String)),
  tools_score Nullable(Float64),
  consistency_outcome LowCardinality(Nullable(String)),
  consistency_score Nullable(Float64),
  entailment_outcome LowCardinality(Nullable(String)),
  entailment_score Nullable(Float64),
  faithfulness_outcome LowCardinality(Nullable(String)),
  faithfulness_score Nullable(Float64),
  flag String CODEC(ZSTD),
  -- ReplacingMergeTree keeps the highest: deep above fast, then the flag that was detected first.
  precedence UInt64
) ENGINE = ReplacingMergeTree(precedence) ORDER BY incident_id;

CREATE TABLE confab_inbox (flag String) ENGINE = Null;

CREATE MATERIALIZED VIEW confab_upsert TO confab_flags AS
WITH JSONExtractArrayRaw(flag, 'signals') AS signals
SELECT
  JSONExtractString(flag, 'incident_id') AS incident_id,
  JSONExtractString(flag, 'pass') AS pass,
  JSONExtractString(flag, 'interaction_id') AS interaction_id,
  JSONExtractString(flag, 'tenant') AS tenant,
  JSONExtractString(flag, 'service') AS service,
  JSONExtractString(flag, 'operation') AS operation,
  JSONExtractString(flag, 'provider') AS provider,
  JSONExtractString(flag, 'model') AS model,
  parseDateTime64BestEffortOrNull(JSONExtractString(flag, 'occurred_at'), 9, 'UTC') AS occurred_at,
  parseDateTime64BestEffort(JSONExtractString(flag, 'detected_at'), 9, 'UTC') AS detected_at,
  JSONExtract(flag, 'fired', 'Array(String)') AS fired,
  JSONExtract(flag, 'risk', 'Nullable(Float64)') AS risk,
  JSONExtractString(flag, 'recommendation') AS recommendation,
  JSONExtractString(flag, 'action') AS action,
  JSONExtractBool(flag, 'alert') AS alert,
  JSONExtract(arrayFirst(s -> JSONExtractString(s, 'detector') = 'citation', signals), 'outcome', 'Nullable(String)') AS citation_outcome,
  JSONExtract(arrayFirst(s -> JSONExtractString(s, 'detector') = 'citation', signals), 'score', 'Nullable(Float64)') AS citation_score,
  JSONExtract(arrayFirst(s -> JSONExtractString(s, 'detector') = 'grounding', signals), 'outcome', 'Nullable(String)') AS grounding_outcome,
  JSONExtract(arrayFirst(s -> JSONExtractString(s, 'detector') = 'grounding', signals), 'score', 'Nullable(Float64)') AS grounding_score,
  JSONExtract(arrayFirst(s -> JSONExtractString(s, 'detector') = 'facts', signals), 'outcome', 'Nullable(String)') AS facts_outcome,
  JSONExtract(arrayFirst(s -> JSONExtractString(s, 'detector') = 'facts', signals), 'score', 'Nullable(Float64)') AS facts_score,
  JSONExtract(arrayFirst(s -> JSONExtractString(s, 'detector') = 'confidence', signals), 'outcome', 'Nullable(String)') AS confidence_outcome,
  JSONExtract(arrayFirst(s -> JSONExtractString(s, 'detector') = 'confidence', signals), 'score', 'Nullable(Float64)') AS confidence_score,
  JSONExtract(arrayFirst(s -> JSONExtractString(s, 'detector') = 'schema', signals), 'outcome', 'Nullable(String)') AS schema_outcome,
  JSONExtract(arrayFirst(s -> JSONExtractString(s, 'detector') = 'schema', signals), 'score', 'Nullable(Float64)') AS schema_score,
  JSONExtract(arrayFirst(s -> JSONExtractString(s, 'detector') = 'technical', signals), 'outcome', 'Nullable(String)') AS technical_outcome,
  JSONExtract(arrayFirst(s -> JSONExtractString(s, 'detector') = 'technical', signals), 'score', 'Nullable(Float64)') AS technical_score,
  JSONExtract(arrayFirst(s -> JSONExtractString(s, 'detector') = 'tools', signals), 'outcome', 'Nullable(String)') AS tools_outcome,
  JSONExtract(arrayFirst(s -> JSONExtractString(s, 'detector') = 'tools', signals), 'score', 'Nullable(Float64)') AS tools_score,
  JSONExtract(arrayFirst(s -> JSONExtractString(s, 'detector') = 'consistency', signals), 'outcome', 'Nullable(String)') AS consistency_outcome,
  JSONExtract(arrayFirst(s -> JSONExtractString(s, 'detector') = 'consistency', signals), 'score', 'Nullable(Float64)') AS consistency_score,
  JSONExtract(arrayFirst(s -> JSONExtractString(s, 'detector') = 'entailment', signals), 'outcome', 'Nullable(String)') AS entailment_outcome,
  JSONExtract(arrayFirst(s -> JSONExtractString(s, 'detector') = 'entailment', signals), 'score', 'Nullable(Float64)') AS entailment_score,
  JSONExtract(arrayFirst(s -> JSONExtractString(s, 'detector') = 'faithfulness', signals), 'outcome', 'Nullable(String)') AS faithfulness_outcome,
  JSONExtract(arrayFirst(s -> JSONExtractString(s, 'detector') = 'faithfulness', signals), 'score', 'Nullable(Float64)') AS faithfulness_score,
  flag,
  bitShiftLeft(toUInt64(pass = 'deep'), 62) + (bitShiftLeft(toUInt64(1), 62) - toUInt64(toUnixTimestamp64Nano(detected_at))) AS precedence
FROM confab_inbox;

-- FINAL merges at read time: parts that are not merged yet still hold replaced flags.
CREATE VIEW confab_verdicts AS SELECT * EXCEPT (flag, precedence) FROM confab_flags FINAL;

-- Flagged answers by service and model in 15 minutes. For shares, divide by your own count of answers, or run the worker
-- with emit: all, which writes quiet flags too.
CREATE VIEW confab_rates AS
SELECT
  toStartOfInterval(detected_at, INTERVAL 15 MINUTE) AS window_start, service, model,
  count() AS flags, countIf(notEmpty(fired)) AS flagged, countIf(alert) AS alerts
FROM confab_verdicts
GROUP BY window_start, service, model;
