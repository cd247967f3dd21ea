-- Bearer tokens of callers. Only the SHA-256 of a token is kept; a revoked one stays, so that the last revocation never opens the door.
CREATE TABLE access_tokens (
    id           TEXT PRIMARY KEY,
    digest       BLOB NOT NULL UNIQUE,
    name         TEXT NOT NULL,
    agent        TEXT NOT NULL,
    namespaces   TEXT NOT NULL,
    scopes       TEXT NOT NULL,
    per_minute   INTEGER NOT NULL,
    created_at   REAL NOT NULL,
    expires_at   REAL,
    revoked_at   REAL,
    last_used_at REAL
) STRICT, WITHOUT ROWID;
