-- name: columns
SELECT name FROM pragma_table_info(?) ORDER BY name

-- name: tokens
SELECT "row", "row", text FROM tokens WHERE "row" > ? ORDER BY "row" LIMIT ?

-- name: put_tokens
INSERT INTO tokens ("row", text) VALUES (?, ?)

-- name: drop_tokens
DELETE FROM tokens WHERE "row" = ?

-- name: marks
SELECT name, seq FROM sqlite_sequence

-- name: last_turn
SELECT coalesce(max(number), 0) FROM turns

-- name: add_mark
INSERT INTO sqlite_sequence (name, seq) SELECT :name, 0 WHERE :name <> 'turns' AND NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = :name)

-- name: set_mark
UPDATE sqlite_sequence SET seq = :number WHERE name = :name

-- name: free_key
UPDATE memories SET idempotency_key = 'moving:' || id WHERE "row" = ?
