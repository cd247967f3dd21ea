-- name: load
SELECT body, version, opened_at, touched_at FROM sessions WHERE namespace = ? AND agent = ? AND session_id = ?

-- name: insert
INSERT INTO sessions (namespace, agent, session_id, body, version, opened_at, touched_at) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING RETURNING version

-- name: replace
UPDATE sessions SET body = ?, version = ?, touched_at = ?
WHERE namespace = ? AND agent = ? AND session_id = ? AND version = ?
RETURNING version

-- name: drop
DELETE FROM sessions WHERE namespace = ? AND agent = ? AND session_id = ? RETURNING session_id

-- name: drop_version
DELETE FROM sessions WHERE namespace = ? AND agent = ? AND session_id = ? AND version = ? RETURNING session_id

-- name: open
SELECT session_id, body, version, opened_at, touched_at FROM sessions
WHERE namespace = ? AND agent = ? ORDER BY touched_at DESC, session_id

-- name: idle
SELECT namespace, agent, session_id, body, version, opened_at, touched_at FROM sessions
WHERE touched_at < ? ORDER BY touched_at LIMIT ?
