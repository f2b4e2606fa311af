"""Keeps what each task uses as rows, so that a look-up does not read the taxonomy."""

# A taxonomy's content never changes, so its rows follow from it once and for all.
SQL = """
CREATE TABLE task_metric (
    taxonomy_id INTEGER NOT NULL REFERENCES taxonomy (id),
    task TEXT NOT NULL,
    metric TEXT NOT NULL,
    PRIMARY KEY (taxonomy_id, task, metric)
) STRICT, WITHOUT ROWID;

INSERT OR IGNORE INTO task_metric
SELECT taxonomy.id, json_extract(task.value, '$.key'), listed.value
FROM taxonomy, json_each(content, '$.tasks') AS task, json_each(task.value, '$.metrics') AS listed;

CREATE TRIGGER taxonomy_lists_metrics AFTER INSERT ON taxonomy
BEGIN
    INSERT OR IGNORE INTO task_metric
    SELECT new.id, json_extract(task.value, '$.key'), listed.value
    FROM json_each(new.content, '$.tasks') AS task, json_each(task.value, '$.metrics') AS listed;
END;

DROP VIEW unused_metric;
CREATE VIEW unused_metric AS
SELECT tasks.taxonomy_id AS taxonomy_id, tasks.task AS task, metric.id AS metric_id,
    judge.id AS judge_id
FROM (SELECT DISTINCT taxonomy_id, task FROM task_metric) AS tasks, metric, judge
WHERE json_extract(judge.config, '$.imported') IS NULL
AND EXISTS (
    SELECT 1 FROM task_metric AS listed WHERE listed.taxonomy_id = tasks.taxonomy_id
    AND listed.metric IN
        (metric.name, substr(metric.name, 1, instr(metric.name, '@')) || 'k'))
AND NOT EXISTS (
    SELECT 1 FROM task_metric AS used WHERE used.taxonomy_id = tasks.taxonomy_id
    AND used.task = tasks.task AND used.metric IN
        (metric.name, substr(metric.name, 1, instr(metric.name, '@')) || 'k'));
"""
