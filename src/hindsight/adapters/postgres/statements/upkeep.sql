-- name: scan
SELECT "row", id, namespace, agent, kind, status, visibility, version, idempotency_key, created_at, query, content, record
FROM memories
WHERE namespace = :namespace AND "row" > :after AND record LIKE :like
  AND status IN (SELECT wanted.value FROM json_array_elements_text(:statuses::json) AS wanted(value))
  AND kind IN (SELECT wanted.value FROM json_array_elements_text(:kinds::json) AS wanted(value))
ORDER BY "row" LIMIT :limit
