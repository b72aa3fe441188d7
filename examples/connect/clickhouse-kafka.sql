-- ClickHouse reads llm.incidents itself, without Kafka Connect. Run clickhouse.sql first.
-- NOT RUN by this project's checks: the embedded ClickHouse that runs clickhouse.sql there reads no Kafka.
CREATE TABLE confab_queue (flag String) ENGINE = Kafka
SETTINGS
  kafka_broker_list = '127.0.0.1:9092',
  kafka_topic_list = 'llm.incidents',
  kafka_group_name = 'clickhouse-flags',
  kafka_format = 'JSONAsString',
  kafka_handle_error_mode = 'stream';

CREATE MATERIALIZED VIEW confab_queue_to_inbox TO confab_inbox AS
SELECT flag FROM confab_queue WHERE _error = '';
