-- name: find
SELECT m."row", m.namespace, m.content, n.code, a.packed,
       CASE WHEN m.record IS JSON THEN (regexp_match(m.record, ',"seal":"([0-9a-f]{32})"\}$'))[1] END
FROM memories AS m
LEFT JOIN namespaces AS n ON n.name = m.namespace
LEFT JOIN attributes AS a ON a.namespace = n.code AND a."row" = m."row"
WHERE m.id = ?

-- name: scrub_other_events
UPDATE events SET session_id = NULL, before = NULL, after = NULL, reason = NULL
WHERE namespace = :namespace AND (before IS NOT NULL OR reason IS NOT NULL)
  AND (strpos(before, :text) > 0 OR strpos(after, :text) > 0 OR strpos(reason, :id) > 0
       OR (length(:plain::text) >= 16 AND strpos(reason, :plain) > 0))
RETURNING seq, memory_id, namespace, action, actor, channel, at

-- name: scrub_retrieval
UPDATE retrievals SET query = '', detail = '{}', shown = (
    SELECT coalesce(json_agg(seen.value), '[]')::text FROM json_array_elements_text(shown::json) AS seen(value) WHERE seen.value <> :id
) WHERE number = :number

-- name: scrub_mentioning_retrievals
UPDATE retrievals SET query = '', detail = '{}'
WHERE namespace = :namespace
  AND (strpos(detail, :id) > 0 OR strpos(detail, :text) > 0 OR query = :plain OR (length(:plain::text) >= 16 AND strpos(query, :plain) > 0))

-- name: cancel_jobs
UPDATE jobs SET payload = '{}', result = NULL, error = 'the memory that it speaks of was erased', state = 'done', lease_until = NULL, worker = NULL
WHERE state IN ('waiting', 'leased') AND namespace = :namespace AND strpos(payload, :id) > 0

-- name: scrub_jobs
UPDATE jobs SET payload = '{}', result = NULL, error = 'the memory that it speaks of was erased'
WHERE state IN ('done', 'dead') AND namespace = :namespace
  AND (strpos(payload, :id) > 0 OR strpos(payload, :text) > 0 OR strpos(result, :id) > 0 OR strpos(result, :text) > 0
       OR (length(:plain::text) >= 16 AND strpos(error, :plain) > 0))
