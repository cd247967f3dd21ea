-- name: stage_vector
INSERT INTO staged_vectors (namespace, "row", scale, data) VALUES (?, ?, ?, ?)
ON CONFLICT (namespace, "row") DO UPDATE SET scale = excluded.scale, data = excluded.data

-- name: unindex
SELECT unindex_vectors()
