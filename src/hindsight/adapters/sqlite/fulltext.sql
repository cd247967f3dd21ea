-- name: rebuild
INSERT INTO terms (terms) VALUES ('rebuild')

-- name: index
INSERT INTO terms (rowid, text) VALUES (?, ?)

-- name: unindex
INSERT INTO terms (terms, rowid, text) VALUES ('delete', ?, ?)

-- name: check_terms
INSERT INTO terms (terms, rank) VALUES ('integrity-check', 1)
