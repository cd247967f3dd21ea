-- name: awaiting
SELECT m.id, m.namespace, m.agent, m.kind, m.status, m.visibility, m.version, m.idempotency_key, m.created_at, m.query, m.content, m.record
FROM memories AS m
LEFT JOIN reviews AS r ON r.number = (SELECT max(number) FROM reviews WHERE memory_id = m.id)
WHERE m.namespace = :namespace AND m.status IN ('pending', 'quarantined')
  AND coalesce(r.decision <> 'rejected' AND (r.decision <> 'postponed' OR r.until <= :now), 1)
ORDER BY m."row" LIMIT :limit

-- name: in_conflict
SELECT id, namespace, agent, kind, status, visibility, version, idempotency_key, created_at, query, content, record
FROM memories
-- As in the index.
WHERE namespace = :namespace AND status = 'active' AND CASE WHEN json_valid(record) THEN json_extract(record, '$.conflicts_with[0]') END IS NOT NULL
ORDER BY "row" LIMIT :limit

-- name: doubted
SELECT id, namespace, agent, kind, status, visibility, version, idempotency_key, created_at, query, content, record
-- In this order: there are few votes, and a namespace may have a million memories.
FROM (SELECT DISTINCT memory_id FROM votes WHERE verdict = 'harmful') AS v CROSS JOIN memories AS m ON m.id = v.memory_id
WHERE m.namespace = :namespace AND m.status = 'active'
  AND json_valid(m.record) AND json_extract(m.record, '$.harmful') >= :least
  AND NOT EXISTS (
    SELECT 1 FROM reviews AS r WHERE r.memory_id = m.id AND r.decision IN ('approved', 'postponed')
      AND (r.until > :now OR r.at >= (SELECT max(at) FROM votes WHERE memory_id = m.id AND verdict = 'harmful'))
  )
ORDER BY m."row" LIMIT :limit

-- name: decide
INSERT INTO reviews (memory_id, namespace, decision, signature, actor, at, reason, until) VALUES (?, ?, ?, ?, ?, ?, ?, ?)

-- name: decisions
SELECT memory_id, namespace, decision, signature, actor, at, reason, until FROM reviews WHERE memory_id = ? ORDER BY number

-- name: rejected
SELECT DISTINCT r.signature FROM json_each(:signatures) AS asked JOIN reviews AS r ON r.signature = asked.value
WHERE r.namespace = :namespace AND r.number = (SELECT max(number) FROM reviews WHERE namespace = r.namespace AND signature = r.signature)
  AND r.decision = 'rejected'

-- name: put_grounds
INSERT INTO grounds (memory_id, namespace, signature, body) SELECT id, namespace, ?, ? FROM memories WHERE id = ?
ON CONFLICT (memory_id) DO UPDATE SET signature = excluded.signature, body = excluded.body

-- name: grounds
SELECT g.memory_id, g.body FROM json_each(?) AS asked JOIN grounds AS g ON g.memory_id = asked.value

-- name: vote
INSERT INTO votes (retrieval, memory_id, agent, verdict, counted, at)
SELECT :retrieval, id, :agent, :verdict, :counted, :at FROM memories WHERE id = :memory
ON CONFLICT (retrieval, memory_id) DO UPDATE SET verdict = excluded.verdict, counted = excluded.counted, at = excluded.at

-- name: votes
SELECT memory_id, agent, verdict, counted FROM votes WHERE retrieval = ?

-- name: blamed
SELECT count(*) FROM votes WHERE memory_id = ? AND agent = ? AND retrieval <> ? AND verdict = 'harmful' AND counted <> 0

-- name: times_shown
SELECT asked.value, count(s.retrieval) FROM json_each(?) AS asked LEFT JOIN retrieval_shown AS s ON s.memory_id = asked.value
GROUP BY asked.value

-- name: retrievals_of
SELECT id, namespace, agent, at, session_id, took_ms, query, shown, detail FROM retrievals
WHERE namespace = ? AND agent = ? AND session_id = ? ORDER BY number

-- name: latest_retrievals
SELECT id, namespace, agent, at, session_id, took_ms, query, shown, detail FROM retrievals
WHERE namespace = ? AND agent = ? ORDER BY number DESC LIMIT ?
