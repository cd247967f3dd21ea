-- name: find
SELECT code FROM codes WHERE field = ? AND value = ?

-- name: add
INSERT INTO codes (field, value, refs) VALUES (?, ?, 0) RETURNING code

-- name: change_refs
UPDATE codes SET refs = refs + ? WHERE code = ?

-- name: drop_unused
DELETE FROM codes WHERE code = ? AND refs <= 0 RETURNING field, value

-- name: add_member
INSERT INTO code_members (field, member, code) VALUES (?, ?, ?)

-- name: drop_member
DELETE FROM code_members WHERE field = ? AND member = ? AND code = ?

-- name: with_member
SELECT code FROM code_members WHERE field = ? AND member = ?

-- name: with_prefix
SELECT code FROM codes WHERE field = ? AND value >= ? AND value < ?

-- name: from_value
SELECT code FROM codes WHERE field = ? AND value >= ?

-- name: values
SELECT code, value FROM codes WHERE code IN (SELECT value FROM json_each(?))
