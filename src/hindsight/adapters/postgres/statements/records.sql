-- name: fetch
SELECT m."row", m.id, m.namespace, m.agent, m.kind, m.status, m.visibility, m.version, m.idempotency_key, m.created_at, m.query, m.content, m.record
FROM json_array_elements_text(?::json) AS wanted(value) JOIN memories AS m ON m."row" = wanted.value::bigint

-- name: row_of
SELECT wanted.key - 1, m."row" FROM json_array_elements_text(?::json) WITH ORDINALITY AS wanted(value, key) JOIN memories AS m ON m.id = wanted.value

-- name: find_keys
SELECT m.idempotency_key, m.id FROM json_array_elements_text(?::json) AS wanted(value)
JOIN memories AS m ON m.namespace = ? AND m.agent = ? AND m.idempotency_key = wanted.value
WHERE m.status <> 'archived'

-- name: namespaces_of_rows
SELECT DISTINCT m.namespace FROM json_array_elements_text(?::json) AS wanted(value) JOIN memories AS m ON m."row" = wanted.value::bigint

-- name: prune_changes
DELETE FROM changes WHERE seq <= (SELECT max(seq) FROM changes) - ?

-- name: get_tokens
SELECT array_to_string(words, ' ') FROM tokens WHERE "row" = ?

-- name: put_tokens
INSERT INTO tokens ("row", words) VALUES (?, string_to_array(?::text, ' '))
