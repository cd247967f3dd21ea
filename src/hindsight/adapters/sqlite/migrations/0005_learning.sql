-- What reviewers decided, in order. "signature" is a digest of what was proposed: what was rejected is known when it comes again.
CREATE TABLE reviews (
    number    INTEGER PRIMARY KEY AUTOINCREMENT,
    memory_id TEXT NOT NULL,
    namespace TEXT NOT NULL,
    decision  TEXT NOT NULL,
    signature TEXT NOT NULL,
    actor     TEXT NOT NULL,
    at        REAL NOT NULL,
    reason    TEXT,
    until     REAL
) STRICT;
CREATE INDEX reviews_by_memory ON reviews (memory_id, number);
CREATE INDEX reviews_by_signature ON reviews (namespace, signature);

-- What a candidate rule or procedure rests on, as JSON: ids of episodes and counts, no texts.
CREATE TABLE grounds (
    memory_id TEXT PRIMARY KEY,
    namespace TEXT NOT NULL,
    signature TEXT NOT NULL,
    body      TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- One judgement of a memory by the caller who was shown it; "counted" tells whether it entered the memory's counters.
CREATE TABLE votes (
    retrieval TEXT NOT NULL,
    memory_id TEXT NOT NULL,
    agent     TEXT NOT NULL,
    verdict   TEXT NOT NULL,
    counted   INTEGER NOT NULL,
    at        REAL NOT NULL,
    PRIMARY KEY (retrieval, memory_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX votes_by_memory ON votes (memory_id);

CREATE INDEX memories_under_review ON memories (namespace, status) WHERE status IN ('pending', 'quarantined');
CREATE INDEX retrievals_by_session ON retrievals (namespace, agent, session_id) WHERE session_id IS NOT NULL;

-- A trigger, so that no way of erasing can forget it.
CREATE TRIGGER forget_learning AFTER DELETE ON memories
BEGIN
    UPDATE reviews SET reason = NULL WHERE memory_id = old.id;
    DELETE FROM grounds WHERE memory_id = old.id;
    DELETE FROM votes WHERE memory_id = old.id;
END;
