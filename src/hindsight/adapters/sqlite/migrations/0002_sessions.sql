-- Working memory of open sessions. A row lives until its session closes; secure_delete overwrites what it held.

CREATE TABLE sessions (
    namespace  TEXT NOT NULL,
    agent      TEXT NOT NULL,
    session_id TEXT NOT NULL,
    body       TEXT NOT NULL,
    version    INTEGER NOT NULL,
    opened_at  REAL NOT NULL,
    touched_at REAL NOT NULL,
    PRIMARY KEY (namespace, agent, session_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_touch ON sessions (touched_at);
