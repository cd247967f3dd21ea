-- name: facts
SELECT e.seq, e.action, e.at, EXISTS (SELECT 1 FROM memories AS m WHERE m.id = e.memory_id),
       e.seq = (SELECT max(other.seq) FROM events AS other WHERE other.memory_id = e.memory_id),
       EXISTS (SELECT 1 FROM seals AS s WHERE s.event = e.seq AND s.kind = 'scrub' AND s.chain = :chain AND s.number > :cut),
       gone.at, e.seq = gone.seq,
       e.seq = (SELECT max(other.seq) FROM events AS other WHERE other.memory_id = e.memory_id AND other.seq < gone.seq),
       gone.actor = :keeper AND gone.channel = :channel, substr(gone.reason, 1, length(:moved::text)) = :moved::text
FROM json_array_elements_text(:events::json) AS asked(value) JOIN events AS e ON e.seq = asked.value::bigint
LEFT JOIN events AS gone ON gone.seq = (SELECT max(other.seq) FROM events AS other WHERE other.memory_id = e.memory_id AND other.action = 'erased')
