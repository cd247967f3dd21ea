-- Upkeep: who runs a job now (one of all processes at a time), and what its last run did.
CREATE TABLE upkeep (
    name        TEXT COLLATE "C" PRIMARY KEY,
    holder      TEXT,
    lease_until DOUBLE PRECISION,
    started_at  DOUBLE PRECISION,
    finished_at DOUBLE PRECISION,
    report      TEXT,
    error       TEXT
);
