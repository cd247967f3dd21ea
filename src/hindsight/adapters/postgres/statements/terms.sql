-- name: hits
SELECT string_agg(rtrim(repeat(t."row"::text || ',', cardinality(array_positions(string_to_array(t.text, ' '), asked.word))), ','), ',' ORDER BY t."row")
FROM (SELECT ?::text AS word) AS asked JOIN tokens AS t ON string_to_array(t.text, ' ') @> ARRAY[asked.word]

-- name: frequency
SELECT count(*) FROM (SELECT ?::text AS word) AS asked JOIN tokens AS t ON string_to_array(t.text, ' ') @> ARRAY[asked.word]

-- name: texts
SELECT t."row", t.text FROM json_array_elements_text(?::json) AS wanted(value) JOIN tokens AS t ON t."row" = wanted.value::bigint
