-- name: progress
SELECT (SELECT count(*) FROM staged_vectors), (SELECT count(*) FROM memories AS m JOIN namespaces AS n ON n.name = m.namespace)

-- name: unstaged
SELECT m."row", m.id, m.namespace, m.agent, m.kind, m.status, m.visibility, m.version, m.idempotency_key, m.created_at, m.query, m.content, m.record
-- In this order: by namespace, everything would be sorted for every page.
FROM memories AS m CROSS JOIN namespaces AS n
WHERE n.name = m.namespace AND m."row" > ? AND NOT EXISTS (SELECT 1 FROM staged_vectors AS s WHERE s.namespace = n.code AND s."row" = m."row")
ORDER BY m."row" LIMIT ?

-- name: records
SELECT "row", id, namespace, agent, kind, status, visibility, version, idempotency_key, created_at, query, content, record
FROM memories WHERE "row" > ? ORDER BY "row" LIMIT ?

-- name: any_unstaged
SELECT EXISTS (
    SELECT 1 FROM memories AS m JOIN namespaces AS n ON n.name = m.namespace
    WHERE NOT EXISTS (SELECT 1 FROM staged_vectors AS s WHERE s.namespace = n.code AND s."row" = m."row")
)

-- name: namespace_at_version
SELECT n.code FROM memories AS m JOIN namespaces AS n ON n.name = m.namespace WHERE m."row" = ? AND m.version = ?

-- name: stage_vector
INSERT OR REPLACE INTO staged_vectors (namespace, "row", scale, data) VALUES (?, ?, ?, ?)

-- name: unstage_passages
DELETE FROM staged_passages WHERE namespace = ? AND "row" = ?

-- name: stage_passage
INSERT INTO staged_passages (namespace, "row", number, scale, data) VALUES (?, ?, ?, ?, ?)

-- name: unindex
SELECT 0

-- name: empty_vectors
DELETE FROM vectors

-- name: empty_passages
DELETE FROM passages

-- name: take_vectors
INSERT INTO vectors (namespace, "row", scale, data)
SELECT namespace, "row", scale, data FROM staged_vectors WHERE scale > 0 ORDER BY namespace, "row"

-- name: take_passages
INSERT INTO passages (namespace, "row", number, scale, data)
SELECT namespace, "row", number, scale, data FROM staged_passages ORDER BY namespace, "row", number

-- name: empty_staged_vectors
DELETE FROM staged_vectors

-- name: empty_staged_passages
DELETE FROM staged_passages
