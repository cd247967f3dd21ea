-- name: extension
SELECT n.nspname::text, e.extversion FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace WHERE e.extname = 'vector'

-- name: extension_to_be_had
SELECT EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'vector')

-- name: indexed
SELECT EXISTS (SELECT 1 FROM pg_index WHERE indexrelid = to_regclass(?) AND indisvalid)

-- name: tune
SELECT set_config('hnsw.ef_search', ?, true), set_config('hnsw.iterative_scan', 'relaxed_order', true),
       set_config('hnsw.max_scan_tuples', ?, true), set_config('hnsw.scan_mem_multiplier', '4', true),
       set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true)

-- name: large
SELECT n.code, n.name, v.count FROM (SELECT namespace, count(*) AS count FROM vectors GROUP BY namespace) AS v JOIN namespaces AS n ON n.code = v.namespace
ORDER BY n.code

-- name: indexes
SELECT substring(c.relname FROM '[0-9]+$')::integer, EXISTS (SELECT 1 FROM pg_index AS i WHERE i.indexrelid = to_regclass(c.relname || '_order') AND i.indisvalid)
FROM pg_class AS c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname ~ '^vectors_near_[0-9]+$'

-- name: unindex
SELECT unindex_vectors(?)
