-- name: is_sealed
SELECT EXISTS (SELECT 1 FROM seal_heads) OR EXISTS (SELECT 1 FROM seals)

-- name: has_history
SELECT EXISTS (SELECT 1 FROM events) OR EXISTS (SELECT 1 FROM memories)

-- name: end
SELECT number, mac FROM seal_heads WHERE namespace = ?

-- name: end_with_link
SELECT h.chain, h.number, h.mac, h.key, h.seal, s.mac
FROM seal_heads AS h LEFT JOIN seals AS s ON s.chain = h.chain AND s.number = h.number
WHERE h.namespace = ?

-- name: next_chain
SELECT 1 + max(coalesce((SELECT max(chain) FROM seal_heads), 0), coalesce((SELECT max(chain) FROM seals), 0))

-- name: last_number
SELECT max(number) FROM seals WHERE chain = ?

-- name: put_head
INSERT INTO seal_heads (chain, namespace, number, mac, key, seal) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (chain) DO UPDATE SET number = excluded.number, mac = excluded.mac, key = excluded.key, seal = excluded.seal

-- name: add_link
INSERT INTO seals (chain, number, kind, memory_id, event, key, record, texts, mac) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: drop_links
DELETE FROM seals

-- name: drop_heads
DELETE FROM seal_heads

-- name: drop_cuts
DELETE FROM seal_cuts

-- name: last_events
SELECT memory_id, max(seq) FROM events GROUP BY memory_id

-- name: page_of_events
SELECT seq, memory_id, namespace, action, actor, channel, at, session_id, before, after, reason FROM events WHERE seq > ? ORDER BY seq LIMIT 1000

-- name: without_event
SELECT id, namespace FROM memories WHERE id NOT IN (SELECT memory_id FROM events) ORDER BY "row"

-- name: values_of
SELECT id, namespace, agent, kind, status, visibility, version, idempotency_key, created_at, query, content, record FROM memories WHERE id = ?

-- name: set_record
UPDATE memories SET record = ? WHERE id = ?

-- name: set_tombstone
UPDATE tombstones SET seal = ? WHERE id = ?

-- name: heads
SELECT namespace, number, mac, key, seal FROM seal_heads ORDER BY namespace

-- name: links
SELECT s.number, s.kind, s.memory_id, s.event, s.key, s.record, s.texts, s.mac, s.previous,
       e.seq, e.memory_id, e.namespace, e.action, e.actor, e.channel, e.at, e.session_id, e.before, e.after, e.reason
FROM seal_heads AS h JOIN seals AS s ON s.chain = h.chain LEFT JOIN events AS e ON e.seq = s.event
WHERE h.namespace = ? ORDER BY s.number

-- name: records
SELECT id, namespace, agent, kind, status, visibility, version, idempotency_key, created_at, query, content, record
FROM memories INDEXED BY memories_by_key WHERE namespace = ?

-- name: tombstones
SELECT id, erased_at, seal FROM tombstones WHERE namespace = ?

-- name: strays
SELECT 'link', '', memory_id FROM seals WHERE chain NOT IN (SELECT chain FROM seal_heads)
UNION ALL
SELECT 'event', namespace, memory_id FROM events WHERE seq NOT IN (SELECT event FROM seals WHERE kind <> 'scrub')
UNION ALL
SELECT 'record', namespace, id FROM memories WHERE namespace NOT IN (SELECT namespace FROM seal_heads)
UNION ALL
SELECT 'tombstone', namespace, id FROM tombstones WHERE namespace NOT IN (SELECT namespace FROM seal_heads)
