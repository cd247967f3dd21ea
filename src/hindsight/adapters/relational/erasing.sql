-- name: find
SELECT m."row", m.namespace, m.content, n.code, a.packed, CASE WHEN json_valid(m.record) THEN json_extract(m.record, '$.seal') END
FROM memories AS m
LEFT JOIN namespaces AS n ON n.name = m.namespace
LEFT JOIN attributes AS a ON a.namespace = n.code AND a."row" = m."row"
WHERE m.id = ?

-- name: add_tombstone
INSERT INTO tombstones (id, namespace, "row", erased_at, seal) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET "row" = excluded."row", erased_at = excluded.erased_at, seal = excluded.seal

-- name: earlier_texts
SELECT before FROM events WHERE memory_id = ? AND before IS NOT NULL

-- name: scrub_events
UPDATE events SET session_id = NULL, before = NULL, after = NULL, reason = NULL WHERE memory_id = ?

-- name: scrub_other_events
UPDATE events SET session_id = NULL, before = NULL, after = NULL, reason = NULL
WHERE namespace = :namespace AND (before IS NOT NULL OR reason IS NOT NULL)
  AND (instr(before, :text) OR instr(after, :text) OR instr(reason, :id) OR (length(:plain) >= 16 AND instr(reason, :plain)))
RETURNING seq, memory_id, namespace, action, actor, channel, at

-- name: retrievals_that_showed
SELECT retrieval FROM retrieval_shown WHERE memory_id = ?

-- name: scrub_retrieval
UPDATE retrievals SET query = '', detail = '{}', shown = (
    SELECT json_group_array(value) FROM json_each(shown) WHERE value <> :id
) WHERE number = :number

-- name: forget_shown
DELETE FROM retrieval_shown WHERE memory_id = ?

-- name: scrub_mentioning_retrievals
UPDATE retrievals SET query = '', detail = '{}'
WHERE namespace = :namespace
  AND (instr(detail, :id) OR instr(detail, :text) OR query = :plain OR (length(:plain) >= 16 AND instr(query, :plain)))

-- name: cancel_jobs
UPDATE jobs SET payload = '{}', result = NULL, error = 'the memory that it speaks of was erased', state = 'done', lease_until = NULL, worker = NULL
WHERE state IN ('waiting', 'leased') AND namespace = :namespace AND instr(payload, :id)

-- name: scrub_jobs
UPDATE jobs SET payload = '{}', result = NULL, error = 'the memory that it speaks of was erased'
WHERE state IN ('done', 'dead') AND namespace = :namespace
  AND (instr(payload, :id) OR instr(payload, :text) OR instr(result, :id) OR instr(result, :text) OR (length(:plain) >= 16 AND instr(error, :plain)))

-- name: referring
SELECT first, last, turn_id FROM turn_refs WHERE namespace = ? AND agent = ? AND session_id = ?

-- name: turns_between
SELECT number, position, id FROM turns WHERE namespace = ? AND agent = ? AND session_id = ? AND position BETWEEN ? AND ?

-- name: turn_with_id
SELECT number, position, id FROM turns WHERE namespace = ? AND agent = ? AND session_id = ? AND id = ?

-- name: delete_turn
DELETE FROM turns WHERE number = ?
