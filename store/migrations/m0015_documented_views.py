"""Adds the documented views `v1_*`, which notebooks and other programs may rely on."""

# Their names, columns and meanings are described in docs/notebooks.md and stay as they are: what
# needs others gets views `v2_*`.
SQL = """
CREATE VIEW v1_runs AS
SELECT run.id AS run_id, run.name AS run, dataset.name || '@' || release.version AS dataset,
    system.name AS system, system.config_hash AS system_hash, system.config AS config,
    run.settings AS settings, run.created_at AS created_at, run.archived_at AS archived_at
FROM run JOIN release ON release.id = run.release_id
JOIN dataset ON dataset.id = release.dataset_id JOIN system ON system.id = run.system_id;

CREATE VIEW v1_predictions AS
SELECT prediction.id AS prediction_id, run.name AS run, item.item_key AS item,
    prediction.turn AS turn,
    prediction.repeat AS repeat, item.group_key AS group_key, revision.topic AS topic,
    revision.task AS task, revision.lang AS lang,
    json_extract(revision.content, '$.turns[' || prediction.turn || '].question') AS question,
    coalesce(json_extract(revision.content,
        '$.turns[' || prediction.turn || '].golden_answers'), '[]') AS golden_answers,
    prediction.state AS state, prediction.answer AS answer, prediction.error_kind AS error_kind,
    prediction.error_text AS error_text, json_extract(retrieved.value, '$.hits') AS retrieved,
    prediction.finished_at AS finished_at
FROM prediction JOIN run ON run.id = prediction.run_id
JOIN revision ON revision.id = prediction.revision_id JOIN item ON item.id = revision.item_id
LEFT JOIN stage_result AS retrieved
    ON retrieved.prediction_id = prediction.id AND retrieved.stage = 'retrieve';

CREATE VIEW v1_scores AS
SELECT prediction.id AS prediction_id, run.name AS run, item.item_key AS item,
    prediction.turn AS turn,
    prediction.repeat AS repeat, metric.name AS metric, metric.variant AS variant,
    judge.name AS judge, judge.config_hash AS judge_hash, score.repeat AS judge_repeat,
    score.state AS state, score.value AS value, score.reason AS reason
FROM prediction JOIN run ON run.id = prediction.run_id
JOIN revision ON revision.id = prediction.revision_id JOIN item ON item.id = revision.item_id
JOIN score ON score.prediction_id = prediction.id JOIN metric ON metric.id = score.metric_id
JOIN judge ON judge.id = score.judge_id;

CREATE VIEW v1_items AS
SELECT dataset.name AS dataset, item.item_key AS item, item.group_key AS group_key,
    item.state AS state, revision.number AS revision, revision.topic AS topic,
    revision.task AS task, revision.lang AS lang, revision.turns AS turns,
    revision.content AS content, revision.content_hash AS content_hash,
    item.created_at AS created_at
FROM item JOIN dataset ON dataset.id = item.dataset_id JOIN revision ON revision.id = item.head;

CREATE VIEW v1_labels AS
SELECT label.form_key AS form, label.rater AS rater, label.subject_kind AS subject_kind,
    label.subject AS subject, item.item_key AS item, run.name AS run, prediction.turn AS turn,
    prediction.repeat AS repeat, label.field AS field, label.value AS value, label.at AS at
FROM label_current AS label
LEFT JOIN prediction
    ON label.subject_kind = 'prediction' AND prediction.id = CAST(label.subject AS INTEGER)
LEFT JOIN run ON run.id = prediction.run_id
LEFT JOIN revision ON revision.id = coalesce(prediction.revision_id,
    CASE label.subject_kind WHEN 'revision' THEN CAST(label.subject AS INTEGER) END)
LEFT JOIN item ON item.id = revision.item_id
WHERE label.aspect = 'value';
"""
