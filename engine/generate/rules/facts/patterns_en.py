"""The shapes of English sentences that the fact reader knows."""

from __future__ import annotations

import re

from engine.generate.rules.vocabulary import any_of, word_pairs

NP = r"(?P<np>(?:[A-Z][\w’'&-]*|\d{4})(?: [\w’'&$%/.-]+| \([\w’' -]{2,20}\)){0,14}?)"
ABOUT = r"(?: (?:about|approximately|nearly|around|roughly|some))?"
IS = re.compile(
    rf"^{NP} (?P<be>is|was|are|were|stood at|stands at|amounted to|totall?ed|came to|reached)"
    rf"{ABOUT} $"
)
LIMITED = re.compile(
    rf"^{NP} (?P<be>is|was|are|were) (?P<verb>capped|limited|set|fixed|valued|priced|quoted) at"
    rf"{ABOUT} $"
)
MOVES = word_pairs("en", "moves")
CHANGED = re.compile(rf"^{NP} (?P<verb>{'|'.join(MOVES)})(?: by)?{ABOUT} $")
DEEDS = word_pairs("en", "deeds")
"""What a subject did, with the base of the verb: recorded, record."""
DID = re.compile(
    rf"^{NP} (?P<verb>{'|'.join(DEEDS)}) "
    rf"(?P<what>(?:[a-z][\w’'-]* ){{0,6}}?of{ABOUT} |{ABOUT.strip()} ?)$"
)
ON_DATE = re.compile(
    rf"^{NP} (?P<be>was|were|is|are) (?P<verb>\w+ed|held|made|sold|set|paid|given|begun)"
    r"(?P<mid>(?: [\w’'-]+){0,5}?) (?:on|in|until|by) $"
)
ROLE = re.compile(
    r"\b(?:The|the|Its|its) (?P<role>(?:[a-z-]+ ){0,3}(?:"
    + any_of("en", "roles")
    + r"))(?:, | is | was )(?P<name>[A-Z][\w’'-]+(?: [A-Z][\w’'-]+){1,3})(?=[,. ])"
)
IF = re.compile(
    r"^(?P<word>If|Where|When|Once|After) (?P<given>[^,;:]{12,110}), (?P<then>[^;:]{12,180})\.$"
)
REST_CUT = re.compile(
    r"(?:, | (?:primarily|mainly|chiefly|due|because|as a result|reflecting|driven|compared"
    r"|against|and|or|but|which|while|although|ahead|versus|from|up|down|less|more|of which"
    r"|respectively)\b|\.(?!\d)|;|:| to \D?\d).*",
    re.DOTALL,
)
TAIL = re.compile(
    r" (?:in|on|at|for|a|an|per|during|to|under|over|above|below|across|each|every|as of|after"
    r"|before|within|net|related) \w"
)
UNCLEAR = re.compile(r"\b(?:" + any_of("en", "unclear words") + r")\b", re.IGNORECASE)
WE = re.compile(r"^(?:we|our|us|the company|the group)\b", re.IGNORECASE)
NOT_SUBJECTS = re.compile("^(?:" + any_of("en", "beginnings of no subjects") + r")\b")
