-- name: rebuild
REINDEX INDEX tokens_by_word

-- name: size
SELECT pg_database_size(current_database())

-- name: schema_version
SELECT max(number) FROM migrations

-- name: role
SELECT rolsuper, rolbypassrls, rolname::text FROM pg_roles WHERE rolname = current_user
