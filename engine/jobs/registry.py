"""Every kind of job, with the operation that does it: named, so that no job loads another's code.

A new kind of job is a class in the room of its subject and one line here.
"""

OPERATIONS = {
    "audit": "engine.calibration.audit.audit_job:AuditJudge",
    "classify": "engine.taxonomy.classify_job:Classify",
    "difficulty": "engine.difficulty.difficulty_job:MeasureDifficulty",
    "evolve": "engine.evolve.evolve_job:Evolve",
    "experiment": "engine.experiments.experiment_job:RunExperiment",
    "generate": "engine.generate.filling.generate_job:Generate",
    "graph": "engine.graph.graph_job:BuildGraph",
    "ingest": "engine.corpus.ingest_job:Ingest",
    "inspect": "engine.generate.inspection.inspect_job:Inspect",
    "judge": "engine.judge.judge_job:JudgeRun",
    "run": "engine.evaluate.run_job:Evaluate",
    "second-opinion": "engine.second_opinion.verify_job:VerifyMetrics",
    "topics": "engine.taxonomy.topics_job:ProposeTopics",
}
"""Kind of job: module and class of its operation."""
