-- name: counts
SELECT 'memories', count(*) FROM memories UNION ALL SELECT 'tombstones', count(*) FROM tombstones
UNION ALL SELECT 'events', count(*) FROM events UNION ALL SELECT 'turns', count(*) FROM turns
UNION ALL SELECT 'vectors', count(*) FROM vectors UNION ALL SELECT 'retrievals', count(*) FROM retrievals
UNION ALL SELECT 'jobs', count(*) FROM jobs UNION ALL SELECT 'seals', count(*) FROM seals

-- name: queue
SELECT min(created_at), coalesce(sum(CASE WHEN state = 'leased' AND lease_until <= :now THEN 1 ELSE 0 END), 0)
FROM jobs WHERE state IN ('waiting', 'leased')

-- name: backlog
SELECT count(*) FROM memories AS m
LEFT JOIN reviews AS r ON r.number = (SELECT max(number) FROM reviews WHERE memory_id = m.id)
WHERE m.status IN ('pending', 'quarantined')
  AND CASE WHEN r.decision = 'rejected' THEN 0 WHEN r.decision = 'postponed' AND r.until > :now THEN 0 ELSE 1 END = 1

-- name: conflicts
-- As in the index.
SELECT count(*) FROM memories
WHERE status = 'active' AND CASE WHEN json_valid(record) THEN json_extract(record, '$.conflicts_with[0]') END IS NOT NULL

-- name: without_vector
SELECT count(*) FROM memories WHERE status = 'active' AND "row" NOT IN (SELECT "row" FROM vectors)
