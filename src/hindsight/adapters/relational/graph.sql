-- name: find_entity
SELECT code FROM entities WHERE namespace = ? AND name = ?

-- name: add_entity
INSERT INTO entities (namespace, name, kind, refs) VALUES (?, ?, ?, 0) RETURNING code

-- name: change_refs
UPDATE entities SET refs = refs + ? WHERE code = ?

-- name: drop_unused
DELETE FROM entities WHERE code = ? AND refs <= 0 RETURNING namespace, name

-- name: add_word
INSERT INTO entity_words (namespace, word, entity) VALUES (?, ?, ?)

-- name: drop_word
DELETE FROM entity_words WHERE namespace = ? AND word = ? AND entity = ?

-- name: add_link
INSERT INTO entity_links (entity, "row") VALUES (?, ?)

-- name: drop_links
DELETE FROM entity_links WHERE "row" = ?

-- name: links_of_row
SELECT entity FROM entity_links WHERE "row" = ? ORDER BY entity

-- name: count_edge
INSERT INTO edges (owner, a, b, weight) VALUES (?, ?, ?, ?) ON CONFLICT (owner, a, b) DO UPDATE SET weight = edges.weight + excluded.weight

-- name: drop_edge
DELETE FROM edges WHERE owner = ? AND a = ? AND b = ? AND weight <= 0

-- name: seeds
SELECT code, refs FROM entities WHERE namespace = ? AND name = ?

-- name: aliases
SELECT e.code, e.refs FROM entity_words AS w JOIN entities AS e ON e.code = w.entity
WHERE w.namespace = ? AND w.word = ? ORDER BY e.refs DESC, e.code LIMIT ?

-- name: spread
SELECT e.code, e.refs, sum(edges.weight) AS together
FROM edges JOIN entities AS e ON e.code = edges.b
WHERE edges.owner IN (0, ?) AND edges.a = ?
GROUP BY e.code ORDER BY together DESC, e.code LIMIT ?

-- name: rows_of_entity
SELECT group_concat("row") FROM entity_links WHERE entity = ?

-- name: rows_of_name
SELECT group_concat(l."row") FROM entities AS e JOIN entity_links AS l ON l.entity = e.code WHERE e.namespace = ? AND e.name = ?
