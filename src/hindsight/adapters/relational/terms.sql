-- name: hits
SELECT group_concat(doc) FROM term_hits WHERE term = :term -- all are read: that is cheap here

-- name: frequency
SELECT doc FROM term_counts WHERE term = ?

-- name: estimates
SELECT '', 0 WHERE false -- and so is counting them

-- name: texts
SELECT t."row", t.text FROM json_each(?) AS wanted JOIN tokens AS t ON t."row" = wanted.value
