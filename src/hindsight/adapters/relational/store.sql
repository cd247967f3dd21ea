-- name: get_meta
SELECT value FROM meta WHERE name = ?

-- name: set_meta
INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value

-- name: delete_meta
DELETE FROM meta WHERE name = ?

-- name: change_number
SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'changes'), 0)

-- name: namespaces
SELECT name FROM namespaces ORDER BY name

-- name: has_vectors
SELECT EXISTS (SELECT 1 FROM vectors)

-- name: count_memories
SELECT status, kind, count(*) FROM memories GROUP BY status, kind

-- name: count_namespace
SELECT status, kind, count(*) FROM memories WHERE namespace = ? GROUP BY status, kind

-- name: count_by_namespace
SELECT namespace, count(*) FROM memories GROUP BY namespace

-- name: counts
SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM retrievals), (SELECT count(*) FROM turns), (SELECT count(*) FROM vectors)

-- name: namespace_counts
SELECT (SELECT count(*) FROM events WHERE namespace = :name), (SELECT count(*) FROM retrievals WHERE namespace = :name),
       (SELECT count(*) FROM turns WHERE namespace = :name),
       (SELECT count(*) FROM vectors WHERE namespace = (SELECT code FROM namespaces WHERE name = :name))

-- name: sealed
SELECT coalesce(sum(number), 0) FROM seal_heads

-- name: sealed_in
SELECT coalesce(sum(number), 0) FROM seal_heads WHERE namespace = ?

-- name: without_attributes
SELECT m.id FROM memories AS m JOIN namespaces AS n ON n.name = m.namespace
WHERE NOT EXISTS (SELECT 1 FROM attributes AS a WHERE a.namespace = n.code AND a."row" = m."row")
UNION ALL
SELECT m.id FROM memories AS m WHERE m.namespace NOT IN (SELECT name FROM namespaces)
LIMIT 20

-- name: without_parent_link
SELECT DISTINCT m.id FROM memories AS m, json_each(m.record, '$.parents') AS named
WHERE json_valid(m.record) AND NOT EXISTS (SELECT 1 FROM parent_links AS p WHERE p.parent = named.value AND p.child = m.id)
LIMIT 20

-- name: orphans
SELECT 'attributes', "row" FROM attributes WHERE "row" NOT IN (SELECT "row" FROM memories)
UNION ALL SELECT 'vectors', "row" FROM vectors WHERE "row" NOT IN (SELECT "row" FROM memories)
UNION ALL SELECT 'passages', "row" FROM passages WHERE "row" NOT IN (SELECT "row" FROM memories)
UNION ALL SELECT 'tokens', "row" FROM tokens WHERE "row" NOT IN (SELECT "row" FROM memories)
UNION ALL SELECT 'entity_links', "row" FROM entity_links WHERE "row" NOT IN (SELECT "row" FROM memories)
UNION ALL SELECT 'turn_refs', "row" FROM turn_refs WHERE "row" NOT IN (SELECT "row" FROM memories)
LIMIT 20

-- name: all_memories
SELECT m."row", m.id, m.namespace, m.agent, m.kind, m.status, m.visibility, m.version, m.idempotency_key, m.created_at, m.query, m.content, m.record,
       a.packed
FROM memories AS m JOIN namespaces AS n ON n.name = m.namespace JOIN attributes AS a ON a.namespace = n.code AND a."row" = m."row"

-- name: all_codes
SELECT code, value FROM codes

-- name: wrong_code_refs
SELECT field, value FROM codes WHERE refs <= 0 LIMIT 20

-- name: wrong_vectors
SELECT count(*) FROM vectors WHERE length(data) <> ?
