-- Upkeep: who runs a job now (one of all processes at a time), and what its last run did.
CREATE TABLE upkeep (
    name        TEXT PRIMARY KEY,
    holder      TEXT,
    lease_until REAL,
    started_at  REAL,
    finished_at REAL,
    report      TEXT,
    error       TEXT
) STRICT, WITHOUT ROWID;
