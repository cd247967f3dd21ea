-- name: next_chain
SELECT 1 + greatest(coalesce((SELECT max(chain) FROM seal_heads), 0), coalesce((SELECT max(chain) FROM seals), 0))

-- name: records
SELECT id, namespace, agent, kind, status, visibility, version, idempotency_key, created_at, query, content, record
FROM memories WHERE namespace = ? ORDER BY "row"
