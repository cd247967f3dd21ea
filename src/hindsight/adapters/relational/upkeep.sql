-- name: begin
INSERT INTO upkeep (name, holder, lease_until, started_at) VALUES (:name, :holder, :until, :now)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, lease_until = excluded.lease_until, started_at = excluded.started_at
WHERE (upkeep.lease_until IS NULL OR upkeep.lease_until <= :now OR upkeep.lease_until > :ahead)
  AND (upkeep.started_at IS NULL OR upkeep.started_at <= :since OR upkeep.started_at > :ahead)
RETURNING name

-- name: hold
UPDATE upkeep SET lease_until = :until WHERE name = :name AND holder = :holder RETURNING name

-- name: finish
UPDATE upkeep SET holder = NULL, lease_until = NULL, finished_at = :now, report = coalesce(:report, report), error = :error
WHERE name = :name AND holder = :holder RETURNING name

-- name: states
SELECT name, holder, lease_until, started_at, finished_at, report, error FROM upkeep ORDER BY name

-- name: scan
SELECT "row", id, namespace, agent, kind, status, visibility, version, idempotency_key, created_at, query, content, record
FROM memories
-- By row: an index that has the others would sort everything anew for every page.
WHERE +namespace = :namespace AND "row" > :after AND record LIKE :like
  AND +status IN (SELECT value FROM json_each(:statuses)) AND +kind IN (SELECT value FROM json_each(:kinds))
ORDER BY "row" LIMIT :limit

-- name: turns
SELECT number, speaker, content FROM turns WHERE namespace = ?

-- name: delete_turn
DELETE FROM turns WHERE number = ?

-- name: retrievals
SELECT number, query, detail FROM retrievals WHERE namespace = ? AND (query <> '' OR detail <> '{}')

-- name: blank_retrieval
UPDATE retrievals SET query = '', detail = '{}' WHERE number = ?

-- name: jobs
SELECT id, payload, result, error FROM jobs WHERE namespace = ?

-- name: blank_job
UPDATE jobs SET payload = '{}', result = NULL, error = 'what it speaks of was erased', state = 'done', lease_until = NULL, worker = NULL
WHERE id = ?

-- name: sessions
SELECT agent, session_id, body FROM sessions WHERE namespace = ?

-- name: delete_session
DELETE FROM sessions WHERE namespace = ? AND agent = ? AND session_id = ?

-- name: event_texts
SELECT seq, before, after, reason FROM events WHERE namespace = ? AND (before IS NOT NULL OR reason IS NOT NULL)

-- name: blank_event
UPDATE events SET session_id = NULL, before = NULL, after = NULL, reason = NULL WHERE seq = ?
RETURNING seq, memory_id, namespace, action, actor, channel, at

-- name: count_record
SELECT count(*) FROM memories WHERE id = ?

-- name: count_shown
SELECT count(*) FROM retrieval_shown WHERE memory_id = ?

-- name: count_votes
SELECT count(*) FROM votes WHERE memory_id = ?

-- name: count_event_texts
SELECT count(*) FROM events WHERE memory_id = ? AND (before IS NOT NULL OR after IS NOT NULL)

-- name: row_of
SELECT "row" FROM memories WHERE id = ? UNION ALL SELECT "row" FROM tombstones WHERE id = ?

-- name: count_tokens
SELECT count(*) FROM tokens WHERE "row" = ?

-- name: count_vectors
SELECT count(*) FROM vectors WHERE "row" = ?

-- name: count_passages
SELECT count(*) FROM passages WHERE "row" = ?

-- name: count_links
SELECT count(*) FROM entity_links WHERE "row" = ?

-- name: count_attributes
SELECT count(*) FROM attributes WHERE "row" = ?
