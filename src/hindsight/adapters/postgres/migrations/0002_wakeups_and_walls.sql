-- What queues jobs tells so when it commits: workers of all processes wait for it.
CREATE FUNCTION announce_jobs() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('hindsight_jobs', TG_TABLE_SCHEMA);
    RETURN NULL;
END $$;
CREATE TRIGGER announce_jobs AFTER INSERT ON jobs FOR EACH STATEMENT EXECUTE FUNCTION announce_jobs();

-- A second wall between tenants, behind the filters of every search: a transaction that works for a caller who may use some namespaces
-- alone names them, and sees and writes no text of others. A transaction that names none works for the store itself.
CREATE FUNCTION admitted() RETURNS TEXT[] LANGUAGE sql STABLE PARALLEL SAFE AS
$$ SELECT nullif(current_setting('hindsight.namespaces', true), '')::text[] $$;

DO $$
DECLARE
    walled TEXT;
BEGIN
    FOREACH walled IN ARRAY ARRAY['memories', 'tombstones', 'events', 'turns', 'turn_refs', 'retrievals', 'sessions', 'reviews', 'grounds']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', walled);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', walled);
        EXECUTE format(
            'CREATE POLICY own_namespaces ON %I USING ((SELECT admitted()) IS NULL OR namespace = ANY ((SELECT admitted())::text[]))', walled
        );
    END LOOP;
END $$;
