-- name: named
SELECT value FROM meta WHERE name LIKE 'image:%'

-- name: erased_since
SELECT DISTINCT c."row" FROM changes AS c LEFT JOIN attributes AS a ON a.namespace = c.namespace AND a."row" = c."row"
WHERE c.seq > ? AND c.namespace = ? AND a."row" IS NULL

-- name: held
SELECT a."row" FROM json_each(?) AS wanted CROSS JOIN attributes AS a ON a.namespace = ? AND a."row" = wanted.value
