-- name: count
SELECT count(*) FROM attributes WHERE namespace = ?

-- name: attributes
SELECT "row", packed FROM attributes WHERE namespace = ? ORDER BY "row"

-- name: vectors
SELECT "row", scale, data FROM vectors WHERE namespace = ? ORDER BY "row"

-- name: oldest_change
SELECT min(seq) FROM changes

-- name: changed
SELECT "row", max(reindexed) FROM changes WHERE seq > ? AND namespace = ? GROUP BY "row" ORDER BY "row"

-- name: count_changed
SELECT count(*) FROM changes WHERE seq > ? AND namespace = ?

-- name: some_attributes
SELECT a."row", a.packed FROM json_each(?) AS wanted CROSS JOIN attributes AS a ON a.namespace = ? AND a."row" = wanted.value ORDER BY a."row"

-- name: some_vectors
SELECT v."row", v.scale, v.data FROM json_each(?) AS wanted CROSS JOIN vectors AS v ON v.namespace = ? AND v."row" = wanted.value ORDER BY v."row"

-- name: languages
SELECT code, name FROM languages

-- name: passages
SELECT "row", scale, data FROM passages WHERE namespace = ? ORDER BY "row", number

-- name: some_passages
SELECT p."row", p.scale, p.data FROM json_each(?) AS wanted CROSS JOIN passages AS p ON p.namespace = ? AND p."row" = wanted.value ORDER BY p."row", p.number
