"""Lets the view of scores give what a judge counted a score from."""

SQL = """
DROP VIEW v1_scores;
CREATE VIEW v1_scores AS
SELECT prediction.id AS prediction_id, run.name AS run, item.item_key AS item,
    prediction.turn AS turn,
    prediction.repeat AS repeat, metric.name AS metric, metric.variant AS variant,
    judge.name AS judge, judge.config_hash AS judge_hash, score.repeat AS judge_repeat,
    score.state AS state, score.value AS value, score.reason AS reason,
    json_extract(judged.value, '$.details') AS details
FROM prediction JOIN run ON run.id = prediction.run_id
JOIN revision ON revision.id = prediction.revision_id JOIN item ON item.id = revision.item_id
JOIN score ON score.prediction_id = prediction.id JOIN metric ON metric.id = score.metric_id
JOIN judge ON judge.id = score.judge_id
LEFT JOIN stage_result AS judged ON judged.prediction_id = prediction.id
    AND judged.stage = 'judge/' || judge.id || '/' || metric.name || '/' || score.repeat;
"""
