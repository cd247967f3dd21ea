-- name: change_number
SELECT coalesce(max(seq), 0) FROM changes

-- name: sealed
SELECT coalesce(sum(number), 0)::bigint FROM seal_heads

-- name: sealed_in
SELECT coalesce(sum(number), 0)::bigint FROM seal_heads WHERE namespace = ?

-- name: without_parent_link
SELECT DISTINCT m.id FROM memories AS m, json_array_elements_text(coalesce(as_json(m.record) -> 'parents', '[]'::json)) AS named(value)
WHERE NOT EXISTS (SELECT 1 FROM parent_links AS p WHERE p.parent = named.value AND p.child = m.id)
LIMIT 20
