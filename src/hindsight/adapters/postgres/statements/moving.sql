-- name: columns
SELECT attname::text FROM pg_attribute WHERE attrelid = to_regclass(?) AND attnum > 0 AND NOT attisdropped ORDER BY attname::text COLLATE "C"

-- name: tokens
SELECT "row", "row", array_to_string(words, ' ') FROM tokens WHERE "row" > ? ORDER BY "row" LIMIT ?

-- name: put_tokens
INSERT INTO tokens ("row", words) VALUES (?, string_to_array(?::text, ' '))

-- name: marks
SELECT c.relname::text, coalesce(pg_sequence_last_value(pg_get_serial_sequence(quote_ident(c.relname), a.attname)::regclass), 0)
FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attidentity <> ''

-- name: add_mark
SELECT 1

-- name: set_mark
SELECT setval(pg_get_serial_sequence(quote_ident(c.relname), a.attname)::regclass, greatest((:number)::bigint, 1), (:number)::bigint > 0)
FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = :name AND a.attidentity <> ''
