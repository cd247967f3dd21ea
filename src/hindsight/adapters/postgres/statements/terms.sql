-- name: hits
SELECT string_agg(rtrim(repeat(found."row"::text || ',', found.times), ','), ',' ORDER BY found."row")
FROM (
    SELECT t."row", cardinality(array_positions(t.words, asked.word)) AS times
    FROM (SELECT :term::text COLLATE "C" AS word) AS asked JOIN tokens AS t ON t.words @> ARRAY[asked.word]
    LIMIT :most -- without a limit all words of each record would be sorted, or the whole table read in order
) AS found

-- name: frequency
SELECT count(*) FROM (SELECT ?::text COLLATE "C" AS word) AS asked JOIN tokens AS t ON t.words @> ARRAY[asked.word]

-- name: estimates
SELECT known.word, (known.share * c.reltuples)::bigint
FROM pg_stats AS s
JOIN pg_class AS c ON c.oid = to_regclass('tokens')
CROSS JOIN LATERAL unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) AS known (word, share)
WHERE s.schemaname = current_schema() AND s.tablename = 'tokens' AND s.attname = 'words'
  AND starts_with(known.word, :prefix) AND known.share * c.reltuples >= :least

-- name: texts
SELECT t."row", array_to_string(t.words, ' ') FROM json_array_elements_text(?::json) AS wanted(value) JOIN tokens AS t ON t."row" = wanted.value::bigint
