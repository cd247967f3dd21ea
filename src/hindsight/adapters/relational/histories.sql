-- name: history
SELECT seq, memory_id, namespace, action, actor, channel, at, session_id, before, after, reason
FROM events WHERE memory_id = ? ORDER BY seq

-- name: events
SELECT seq, memory_id, namespace, action, actor, channel, at, session_id, before, after, reason FROM events
WHERE namespace = :namespace AND (:actor IS NULL OR actor = :actor) AND (:session IS NULL OR session_id = :session)
  AND (:text IS NULL OR instr(reason, :text))
ORDER BY seq

-- name: events_of
SELECT e.seq, e.memory_id, e.namespace, e.action, e.actor, e.channel, e.at, e.session_id, e.before, e.after, e.reason
FROM json_each(:ids) AS wanted CROSS JOIN events AS e ON e.memory_id = wanted.value
WHERE e.namespace = :namespace AND (:actor IS NULL OR e.actor = :actor) AND (:session IS NULL OR e.session_id = :session)
  AND (:text IS NULL OR instr(e.reason, :text))
ORDER BY e.seq

-- name: latest_events
SELECT seq, memory_id, namespace, action, actor, channel, at, session_id, NULL, NULL, reason FROM events
WHERE namespace = :namespace AND seq < :below
ORDER BY seq DESC LIMIT :most

-- name: children
SELECT p.parent, p.child FROM json_each(?) AS wanted CROSS JOIN parent_links AS p ON p.parent = wanted.value

-- name: changed_since
-- A thousandth of a second is SQLite's resolution: a little too many come, and the caller looks closer.
SELECT m.id, m.namespace, m.agent, m.kind, m.status, m.visibility, m.version, m.idempotency_key, m.created_at, m.query, m.content, m.record
FROM memories AS m
WHERE m.id IN (
    SELECT memory_id FROM events WHERE namespace = ? AND unixepoch(at, 'subsec') >= unixepoch(?, 'subsec') - 0.002
)
ORDER BY m."row"
