-- Large namespaces get an index of their vectors (pgvector): a table vectors_near_N with centred vectors of records (part -1) and of their
-- passages, written by triggers in the transaction that writes the raw ones. It is made by the upkeep of the store, and not here: the
-- extension may be missing. What is here keeps it up and takes it away.
CREATE FUNCTION components(data BYTEA, scale DOUBLE PRECISION) RETURNS REAL[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT ARRAY(SELECT (((get_byte(data, i) # 128) - 128) * scale)::real FROM generate_series(0, length(data) - 1) AS i) $$;

-- The arguments of a trigger: the number of the namespace, and whether the table is that of the passages.
CREATE FUNCTION bring_near() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
    part INTEGER := -1;
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF TG_ARGV[1] = 'passages' THEN
            part := old.number;
        END IF;
        EXECUTE format('DELETE FROM %I.%I WHERE "row" = $1 AND part = $2', TG_TABLE_SCHEMA, 'vectors_near_' || TG_ARGV[0]) USING old."row", part;
    ELSE
        IF TG_ARGV[1] = 'passages' THEN
            part := new.number;
        END IF;
        EXECUTE format(
            'INSERT INTO %1$I.%2$I ("row", part, vector) VALUES ($1, $2, %1$I.%3$I($3, $4, $1)) '
            'ON CONFLICT ("row", part) DO UPDATE SET vector = excluded.vector',
            TG_TABLE_SCHEMA, 'vectors_near_' || TG_ARGV[0], 'centred_' || TG_ARGV[0]
        ) USING new."row", part, new.data, new.scale;
    END IF;
    RETURN NULL;
END $$;

-- Takes away every index of vectors, or that of one namespace.
CREATE FUNCTION unindex_vectors(wanted TEXT DEFAULT '[0-9]+') RETURNS INTEGER LANGUAGE plpgsql AS $$
DECLARE
    code   TEXT;
    number INTEGER := 0;
BEGIN
    FOR code IN
        SELECT substring(c.relname FROM '[0-9]+$') FROM pg_class AS c
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname ~ ('^vectors_near_' || wanted || '$')
    LOOP
        EXECUTE format('DROP TRIGGER IF EXISTS %I ON vectors', 'near_' || code || '_put');
        EXECUTE format('DROP TRIGGER IF EXISTS %I ON vectors', 'near_' || code || '_gone');
        EXECUTE format('DROP TRIGGER IF EXISTS %I ON passages', 'near_' || code || '_put');
        EXECUTE format('DROP TRIGGER IF EXISTS %I ON passages', 'near_' || code || '_gone');
        EXECUTE format('DROP TABLE %I', 'vectors_near_' || code);
        EXECUTE format('DROP FUNCTION IF EXISTS %I', 'centred_' || code);
        number := number + 1;
    END LOOP;
    RETURN number;
END $$;
