-- name: lease
WITH due AS MATERIALIZED (
    SELECT id FROM jobs AS job
    WHERE state IN ('waiting', 'leased')
      AND ((state = 'waiting' AND due <= :now) OR (state = 'leased' AND lease_until <= :now))
      AND kind IN (SELECT wanted.value FROM json_array_elements_text(:kinds::json) AS wanted(value))
      AND (order_key IS NULL OR NOT EXISTS (
          SELECT 1 FROM jobs AS earlier
          WHERE md5(earlier.order_key) = md5(job.order_key) AND earlier.namespace = job.namespace AND earlier.order_key IS NOT NULL
            AND earlier.state IN ('waiting', 'leased') AND earlier.id < job.id
      ))
    ORDER BY id LIMIT :limit FOR UPDATE SKIP LOCKED
)
UPDATE jobs
SET state = 'leased', worker = :worker, lease_until = :now::float8 + :seconds::float8, attempts = attempts + 1, error = NULL
FROM due WHERE jobs.id = due.id
RETURNING jobs.id, kind, payload, namespace, attempts, order_key

-- name: renew
UPDATE jobs SET lease_until = :now::float8 + :seconds::float8 WHERE state = 'leased' AND worker = :worker AND lease_until > :now
RETURNING id

-- name: list_states
SELECT id, kind, namespace, state, attempts, created_at, error, result FROM jobs
WHERE state IN (SELECT wanted.value FROM json_array_elements_text(:states::json) AS wanted(value)) ORDER BY id DESC LIMIT :limit
