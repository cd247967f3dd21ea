-- name: spread
SELECT e.code, e.refs, sum(edges.weight)::bigint AS together
FROM edges JOIN entities AS e ON e.code = edges.b
WHERE edges.owner IN (0, ?) AND edges.a = ?
GROUP BY e.code ORDER BY together DESC, e.code LIMIT ?

-- name: rows_of_entity
SELECT string_agg("row"::text, ',' ORDER BY "row") FROM entity_links WHERE entity = ?

-- name: rows_of_name
SELECT string_agg(l."row"::text, ',' ORDER BY l."row") FROM entities AS e JOIN entity_links AS l ON l.entity = e.code WHERE e.namespace = ? AND e.name = ?
