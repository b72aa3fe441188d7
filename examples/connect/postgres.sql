-- Flags in PostgreSQL 14 or later: one row an incident, the deep flag in place of the fast one, in whatever order they arrive.
-- Write each flag as text to confab_inbox, by postgres-sink.json or by
--   psql -c "\copy confab_inbox FROM flags.jsonl WITH (FORMAT csv, QUOTE e'\x01', DELIMITER e'\x02')"
CREATE TABLE confab_flags (
  incident_id text PRIMARY KEY,
  pass text NOT NULL,
  interaction_id text NOT NULL,
  tenant text NOT NULL,
  service text NOT NULL DEFAULT '',
  operation text NOT NULL DEFAULT '',
  provider text NOT NULL DEFAULT '',
  model text NOT NULL DEFAULT '',
  occurred_at timestamptz, -- microseconds: the rest of the nanoseconds is in flag
  detected_at timestamptz,
  fired text[] NOT NULL,
  risk double precision,
  recommendation text NOT NULL,
  action text NOT NULL,
  alert boolean NOT NULL,
  flag jsonb NOT NULL
);
CREATE INDEX ON confab_flags (detected_at);

-- The trigger of confab_inbox moves each flag to confab_flags. What is not a flag stays in confab_inbox.
CREATE TABLE confab_inbox (flag text);

CREATE FUNCTION confab_upsert() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  f jsonb;
BEGIN
  -- jsonb refuses the character \u0000, which an id may hold.
  f := regexp_replace(NEW.flag, '(?<!\\)((\\\\)*)\\u0000', '\1\\ufffd', 'g')::jsonb;
  INSERT INTO confab_flags VALUES (
    f->>'incident_id', f->>'pass', f->>'interaction_id', f->>'tenant',
    COALESCE(f->>'service', ''), COALESCE(f->>'operation', ''), COALESCE(f->>'provider', ''), COALESCE(f->>'model', ''),
    (f->>'occurred_at')::timestamptz, (f->>'detected_at')::timestamptz,
    ARRAY(SELECT jsonb_array_elements_text(f->'fired')), (f->>'risk')::double precision,
    f->>'recommendation', COALESCE(f->>'action', 'LOG'), (f->>'alert')::boolean, f
  )
  ON CONFLICT (incident_id) DO UPDATE SET
    pass = excluded.pass, detected_at = excluded.detected_at, fired = excluded.fired, risk = excluded.risk,
    recommendation = excluded.recommendation, action = excluded.action, alert = excluded.alert, flag = excluded.flag
  WHERE confab_flags.pass = 'fast' AND excluded.pass = 'deep'; -- a repeat changes nothing
  RETURN NULL;
EXCEPTION WHEN data_exception OR integrity_constraint_violation THEN
  RETURN NEW;
END
$$;
CREATE TRIGGER confab_upsert BEFORE INSERT ON confab_inbox FOR EACH ROW EXECUTE FUNCTION confab_upsert();

-- An outcome and a score per detector; NULL where it did not run.
CREATE VIEW confab_flags_flat AS
SELECT
  f.incident_id, f.pass, f.interaction_id, f.tenant, f.service, f.operation, f.provider, f.model, f.occurred_at,
  f.detected_at, f.risk, f.recommendation, f.action, f.alert, s.*
FROM confab_flags AS f
CROSS JOIN LATERAL (
  SELECT
    max(signal->>'outcome') FILTER (WHERE signal->>'detector' = 'citation') AS citation_outcome,
    max((signal->>'score')::double precision) FILTER (WHERE signal->>'detector' = 'citation') AS citation_score,
    max(signal->>'outcome') FILTER (WHERE signal->>'detector' = 'grounding') AS grounding_outcome,
    max((signal->>'score')::double precision) FILTER (WHERE signal->>'detector' = 'grounding') AS grounding_score,
    max(signal->>'outcome') FILTER (WHERE signal->>'detector' = 'facts') AS facts_outcome,
    max((signal->>'score')::double precision) FILTER (WHERE signal->>'detector' = 'facts') AS facts_score,
    max(signal->>'outcome') FILTER (WHERE signal->>'detector' = 'confidence') AS confidence_outcome,
    max((signal->>'score')::double precision) FILTER (WHERE signal->>'detector' = 'confidence') AS confidence_score,
    max(signal->>'outcome') FILTER (WHERE signal->>'detector' = 'schema') AS schema_outcome,
    max((signal->>'score')::double precision) FILTER (WHERE signal->>'detector' = 'schema') AS schema_score,
    max(signal->>'outcome') FILTER (WHERE signal->>'detector' = 'technical') AS technical_outcome,
    max((signal->>'score')::double precision) FILTER (WHERE signal->>'detector' = 'technical') AS technical_score,
    max(signal->>'outcome') FILTER (WHERE signal->>'detector' = 'tools') AS tools_outcome,
    max((signal->>'score')::double precision) FILTER (WHERE signal->>'detector' = 'tools') AS tools_score,
    max(signal->>'outcome') FILTER (WHERE signal->>'detector' = 'consistency') AS consistency_outcome,
    max((signal->>'score')::double precision) FILTER (WHERE signal->>'detector' = 'consistency') AS consistency_score,
    max(signal->>'outcome') FILTER (WHERE signal->>'detector' = 'entailment') AS entailment_outcome,
    max((signal->>'score')::double precision) FILTER (WHERE signal->>'detector' = 'entailment') AS entailment_score,
    max(signal->>'outcome') FILTER (WHERE signal->>'detector' = 'faithfulness') AS faithfulness_outcome,
    max((signal->>'score')::double precision) FILTER (WHERE signal->>'detector' = 'faithfulness') AS faithfulness_score
  FROM jsonb_array_elements(f.flag->'signals') AS signal
) AS s;

-- Flagged answers by service and model in 15 minutes. For shares, divide by your own count of answers, or run the worker
-- with emit: all, which writes quiet flags too.
CREATE VIEW confab_rates AS
SELECT
  date_bin('15 minutes', detected_at, timestamptz '2000-01-01 00:00:00Z') AS window_start, service, model,
  count(*) AS flags, count(*) FILTER (WHERE cardinality(fired) > 0) AS flagged, count(*) FILTER (WHERE alert) AS alerts
FROM confab_flags
GROUP BY 1, 2, 3;
