-- name: conflicts
SELECT count(*) FROM memories WHERE status = 'active' AND as_json(record) #>> '{conflicts_with,0}' IS NOT NULL

-- name: without_vector
SELECT count(*) FROM memories AS m WHERE m.status = 'active' AND NOT EXISTS (SELECT 1 FROM vectors AS v WHERE v."row" = m."row")
