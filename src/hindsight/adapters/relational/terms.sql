-- name: hits
SELECT group_concat(doc) FROM term_hits WHERE term = ?

-- name: frequency
SELECT doc FROM term_counts WHERE term = ?

-- name: texts
SELECT t."row", t.text FROM json_each(?) AS wanted JOIN tokens AS t ON t."row" = wanted.value
