-- name: add
INSERT INTO jobs (kind, namespace, payload, order_key, state, created_at, due) VALUES (?, ?, ?, ?, 'waiting', ?, ?) RETURNING id

-- name: lease
UPDATE jobs
SET state = 'leased', worker = :worker, lease_until = :now + :seconds, attempts = attempts + 1, error = NULL
WHERE id IN (
    SELECT id FROM jobs AS job
    WHERE state IN ('waiting', 'leased')
      AND ((state = 'waiting' AND due <= :now) OR (state = 'leased' AND lease_until <= :now))
      AND kind IN (SELECT value FROM json_each(:kinds))
      AND (order_key IS NULL OR NOT EXISTS (
          SELECT 1 FROM jobs AS earlier
          WHERE earlier.namespace = job.namespace AND earlier.order_key = job.order_key AND earlier.order_key IS NOT NULL
            AND earlier.state IN ('waiting', 'leased') AND earlier.id < job.id
      ))
    ORDER BY id LIMIT :limit
)
RETURNING id, kind, payload, namespace, attempts, order_key

-- name: renew
UPDATE jobs SET lease_until = :now + :seconds WHERE state = 'leased' AND worker = :worker AND lease_until > :now
RETURNING id

-- name: revive
UPDATE jobs SET state = 'waiting', attempts = 0, due = :now WHERE id = :id AND state = 'dead'
RETURNING id

-- name: finish
UPDATE jobs
SET state = 'done', lease_until = NULL, worker = NULL, error = NULL, result = :result, payload = '{}'
WHERE id = :id AND state = 'leased' AND worker = :worker
RETURNING id

-- name: retry
UPDATE jobs SET state = 'waiting', lease_until = NULL, worker = NULL, error = :error, due = :due
WHERE id = :id AND state = 'leased' AND worker = :worker
RETURNING id

-- name: bury
UPDATE jobs SET state = 'dead', lease_until = NULL, worker = NULL, error = :error
WHERE id = :id AND state = 'leased' AND worker = :worker
RETURNING id

-- name: list
SELECT id, kind, namespace, state, attempts, created_at, error, result FROM jobs ORDER BY id DESC LIMIT :limit

-- name: list_states
SELECT id, kind, namespace, state, attempts, created_at, error, result FROM jobs
WHERE state IN (SELECT value FROM json_each(:states)) ORDER BY id DESC LIMIT :limit

-- name: queued
SELECT count(*) FROM jobs WHERE state IN ('waiting', 'leased')

-- name: dead
SELECT count(*) FROM jobs WHERE state = 'dead'

-- name: prune
DELETE FROM jobs WHERE state = 'done' AND id < (SELECT max(id) FROM jobs) - ?
