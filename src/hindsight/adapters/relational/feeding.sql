-- name: changed_after
SELECT seq, "row" FROM changes WHERE seq > ? ORDER BY seq LIMIT ?

-- name: oldest_change
SELECT min(seq) FROM changes

-- name: fresh_rows
SELECT DISTINCT "row" FROM changes WHERE seq > ? AND namespace = ? ORDER BY "row" DESC LIMIT ?

-- name: rows_after
SELECT "row" FROM memories WHERE "row" > ? ORDER BY "row" LIMIT ?

-- name: ends_of_rows
SELECT coalesce(min("row"), 0), coalesce(max("row"), 0) FROM memories

-- name: packed
SELECT a."row", a.packed FROM json_each(?) AS wanted CROSS JOIN memories AS m ON m."row" = wanted.value
JOIN namespaces AS n ON n.name = m.namespace JOIN attributes AS a ON a.namespace = n.code AND a."row" = m."row"

-- name: vectors
SELECT v."row", v.scale, v.data FROM json_each(?) AS wanted CROSS JOIN memories AS m ON m."row" = wanted.value
JOIN namespaces AS n ON n.name = m.namespace JOIN vectors AS v ON v.namespace = n.code AND v."row" = m."row"

-- name: passages
SELECT p."row", p.scale, p.data FROM json_each(?) AS wanted CROSS JOIN memories AS m ON m."row" = wanted.value
JOIN namespaces AS n ON n.name = m.namespace JOIN passages AS p ON p.namespace = n.code AND p."row" = m."row" ORDER BY p."row", p.number

-- name: names
SELECT l."row", e.name FROM json_each(?) AS wanted CROSS JOIN entity_links AS l ON l."row" = wanted.value
JOIN entities AS e ON e.code = l.entity ORDER BY l."row", e.name

-- name: count
SELECT count(*) FROM (SELECT "row" FROM vectors UNION SELECT "row" FROM passages) AS found

-- name: language_codes
SELECT code FROM languages ORDER BY code

-- name: has_passages
SELECT EXISTS (SELECT 1 FROM passages WHERE namespace = ?)

-- name: replace_note
UPDATE meta SET value = ? WHERE name = ? AND value = ? RETURNING name

-- name: first_note
INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING RETURNING name
