-- name: hits
SELECT string_agg(rtrim(repeat(t."row"::text || ',', cardinality(array_positions(t.words, asked.word))), ','), ',' ORDER BY t."row")
FROM (SELECT ?::text COLLATE "C" AS word) AS asked JOIN tokens AS t ON t.words @> ARRAY[asked.word]

-- name: frequency
SELECT count(*) FROM (SELECT ?::text COLLATE "C" AS word) AS asked JOIN tokens AS t ON t.words @> ARRAY[asked.word]

-- name: texts
SELECT t."row", array_to_string(t.words, ' ') FROM json_array_elements_text(?::json) AS wanted(value) JOIN tokens AS t ON t."row" = wanted.value::bigint
