-- name: find_key
SELECT "row", id, status, version FROM memories WHERE namespace = ? AND agent = ? AND idempotency_key = ?

-- name: insert_memory
INSERT INTO memories (id, namespace, agent, kind, status, visibility, version, idempotency_key, created_at, query, content, record)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING "row"

-- name: update_memory
UPDATE memories
SET id = ?, namespace = ?, agent = ?, kind = ?, status = ?, visibility = ?, version = ?, idempotency_key = ?, created_at = ?,
    query = ?, content = ?, record = ?
WHERE "row" = ?

-- name: delete_memory
DELETE FROM memories WHERE "row" = ?

-- name: id_taken
SELECT 1 FROM memories WHERE id = ?

-- name: get
SELECT id, namespace, agent, kind, status, visibility, version, idempotency_key, created_at, query, content, record
FROM memories WHERE id = ?

-- name: get_with_row
SELECT "row", id, namespace, agent, kind, status, visibility, version, idempotency_key, created_at, query, content, record
FROM memories WHERE id = ?

-- name: fetch
SELECT m."row", m.id, m.namespace, m.agent, m.kind, m.status, m.visibility, m.version, m.idempotency_key, m.created_at, m.query, m.content, m.record
FROM json_each(?) AS wanted JOIN memories AS m ON m."row" = wanted.value

-- name: row_of
SELECT wanted.key, m."row" FROM json_each(?) AS wanted JOIN memories AS m ON m.id = wanted.value

-- name: find_keys
SELECT m.idempotency_key, m.id FROM json_each(?) AS wanted
CROSS JOIN memories AS m ON m.namespace = ? AND m.agent = ? AND m.idempotency_key = wanted.value
WHERE m.status <> 'archived'

-- name: namespaces_of_rows
SELECT DISTINCT m.namespace FROM json_each(?) AS wanted JOIN memories AS m ON m."row" = wanted.value

-- name: export
SELECT "row", id, namespace, agent, kind, status, visibility, version, idempotency_key, created_at, query, content, record
FROM memories WHERE "row" > ? AND status <> 'quarantined' ORDER BY "row" LIMIT ?

-- name: export_namespace
SELECT m."row", m.id, m.namespace, m.agent, m.kind, m.status, m.visibility, m.version, m.idempotency_key, m.created_at, m.query, m.content, m.record
FROM attributes AS a JOIN memories AS m ON m."row" = a."row"
WHERE a.namespace = ? AND a."row" > ? AND m.status <> 'quarantined' ORDER BY a."row" LIMIT ?

-- name: namespace_code
SELECT code FROM namespaces WHERE name = ?

-- name: add_namespace
INSERT INTO namespaces (name) VALUES (?) RETURNING code

-- name: language_code
SELECT code FROM languages WHERE name = ?

-- name: add_language
INSERT INTO languages (code, name) SELECT coalesce(max(code) + 1, 0), ? FROM languages RETURNING code

-- name: get_attributes
SELECT packed FROM attributes WHERE namespace = ? AND "row" = ?

-- name: put_attributes
INSERT INTO attributes (namespace, "row", packed) VALUES (?, ?, ?) ON CONFLICT (namespace, "row") DO UPDATE SET packed = excluded.packed

-- name: delete_attributes
DELETE FROM attributes WHERE namespace = ? AND "row" = ?

-- name: put_vector
INSERT INTO vectors (namespace, "row", scale, data) VALUES (?, ?, ?, ?)
ON CONFLICT (namespace, "row") DO UPDATE SET scale = excluded.scale, data = excluded.data

-- name: put_passage
INSERT INTO passages (namespace, "row", number, scale, data) VALUES (?, ?, ?, ?, ?)

-- name: delete_passages
DELETE FROM passages WHERE namespace = ? AND "row" = ?

-- name: delete_vector
DELETE FROM vectors WHERE namespace = ? AND "row" = ?

-- name: get_tokens
SELECT text FROM tokens WHERE "row" = ?

-- name: put_tokens
INSERT INTO tokens ("row", text) VALUES (?, ?)

-- name: delete_tokens
DELETE FROM tokens WHERE "row" = ?

-- name: add_event
INSERT INTO events (memory_id, namespace, action, actor, channel, at, session_id, before, after, reason)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq

-- name: add_parent
INSERT INTO parent_links (parent, child) VALUES (?, ?) ON CONFLICT DO NOTHING

-- name: delete_parents
DELETE FROM parent_links WHERE child = ?

-- name: add_change
INSERT INTO changes (namespace, "row", reindexed) VALUES (?, ?, ?) RETURNING seq

-- name: prune_changes
DELETE FROM changes WHERE seq <= (SELECT seq FROM sqlite_sequence WHERE name = 'changes') - ?

-- name: add_turn_ref
INSERT INTO turn_refs (namespace, agent, session_id, "row", first, last, turn_id) VALUES (?, ?, ?, ?, ?, ?, ?)

-- name: delete_turn_refs
DELETE FROM turn_refs WHERE "row" = ? RETURNING namespace, agent, session_id, first, last, turn_id
