"""Tells which metrics a task does not use, and lets the view of scores say so."""

# A taxonomy lists the metrics of its tasks, a ranking metric as `ndcg@k` for all cut-offs. One that
# no task lists, tasks without a list, and scores that others computed are not concerned.
SQL = """
CREATE VIEW unused_metric AS
SELECT taxonomy.id AS taxonomy_id, json_extract(task.value, '$.key') AS task,
    metric.id AS metric_id, judge.id AS judge_id
FROM taxonomy, json_each(taxonomy.content, '$.tasks') AS task,
    json_each(taxonomy.content, '$.tasks') AS other,
    json_each(other.value, '$.metrics') AS listed
JOIN metric ON listed.value IN
    (metric.name, substr(metric.name, 1, instr(metric.name, '@')) || 'k')
JOIN judge ON json_extract(judge.config, '$.imported') IS NULL
WHERE json_array_length(task.value, '$.metrics') > 0 AND NOT EXISTS (
    SELECT 1 FROM json_each(task.value, '$.metrics') AS used WHERE used.value IN
    (metric.name, substr(metric.name, 1, instr(metric.name, '@')) || 'k'));

DROP VIEW v1_scores;
CREATE VIEW v1_scores AS
SELECT prediction_id, run, item, turn, repeat, metric, variant, judge, judge_hash, judge_repeat,
    iif(is_unused, 'na', state) AS state, iif(is_unused, NULL, value) AS value,
    iif(is_unused, 'the task does not use this metric', reason) AS reason, details
FROM (
    SELECT prediction.id AS prediction_id, run.name AS run, item.item_key AS item,
        prediction.turn AS turn,
        prediction.repeat AS repeat, metric.name AS metric, metric.variant AS variant,
        judge.name AS judge, judge.config_hash AS judge_hash, score.repeat AS judge_repeat,
        score.state AS state, score.value AS value, score.reason AS reason,
        json_extract(judged.value, '$.details') AS details,
        (dataset.taxonomy_id, revision.task, metric.id, judge.id) IN (
            SELECT taxonomy_id, task, metric_id, judge_id FROM unused_metric) AS is_unused
    FROM prediction JOIN run ON run.id = prediction.run_id
    JOIN revision ON revision.id = prediction.revision_id JOIN item ON item.id = revision.item_id
    JOIN dataset ON dataset.id = item.dataset_id
    JOIN score ON score.prediction_id = prediction.id JOIN metric ON metric.id = score.metric_id
    JOIN judge ON judge.id = score.judge_id
    LEFT JOIN stage_result AS judged ON judged.prediction_id = prediction.id
        AND judged.stage = 'judge/' || judge.id || '/' || metric.name || '/' || score.repeat
);
"""
