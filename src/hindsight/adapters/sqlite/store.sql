-- name: count_tables
SELECT count(*) FROM sqlite_schema

-- name: written_by
SELECT written_by FROM migrations WHERE number = ?

-- name: record_migration
INSERT INTO migrations (number, name, written_by, applied_at) VALUES (?, ?, ?, ?)

-- name: integrity
PRAGMA integrity_check(20)

-- name: checkpoint
PRAGMA wal_checkpoint(TRUNCATE)

-- name: idle_bytes
SELECT sum(unused) FROM dbstat WHERE aggregate = 1
