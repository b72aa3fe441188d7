-- Flags in Flink SQL (2.2, with the Kafka connector and the JSON format): verdicts without repeats, flat rows, rates.
-- Run it with sql-client.sh -f examples/sql/flink.sql.
-- The topics llm.incidents.flat, llm.verdicts and llm.rates must exist.
SET 'table.exec.state.ttl' = '7 d'; -- how long a repeat or a deep flag is expected after the first flag

-- Flags with their types. Timestamps have up to nine digits after the second; TIMESTAMP_LTZ(3) keeps milliseconds.
CREATE TABLE flags (
  incident_id STRING,
  pass STRING,
  interaction_id STRING,
  tenant STRING,
  service STRING,
  operation STRING,
  provider STRING,
  model STRING,
  detected_at TIMESTAMP_LTZ(3),
  fired ARRAY<STRING>,
  risk DOUBLE,
  recommendation STRING,
  `action` STRING,
  alert BOOLEAN,
  signals ARRAY<ROW<detector STRING, outcome STRING, score DOUBLE, threshold DOUBLE, reason STRING>>,
  written_at TIMESTAMP_LTZ(3) METADATA FROM 'timestamp',
  WATERMARK FOR written_at AS written_at - INTERVAL '1' MINUTE
) WITH (
  'connector' = 'kafka',
  'topic' = 'llm.incidents',
  'properties.bootstrap.servers' = '127.0.0.1:9092',
  'properties.group.id' = 'flink-flags',
  'scan.startup.mode' = 'earliest-offset',
  'format' = 'json',
  'json.timestamp-format.standard' = 'ISO-8601'
);

-- One row an incident: the first flag of an identity, the deep one once it is there, in whatever order they arrive.
CREATE VIEW verdicts AS
SELECT incident_id, pass, interaction_id, tenant, service, model, detected_at, risk, recommendation, `action`, alert
FROM (
  SELECT *, ROW_NUMBER() OVER (
    PARTITION BY incident_id ORDER BY CASE pass WHEN 'deep' THEN 0 ELSE 1 END, detected_at
  ) AS place
  FROM flags
)
WHERE place = 1;

CREATE TABLE verdict_topic (
  incident_id STRING,
  pass STRING,
  interaction_id STRING,
  tenant STRING,
  service STRING,
  model STRING,
  detected_at TIMESTAMP_LTZ(3),
  risk DOUBLE,
  recommendation STRING,
  `action` STRING,
  alert BOOLEAN,
  PRIMARY KEY (incident_id) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', -- make the topic compacted: its last record of an incident is the verdict
  'topic' = 'llm.verdicts',
  'properties.bootstrap.servers' = '127.0.0.1:9092',
  'key.format' = 'raw',
  'value.format' = 'json',
  'value.json.timestamp-format.standard' = 'ISO-8601'
);

INSERT INTO verdict_topic SELECT * FROM verdicts;

-- Flat rows for sinks that take no nested values: each flag of llm.incidents with an outcome and a score per detector.
-- NULL: the detector did not run. A deep flag has the last three, too. JSON_VALUE … RETURNING DOUBLE fails on an integer.
CREATE TABLE flag_texts (
  flag STRING
) WITH (
  'connector' = 'kafka',
  'topic' = 'llm.incidents',
  'properties.bootstrap.servers' = '127.0.0.1:9092',
  'properties.group.id' = 'flink-flat',
  'scan.startup.mode' = 'earliest-offset',
  'format' = 'raw'
);

CREATE TABLE flat_topic (
  incident_id STRING,
  pass STRING,
  interaction_id STRING,
  tenant STRING,
  service STRING,
  operation STRING,
  provider STRING,
  model STRING,
  occurred_at STRING,
  detected_at STRING,
  risk DOUBLE,
  recommendation STRING,
  `action` STRING,
  alert BOOLEAN,
  citation_outcome STRING,
  citation_score DOUBLE,
  grounding_outcome STRING,
  grounding_score DOUBLE,
  facts_outcome STRING,
  facts_score DOUBLE,
  confidence_outcome STRING,
  confidence_score DOUBLE,
  schema_outcome STRING,
  schema_score DOUBLE,
  technical_outcome STRING,
  technical_score DOUBLE,
  tools_outcome STRING,
  tools_score DOUBLE,
  consistency_outcome STRING,
  consistency_score DOUBLE,
  entailment_outcome STRING,
  entailment_score DOUBLE,
  faithfulness_outcome STRING,
  faithfulness_score DOUBLE
) WITH (
  'connector' = 'kafka',
  'topic' = 'llm.incidents.flat',
  'properties.bootstrap.servers' = '127.0.0.1:9092',
  'key.fields' = 'incident_id',
  'key.format' = 'raw',
  'value.format' = 'json'
);

INSERT INTO flat_topic
SELECT
  JSON_VALUE(flag, '$.incident_id'),
  JSON_VALUE(flag, '$.pass'),
  JSON_VALUE(flag, '$.interaction_id'),
  JSON_VALUE(flag, '$.tenant'),
  JSON_VALUE(flag, '$.service'),
  JSON_VALUE(flag, '$.operation'),
  JSON_VALUE(flag, '$.provider'),
  JSON_VALUE(flag, '$.model'),
  JSON_VALUE(flag, '$.occurred_at'),
  JSON_VALUE(flag, '$.detected_at'),
  CAST(JSON_VALUE(flag, '$.risk') AS DOUBLE),
  JSON_VALUE(flag, '$.recommendation'),
  JSON_VALUE(flag, '$.action'),
  CAST(JSON_VALUE(flag, '$.alert') AS BOOLEAN),
  JSON_VALUE(JSON_QUERY(flag, '$.signals[?(@.detector == "citation")]'), '$[0].outcome'),
  CAST(JSON_VALUE(JSON_QUERY(flag, '$.signals[?(@.detector == "citation")]'), '$[0].score') AS DOUBLE),
  JSON_VALUE(JSON_QUERY(flag, '$.signals[?(@.detector == "grounding")]'), '$[0].outcome'),
  CAST(JSON_VALUE(JSON_QUERY(flag, '$.signals[?(@.detector == "grounding")]'), '$[0].score') AS DOUBLE),
  JSON_VALUE(JSON_QUERY(flag, '$.signals[?(@.detector == "facts")]'), '$[0].outcome'),
  CAST(JSON_VALUE(JSON_QUERY(flag, '$.signals[?(@.detector == "facts")]'), '$[0].score') AS DOUBLE),
  JSON_VALUE(JSON_QUERY(flag, '$.signals[?(@.detector == "confidence")]'), '$[0].outcome'),
  CAST(JSON_VALUE(JSON_QUERY(flag, '$.signals[?(@.detector == "confidence")]'), '$[0].score') AS DOUBLE),
  JSON_VALUE(JSON_QUERY(flag, '$.signals[?(@.detector == "schema")]'), '$[0].outcome'),
  CAST(JSON_VALUE(JSON_QUERY(flag, '$.signals[?(@.detector == "schema")]'), '$[0].score') AS DOUBLE),
  JSON_VALUE(JSON_QUERY(flag, '$.signals[?(@.detector == "technical")]'), '$[0].outcome'),
  CAST(JSON_VALUE(JSON_QUERY(flag, '$.signals[?(@.detector == "technical")]'), '$[0].score') AS DOUBLE),
  JSON_VALUE(JSON_QUERY(flag, '$.signals[?(@.detector == "tools")]'), '$[0].outcome'),
  CAST(JSON_VALUE(JSON_QUERY(flag, '$.signals[?(@.detector == "tools")]'), '$[0].score') AS DOUBLE),
  JSON_VALUE(JSON_QUERY(flag, '$.signals[?(@.detector == "consistency")]'), '$[0].outcome'),
  CAST(JSON_VALUE(JSON_QUERY(flag, '$.signals[?(@.detector == "consistency")]'), '$[0].score') AS DOUBLE),
  JSON_VALUE(JSON_QUERY(flag, '$.signals[?(@.detector == "entailment")]'), '$[0].outcome'),
  CAST(JSON_VALUE(JSON_QUERY(flag, '$.signals[?(@.detector == "entailment")]'), '$[0].score') AS DOUBLE),
  JSON_VALUE(JSON_QUERY(flag, '$.signals[?(@.detector == "faithfulness")]'), '$[0].outcome'),
  CAST(JSON_VALUE(JSON_QUERY(flag, '$.signals[?(@.detector == "faithfulness")]'), '$[0].score') AS DOUBLE)
FROM flag_texts;

-- Share of flagged answers by service and model in 15 minutes. llm.incidents holds flagged answers only, unless the worker
-- runs with emit: all, so the number of answers comes from llm.interactions.
CREATE TABLE interactions (
  service STRING,
  model STRING,
  written_at TIMESTAMP_LTZ(3) METADATA FROM 'timestamp',
  WATERMARK FOR written_at AS written_at - INTERVAL '1' MINUTE
) WITH (
  'connector' = 'kafka',
  'topic' = 'llm.interactions',
  'properties.bootstrap.servers' = '127.0.0.1:9092',
  'properties.group.id' = 'flink-rates',
  'scan.startup.mode' = 'earliest-offset',
  'format' = 'json',
  'json.ignore-parse-errors' = 'true' -- Confab writes them to the dead-letter topic
);

CREATE VIEW rates AS
SELECT
  answered.window_start, answered.service, answered.model, answered.answers, COALESCE(flagged.flags, 0) AS flags,
  COALESCE(flagged.flags, 0) / CAST(answered.answers AS DOUBLE) AS rate
FROM (
  SELECT window_start, window_end, COALESCE(service, '') AS service, COALESCE(model, '') AS model, COUNT(*) AS answers
  FROM TABLE(TUMBLE(TABLE interactions, DESCRIPTOR(written_at), INTERVAL '15' MINUTES))
  GROUP BY window_start, window_end, COALESCE(service, ''), COALESCE(model, '')
) AS answered
LEFT JOIN (
  SELECT
    window_start, window_end, COALESCE(service, '') AS service, COALESCE(model, '') AS model,
    COUNT(DISTINCT incident_id) AS flags
  FROM TABLE(TUMBLE(TABLE flags, DESCRIPTOR(written_at), INTERVAL '15' MINUTES))
  WHERE pass = 'fast' AND CARDINALITY(fired) > 0
  GROUP BY window_start, window_end, COALESCE(service, ''), COALESCE(model, '')
) AS flagged
ON answered.window_start = flagged.window_start AND answered.window_end = flagged.window_end
  AND answered.service = flagged.service AND answered.model = flagged.model;

CREATE TABLE rate_topic (
  window_start TIMESTAMP(3),
  service STRING,
  model STRING,
  answers BIGINT,
  flags BIGINT,
  rate DOUBLE
) WITH (
  'connector' = 'kafka',
  'topic' = 'llm.rates',
  'properties.bootstrap.servers' = '127.0.0.1:9092',
  'value.format' = 'json',
  'value.json.timestamp-format.standard' = 'ISO-8601'
);

INSERT INTO rate_topic SELECT * FROM rates;
