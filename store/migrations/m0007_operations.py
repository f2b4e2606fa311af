"""Stores the parameters of jobs as tagged operations."""

# json_patch takes members that are null out of what it patches, so a member is renamed by setting
# the new one and nulling the old. A job without anything to patch came with an archive; it is done.
SQL = """
UPDATE job SET params = json_patch(params, json_object(
    'operation', kind,
    'max_tokens', NULL,
    'max_cost', NULL,
    'budget', json_object(
        'max_tokens', json_extract(params, '$.max_tokens'),
        'max_cost', json_extract(params, '$.max_cost'))))
WHERE params <> '{}' OR kind = 'run' OR EXISTS
    (SELECT 1 FROM generation WHERE job_id = job.id);

UPDATE job SET params = json_remove(params, '$.budget')
WHERE json_extract(params, '$.budget') = '{}';

UPDATE job SET params = json_set(params, '$.run', run_id)
WHERE kind = 'run' AND run_id IS NOT NULL;

UPDATE job SET params = json_set(params, '$.judge',
    (SELECT name FROM judge WHERE judge.id = json_extract(params, '$.judge_id')))
WHERE kind = 'judge';

-- The number of what the taxonomy's name stood for when the job was queued.
UPDATE job SET params = json_patch(params, json_object(
    'taxonomy', json_extract(params, '$.taxonomy_id'), 'taxonomy_id', NULL))
WHERE kind = 'classify';

UPDATE job SET params = json_set(params, '$.model', json_extract(params, '$.provider.name'))
WHERE kind IN ('classify', 'inspect', 'topics') AND json_type(params, '$.provider') = 'object';

-- What a generation was asked for, out of what it froze: its cells, but for those that have the
-- number of items that was given for all.
WITH asked AS (
    SELECT job_id, corpus.name AS corpus, dataset.name AS dataset,
        json_extract(settings, '$.per_cell') AS per_cell,
        json_extract(settings, '$.seed') AS seed,
        json_extract(settings, '$.provider.name') AS model
    FROM generation JOIN dataset ON dataset.id = dataset_id JOIN corpus ON corpus.id = corpus_id
), topics AS (
    SELECT job_id, topic, min(ordinal) AS place FROM generation_cell GROUP BY job_id, topic
), tasks AS (
    SELECT job_id, task, min(ordinal) AS place FROM generation_cell GROUP BY job_id, task
)
UPDATE job SET params = json_patch(params, (
    SELECT json_object(
        'corpus', corpus,
        'dataset', dataset,
        'per_cell', per_cell,
        'seed', seed,
        'model', model,
        'topics', (SELECT json_group_array(topic) FROM
            (SELECT topic FROM topics WHERE job_id = job.id ORDER BY place)),
        'tasks', (SELECT json_group_array(task) FROM
            (SELECT task FROM tasks WHERE job_id = job.id ORDER BY place)),
        'targets', (SELECT json_group_array(json_array(topic, task, items)) FROM
            (SELECT topics.topic, tasks.task, coalesce(target, 0) AS items
            FROM topics JOIN tasks ON tasks.job_id = topics.job_id
            LEFT JOIN generation_cell AS cell ON cell.job_id = topics.job_id
                AND cell.topic = topics.topic AND cell.task = tasks.task
            WHERE topics.job_id = job.id AND coalesce(target, 0) <> per_cell
            ORDER BY topics.place, tasks.place)))
    FROM asked WHERE asked.job_id = job.id))
WHERE EXISTS (SELECT 1 FROM generation WHERE job_id = job.id);
"""
