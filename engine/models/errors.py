"""The kinds of failure of a model call, each with its remedy and its effect on a job."""

from __future__ import annotations

from enum import StrEnum

from store.errors import RagdeskError


class FailureKind(StrEnum):
    RATE_LIMITED = "rate_limited"
    SERVER = "server"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    QUOTA = "quota"
    REFUSED_KEY = "refused_key"
    NOT_FOUND = "not_found"
    CONTEXT_LENGTH = "context_length"
    CONTENT_FILTER = "content_filter"
    SCHEMA_REFUSED = "schema_refused"
    """The server takes no JSON schema for its reply."""
    BAD_REQUEST = "bad_request"
    BAD_REPLY = "bad_reply"
    """HTML, malformed JSON, or JSON of another shape."""
    EMPTY_REPLY = "empty_reply"
    RAISED = "raised"
    """One's own system says that it failed."""
    PROCESS_ENDED = "process_ended"
    """The process of one's own system ended while it was to answer."""


class Effect(StrEnum):
    """The effect on a job of a failure that further attempts cannot mend."""

    FAIL_ITEM = "fail_item"
    REFUSE_ITEM = "refuse_item"
    PAUSE_JOB = "pause_job"
    STOP_JOB = "stop_job"


RETRYABLE = frozenset(
    {
        FailureKind.RATE_LIMITED,
        FailureKind.SERVER,
        FailureKind.TIMEOUT,
        FailureKind.CONNECTION,
    }
)

_EFFECTS = {
    # an item skipped for the provider's haste would skew the results
    FailureKind.RATE_LIMITED: Effect.PAUSE_JOB,
    FailureKind.QUOTA: Effect.PAUSE_JOB,
    FailureKind.REFUSED_KEY: Effect.STOP_JOB,
    FailureKind.NOT_FOUND: Effect.STOP_JOB,
    FailureKind.CONTENT_FILTER: Effect.REFUSE_ITEM,
    FailureKind.SCHEMA_REFUSED: Effect.STOP_JOB,
}

_REMEDIES = {
    FailureKind.RATE_LIMITED: "Lower limits.max_in_flight of the provider, or state its limits.rpm"
    " and limits.tpm; then resume.",
    FailureKind.SERVER: "Look at the server's log; then retry what failed.",
    FailureKind.TIMEOUT: "Raise timeout_s of the provider, or lower limits.max_in_flight.",
    FailureKind.CONNECTION: "Check base_url and that the server is running.",
    FailureKind.QUOTA: "Top up the account or wait for its quota to renew; then resume.",
    FailureKind.REFUSED_KEY: "Put a valid key into the environment variable that api_key_env"
    " names; then resume.",
    FailureKind.NOT_FOUND: "Check base_url (it usually ends in /v1) and model.",
    FailureKind.CONTEXT_LENGTH: "Lower top_k or the chunk size, or use a model with a longer"
    " context.",
    FailureKind.CONTENT_FILTER: "The provider's filter refused it; use another model for such"
    " items.",
    FailureKind.SCHEMA_REFUSED: "Remove json_schema from the provider's settings.",
    FailureKind.BAD_REQUEST: "Correct the provider's parameters; a server may refuse some of them.",
    FailureKind.BAD_REPLY: "Check that base_url is the API's address, not a web page or a proxy.",
    FailureKind.RAISED: "Correct the system; then retry what failed.",
    FailureKind.PROCESS_ENDED: "Start it by hand to see why it ends; then retry what failed.",
    FailureKind.EMPTY_REPLY: "Raise max_tokens: a model that reasons first may have used them up.",
}


class ModelError(RagdeskError):
    """A call without an answer. Its message names the provider and never holds a key."""

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        remedy: str | None = None,
        *,
        status: int | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message, _REMEDIES[kind] if remedy is None else remedy)
        self.kind = kind
        self.status = status
        """The HTTP status, where there was one."""
        self.retry_after_s = retry_after_s
        """The seconds to wait that the server asked for."""
        self.attempts = 1
        """The number of attempts at the call."""

    @property
    def retryable(self) -> bool:
        return self.kind in RETRYABLE

    @property
    def effect(self) -> Effect:
        return _EFFECTS.get(self.kind, Effect.FAIL_ITEM)


class EndpointDown(ModelError):
    """The endpoint failed repeatedly, so that the job pauses and its items do not all fail."""

    @property
    def retryable(self) -> bool:
        return False

    @property
    def effect(self) -> Effect:
        return Effect.PAUSE_JOB
