-- name: some_attributes
SELECT a."row", a.packed FROM json_array_elements_text(?::json) AS wanted(value) JOIN attributes AS a ON a.namespace = ? AND a."row" = wanted.value::bigint
ORDER BY a."row"

-- name: some_vectors
SELECT v."row", v.scale, v.data FROM json_array_elements_text(?::json) AS wanted(value) JOIN vectors AS v ON v.namespace = ? AND v."row" = wanted.value::bigint
ORDER BY v."row"

-- name: some_passages
SELECT p."row", p.scale, p.data FROM json_array_elements_text(?::json) AS wanted(value) JOIN passages AS p ON p.namespace = ? AND p."row" = wanted.value::bigint
ORDER BY p."row", p.number
