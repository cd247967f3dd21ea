-- name: add_turn
INSERT INTO turns (namespace, agent, session_id, position, id, speaker, role, at, content)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (namespace, agent, session_id, position) DO NOTHING RETURNING 1

-- name: turns
SELECT session_id, position, id, speaker, role, at, content FROM turns
WHERE namespace = :namespace AND agent = :agent AND session_id = :session AND position BETWEEN :first AND :last ORDER BY position

-- name: add_retrieval
INSERT INTO retrievals (id, namespace, agent, at, session_id, took_ms, query, shown, detail)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING RETURNING number

-- name: erased_among
SELECT t.id FROM json_each(?) AS named JOIN tombstones AS t ON t.id = named.value
WHERE NOT EXISTS (SELECT 1 FROM memories AS m WHERE m.id = t.id)

-- name: add_shown
INSERT INTO retrieval_shown (memory_id, retrieval) VALUES (?, ?) ON CONFLICT DO NOTHING

-- name: retrieval
SELECT id, namespace, agent, at, session_id, took_ms, query, shown, detail FROM retrievals WHERE id = ?

-- name: prune_shown
DELETE FROM retrieval_shown WHERE retrieval <= (SELECT max(number) FROM retrievals) - ?

-- name: prune_retrievals
DELETE FROM retrievals WHERE number <= (SELECT max(number) FROM retrievals) - ?
