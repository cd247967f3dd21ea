-- name: cut
SELECT c.chain, h.namespace, c.number, c.last, c.mac, c.kept, c.total, c.before, c.key, c.seal
FROM seal_heads AS h JOIN seal_cuts AS c ON c.chain = h.chain WHERE h.namespace = ?

-- name: put_cut
INSERT INTO seal_cuts (chain, number, last, mac, kept, total, before, key, seal) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (chain) DO UPDATE SET number = excluded.number, last = excluded.last, mac = excluded.mac, kept = excluded.kept,
    total = excluded.total, before = excluded.before, key = excluded.key, seal = excluded.seal

-- name: head
SELECT chain, number FROM seal_heads WHERE namespace = ?

-- name: page_of_links
SELECT number, kind, memory_id, event, key, mac FROM seals WHERE chain = ? AND number > ? AND number < ? ORDER BY number LIMIT ?

-- name: kept_links
SELECT number, key, mac FROM seals WHERE chain = ? AND number <= ?

-- name: page_of_events
SELECT seq, memory_id, action FROM events WHERE namespace = ? AND seq > ? ORDER BY seq LIMIT ?

-- name: facts
-- What tells whether an event is needed. "gone" is how its memory was erased last, if ever.
SELECT e.seq, e.action, e.at, EXISTS (SELECT 1 FROM memories AS m WHERE m.id = e.memory_id),
       e.seq = (SELECT max(other.seq) FROM events AS other WHERE other.memory_id = e.memory_id),
       EXISTS (SELECT 1 FROM seals AS s WHERE s.event = e.seq AND s.kind = 'scrub' AND s.chain = :chain AND s.number > :cut),
       gone.at, e.seq = gone.seq,
       e.seq = (SELECT max(other.seq) FROM events AS other WHERE other.memory_id = e.memory_id AND other.seq < gone.seq),
       gone.actor = :keeper AND gone.channel = :channel, substr(gone.reason, 1, length(:moved)) = :moved
FROM json_each(:events) AS asked CROSS JOIN events AS e ON e.seq = asked.value
LEFT JOIN events AS gone ON gone.seq = (SELECT max(other.seq) FROM events AS other WHERE other.memory_id = e.memory_id AND other.action = 'erased')

-- name: standing
SELECT id FROM memories WHERE id = ?

-- name: last_erased
SELECT max(seq) FROM events WHERE memory_id = ? AND action = 'erased'

-- name: explained
SELECT 1 FROM events WHERE memory_id = ? AND seq < ? AND NOT EXISTS (SELECT 1 FROM memories WHERE id = ?) LIMIT 1

-- name: mark_previous
UPDATE seals SET previous = ? WHERE chain = ? AND number = ?

-- name: drop_link
DELETE FROM seals WHERE chain = ? AND number = ?

-- name: drop_scrubs
DELETE FROM seals WHERE chain = ? AND kind = 'scrub' AND event = ? RETURNING number, key, mac

-- name: drop_event
DELETE FROM events WHERE seq = ?

-- name: drop_tombstone
DELETE FROM tombstones WHERE id = ?

-- name: drop_parents
DELETE FROM parent_links WHERE child = ? AND NOT EXISTS (SELECT 1 FROM memories WHERE id = ?)
  AND NOT EXISTS (SELECT 1 FROM events WHERE memory_id = ?)
