-- name: packed
SELECT a."row", a.packed FROM json_array_elements_text(?::json) AS wanted(value) JOIN memories AS m ON m."row" = wanted.value::bigint
JOIN namespaces AS n ON n.name = m.namespace JOIN attributes AS a ON a.namespace = n.code AND a."row" = m."row"

-- name: vectors
SELECT v."row", v.scale, v.data FROM json_array_elements_text(?::json) AS wanted(value) JOIN memories AS m ON m."row" = wanted.value::bigint
JOIN namespaces AS n ON n.name = m.namespace JOIN vectors AS v ON v.namespace = n.code AND v."row" = m."row"

-- name: passages
SELECT p."row", p.scale, p.data FROM json_array_elements_text(?::json) AS wanted(value) JOIN memories AS m ON m."row" = wanted.value::bigint
JOIN namespaces AS n ON n.name = m.namespace JOIN passages AS p ON p.namespace = n.code AND p."row" = m."row" ORDER BY p."row", p.number

-- name: names
SELECT l."row", e.name FROM json_array_elements_text(?::json) AS wanted(value) JOIN entity_links AS l ON l."row" = wanted.value::bigint
JOIN entities AS e ON e.code = l.entity ORDER BY l."row", e.name
