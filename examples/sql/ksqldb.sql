-- Flags in ksqlDB: flat rows, verdicts without repeats, rates.
-- NOT RUN by this project's checks: ksqlDB cannot be had there. examples/sql/flink.sql has the same.
SET 'auto.offset.reset' = 'earliest';

CREATE STREAM flags (
  incident_id VARCHAR KEY, pass VARCHAR, interaction_id VARCHAR, tenant VARCHAR, service VARCHAR, operation VARCHAR,
  provider VARCHAR, model VARCHAR, occurred_at VARCHAR, detected_at VARCHAR, fired ARRAY<VARCHAR>, risk DOUBLE,
  recommendation VARCHAR, action VARCHAR, alert BOOLEAN,
  signals ARRAY<STRUCT<detector VARCHAR, outcome VARCHAR, score DOUBLE, threshold DOUBLE>>
) WITH (KAFKA_TOPIC = 'llm.incidents', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'JSON');

-- One row an incident: the first flag, the deep one once it is there. EARLIEST_BY_OFFSET ignores NULL.
CREATE TABLE verdicts AS
SELECT
  incident_id,
  EARLIEST_BY_OFFSET(interaction_id) AS interaction_id,
  COALESCE(EARLIEST_BY_OFFSET(CASE WHEN pass = 'deep' THEN pass END), 'fast') AS pass,
  COALESCE(EARLIEST_BY_OFFSET(CASE WHEN pass = 'deep' THEN recommendation END), EARLIEST_BY_OFFSET(recommendation)) AS recommendation,
  EARLIEST_BY_OFFSET(action) AS action
FROM flags
GROUP BY incident_id
EMIT CHANGES;

-- Each flag with an outcome and a score per detector; NULL where the detector did not run.
CREATE STREAM flat WITH (KAFKA_TOPIC = 'llm.incidents.flat', VALUE_FORMAT = 'JSON') AS
SELECT
  incident_id, pass, interaction_id, tenant, service, operation, provider, model, occurred_at, detected_at, risk,
  recommendation, action, alert,
  FILTER(signals, s => s->detector = 'citation')[1]->outcome AS citation_outcome,
  FILTER(signals, s => s->detector = 'citation')[1]->score AS citation_score,
  FILTER(signals, s => s->detector = 'grounding')[1]->outcome AS grounding_outcome,
  FILTER(signals, s => s->detector = 'grounding')[1]->score AS grounding_score,
  FILTER(signals, s => s->detector = 'facts')[1]->outcome AS facts_outcome,
  FILTER(signals, s => s->detector = 'facts')[1]->score AS facts_score,
  FILTER(signals, s => s->detector = 'confidence')[1]->outcome AS confidence_outcome,
  FILTER(signals, s => s->detector = 'confidence')[1]->score AS confidence_score,
  FILTER(signals, s => s->detector = 'schema')[1]->outcome AS schema_outcome,
  FILTER(signals, s => s->detector = 'schema')[1]->score AS schema_score,
  FILTER(signals, s => s->detector = 'technical')[1]->outcome AS technical_outcome,
  FILTER(signals, s => s->detector = 'technical')[1]->score AS technical_score,
  FILTER(signals, s => s->detector = 'tools')[1]->outcome AS tools_outcome,
  FILTER(signals, s => s->detector = 'tools')[1]->score AS tools_score,
  FILTER(signals, s => s->detector = 'consistency')[1]->outcome AS consistency_outcome,
  FILTER(signals, s => s->detector = 'consistency')[1]->score AS consistency_score,
  FILTER(signals, s => s->detector = 'entailment')[1]->outcome AS entailment_outcome,
  FILTER(signals, s => s->detector = 'entailment')[1]->score AS entailment_score,
  FILTER(signals, s => s->detector = 'faithfulness')[1]->outcome AS faithfulness_outcome,
  FILTER(signals, s => s->detector = 'faithfulness')[1]->score AS faithfulness_score
FROM flags
EMIT CHANGES;

-- Share of flagged answers by service and model in 15 minutes. A repeated record is counted twice.
CREATE STREAM interactions (service VARCHAR, model VARCHAR)
  WITH (KAFKA_TOPIC = 'llm.interactions', VALUE_FORMAT = 'JSON');
CREATE STREAM counted (service VARCHAR, model VARCHAR, answers INT, flags INT)
  WITH (KAFKA_TOPIC = 'llm.counted', VALUE_FORMAT = 'JSON', PARTITIONS = 3);
INSERT INTO counted SELECT COALESCE(service, '') AS service, COALESCE(model, '') AS model, 1 AS answers, 0 AS flags FROM interactions;
INSERT INTO counted SELECT COALESCE(service, '') AS service, COALESCE(model, '') AS model, 0 AS answers, 1 AS flags
  FROM flags WHERE pass = 'fast' AND ARRAY_LENGTH(fired) > 0;
CREATE TABLE rates WITH (KEY_FORMAT = 'JSON') AS
SELECT service, model, SUM(answers) AS answers, SUM(flags) AS flags, CAST(SUM(flags) AS DOUBLE) / SUM(answers) AS rate
FROM counted
WINDOW TUMBLING (SIZE 15 MINUTES)
GROUP BY service, model
HAVING SUM(answers) > 0
EMIT CHANGES;
