"""RAGQuestEval (CRUD-RAG) asks an answer the questions that its golden answer answers."""
