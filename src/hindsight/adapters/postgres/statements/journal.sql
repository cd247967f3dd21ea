-- name: add_turn
INSERT INTO turns (namespace, agent, session_id, position, id, speaker, role, at, content)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING 1

-- name: erased_among
SELECT t.id FROM json_array_elements_text(?::json) AS named(value) JOIN tombstones AS t ON t.id = named.value
WHERE NOT EXISTS (SELECT 1 FROM memories AS m WHERE m.id = t.id)
