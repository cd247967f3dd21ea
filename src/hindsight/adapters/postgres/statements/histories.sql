-- name: events
SELECT seq, memory_id, namespace, action, actor, channel, at, session_id, before, after, reason FROM events
WHERE namespace = :namespace AND (:actor::text IS NULL OR actor = :actor::text)
  AND (:session::text IS NULL OR session_id = :session::text)
  AND (:text::text IS NULL OR strpos(reason, :text::text) > 0)
ORDER BY seq

-- name: events_of
SELECT e.seq, e.memory_id, e.namespace, e.action, e.actor, e.channel, e.at, e.session_id, e.before, e.after, e.reason
FROM (SELECT DISTINCT asked.value FROM json_array_elements_text(:ids::json) AS asked(value)) AS wanted JOIN events AS e ON e.memory_id = wanted.value
WHERE e.namespace = :namespace AND (:actor::text IS NULL OR e.actor = :actor::text)
  AND (:session::text IS NULL OR e.session_id = :session::text)
  AND (:text::text IS NULL OR strpos(e.reason, :text::text) > 0)
ORDER BY e.seq

-- name: children
SELECT p.parent, p.child FROM json_array_elements_text(?::json) AS wanted(value) JOIN parent_links AS p ON p.parent = wanted.value

-- name: changed_since
SELECT m.id, m.namespace, m.agent, m.kind, m.status, m.visibility, m.version, m.idempotency_key, m.created_at, m.query, m.content, m.record
FROM memories AS m
WHERE m.id IN (SELECT memory_id FROM events WHERE namespace = ? AND at::timestamptz >= ?::timestamptz - interval '2 milliseconds')
ORDER BY m."row"
