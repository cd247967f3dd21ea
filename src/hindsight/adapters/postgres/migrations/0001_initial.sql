-- The store's first schema. Scripts outside hindsight may read the table "memories"; everything else may change.
-- Texts are compared by their bytes (collation "C"). What may be longer than an index entry is found through hash indexes, where it is
-- rarely the same twice, and kept unique through its digest.

CREATE TABLE meta (
    name  TEXT COLLATE "C" PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE migrations (
    number     BIGINT PRIMARY KEY,
    name       TEXT NOT NULL,
    written_by TEXT NOT NULL,
    applied_at TEXT NOT NULL
);

-- JSON as PostgreSQL reads it: it has no NUL in texts. Null where it is none.
CREATE FUNCTION as_json(given TEXT) RETURNS JSON LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE WHEN given IS JSON THEN replace(given, '\u0000', '\ufffd')::json END $$;

-- One row a memory. "record" is JSON of every field that has no column of its own: nothing is kept twice.
-- "row" is the number that searches speak of: never used again, and growing in the order of commits.
CREATE TABLE memories (
    "row"           BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id              TEXT COLLATE "C" NOT NULL UNIQUE,
    namespace       TEXT COLLATE "C" NOT NULL,
    agent           TEXT COLLATE "C" NOT NULL,
    kind            TEXT NOT NULL,
    status          TEXT NOT NULL,
    visibility      TEXT NOT NULL,
    version         BIGINT NOT NULL,
    idempotency_key TEXT COLLATE "C" NOT NULL,
    created_at      TEXT NOT NULL,
    query           TEXT NOT NULL,
    content         TEXT NOT NULL,
    record          TEXT NOT NULL
);
CREATE UNIQUE INDEX memories_have_one_key ON memories (md5(namespace), md5(agent), md5(idempotency_key));
CREATE INDEX memories_by_key ON memories USING hash (idempotency_key);
CREATE INDEX memories_by_namespace ON memories (namespace, "row");
CREATE INDEX memories_under_review ON memories (status, "row") WHERE status IN ('pending', 'quarantined');

-- What stays of an erased memory: that it was there. No content.
CREATE TABLE tombstones (
    id        TEXT COLLATE "C" PRIMARY KEY,
    namespace TEXT COLLATE "C" NOT NULL,
    "row"     BIGINT NOT NULL,
    erased_at TEXT NOT NULL,
    seal      TEXT
);

CREATE TABLE namespaces (
    code INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX namespaces_by_digest ON namespaces (md5(name));
CREATE INDEX namespaces_by_name ON namespaces USING hash (name);

-- Values of filter columns, interned; a value goes when nothing refers to it any more.
CREATE TABLE codes (
    code  INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    field TEXT COLLATE "C" NOT NULL,
    value TEXT COLLATE "C" NOT NULL,
    refs  BIGINT NOT NULL
);
CREATE UNIQUE INDEX codes_by_digest ON codes (field, md5(value));
CREATE INDEX codes_by_value ON codes USING hash (value);

-- The single tags and tools inside an interned set or sequence.
CREATE TABLE code_members (
    field  TEXT COLLATE "C" NOT NULL,
    member TEXT COLLATE "C" NOT NULL,
    code   INTEGER NOT NULL
);
CREATE UNIQUE INDEX code_members_by_digest ON code_members (field, md5(member), code);
CREATE INDEX code_members_by_member ON code_members USING hash (member);

CREATE TABLE languages (
    code INTEGER PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL UNIQUE
);

-- Filter and scoring fields of each record, packed (attributes.py), side by side for each namespace so that they load fast.
CREATE TABLE attributes (
    namespace INTEGER NOT NULL,
    "row"     BIGINT NOT NULL,
    packed    BYTEA NOT NULL,
    PRIMARY KEY (namespace, "row")
);

-- Raw vectors as int8 with a scale: component = data * scale.
CREATE TABLE vectors (
    namespace INTEGER NOT NULL,
    "row"     BIGINT NOT NULL,
    scale     DOUBLE PRECISION NOT NULL,
    data      BYTEA NOT NULL,
    PRIMARY KEY (namespace, "row")
);
ALTER TABLE vectors ALTER COLUMN data SET STORAGE EXTERNAL;

-- Vectors of the passages of long records, numbered from 0 in the order of the text.
CREATE TABLE passages (
    namespace INTEGER NOT NULL,
    "row"     BIGINT NOT NULL,
    number    INTEGER NOT NULL,
    scale     DOUBLE PRECISION NOT NULL,
    data      BYTEA NOT NULL,
    PRIMARY KEY (namespace, "row", number)
);
ALTER TABLE passages ALTER COLUMN data SET STORAGE EXTERNAL;

-- The words of each record. Each carries its namespace's number ("7:docker"), so that the lists of the index are those of one
-- namespace; PostgreSQL only says which records hold a word, the score is made elsewhere.
CREATE TABLE tokens (
    "row" BIGINT PRIMARY KEY,
    words TEXT[] COLLATE "C" NOT NULL
);
CREATE INDEX tokens_by_word ON tokens USING gin (words) WITH (fastupdate = off);

CREATE TABLE events (
    seq        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    memory_id  TEXT COLLATE "C" NOT NULL,
    namespace  TEXT COLLATE "C" NOT NULL,
    action     TEXT NOT NULL,
    actor      TEXT NOT NULL,
    channel    TEXT NOT NULL,
    at         TEXT NOT NULL,
    session_id TEXT,
    before     TEXT,
    after      TEXT,
    reason     TEXT
);
CREATE INDEX events_by_memory ON events (memory_id, seq);
CREATE INDEX events_by_namespace ON events (namespace, seq);
-- The few events that hold texts: erasing looks through them.
CREATE INDEX events_with_text ON events (namespace) WHERE before IS NOT NULL OR reason IS NOT NULL;

-- Which rows changed, in the order of commits: every process refreshes its columns from here. "reindexed": its tokens changed too.
CREATE TABLE changes (
    seq       BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace INTEGER NOT NULL,
    "row"     BIGINT NOT NULL,
    reindexed INTEGER NOT NULL
);

-- Raw turns, each agent's own; texts are compressed (zlib).
CREATE TABLE turns (
    number     BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace  TEXT COLLATE "C" NOT NULL,
    agent      TEXT COLLATE "C" NOT NULL,
    session_id TEXT COLLATE "C" NOT NULL,
    position   BIGINT NOT NULL,
    id         TEXT COLLATE "C",
    speaker    TEXT,
    role       TEXT NOT NULL,
    at         TEXT,
    content    BYTEA NOT NULL
);
CREATE UNIQUE INDEX turns_have_one_place ON turns (md5(namespace), md5(agent), md5(session_id), position);
CREATE INDEX turns_by_session ON turns (session_id, position);

-- Which turns a record points to, by position or by the turn's own id.
CREATE TABLE turn_refs (
    namespace  TEXT COLLATE "C" NOT NULL,
    agent      TEXT COLLATE "C" NOT NULL,
    session_id TEXT COLLATE "C" NOT NULL,
    "row"      BIGINT NOT NULL,
    first      BIGINT,
    last       BIGINT,
    turn_id    TEXT COLLATE "C"
);
CREATE INDEX turn_refs_by_session ON turn_refs (session_id);
CREATE INDEX turn_refs_by_row ON turn_refs ("row");

CREATE TABLE entities (
    code      INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace INTEGER NOT NULL,
    name      TEXT COLLATE "C" NOT NULL,
    kind      TEXT NOT NULL,
    refs      BIGINT NOT NULL
);
CREATE UNIQUE INDEX entities_by_digest ON entities (namespace, md5(name));
CREATE INDEX entities_by_name ON entities USING hash (name);

-- Words of names of several words ("Alice" of "Alice Chen"): aliases by which an entity is found as well.
CREATE TABLE entity_words (
    namespace INTEGER NOT NULL,
    word      TEXT COLLATE "C" NOT NULL,
    entity    INTEGER NOT NULL
);
CREATE UNIQUE INDEX entity_words_by_digest ON entity_words (namespace, md5(word), entity);
CREATE INDEX entity_words_by_word ON entity_words USING hash (word);

CREATE TABLE entity_links (
    entity INTEGER NOT NULL,
    "row"  BIGINT NOT NULL,
    PRIMARY KEY (entity, "row")
);
CREATE INDEX entity_links_by_row ON entity_links ("row");

-- Entities that occur in the same record, both directions; weight counts the records. "owner" is the agent's code for what only
-- that agent may see and 0 for what the namespace shares, so that nobody's private records steer another's search.
CREATE TABLE edges (
    owner  INTEGER NOT NULL,
    a      INTEGER NOT NULL,
    b      INTEGER NOT NULL,
    weight BIGINT NOT NULL,
    PRIMARY KEY (owner, a, b)
);
CREATE INDEX edges_from ON edges (a, owner);

CREATE TABLE jobs (
    id          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind        TEXT NOT NULL,
    namespace   TEXT COLLATE "C" NOT NULL,
    payload     TEXT NOT NULL,
    order_key   TEXT COLLATE "C",
    state       TEXT NOT NULL,
    attempts    BIGINT NOT NULL DEFAULT 0,
    created_at  DOUBLE PRECISION NOT NULL,
    due         DOUBLE PRECISION NOT NULL,
    lease_until DOUBLE PRECISION,
    worker      TEXT,
    error       TEXT,
    result      TEXT
);
CREATE INDEX jobs_open ON jobs (state, id) WHERE state IN ('waiting', 'leased', 'dead');
CREATE INDEX jobs_in_order ON jobs (md5(order_key), id) WHERE order_key IS NOT NULL AND state IN ('waiting', 'leased');

CREATE TABLE retrievals (
    number     BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id         TEXT COLLATE "C" NOT NULL UNIQUE,
    namespace  TEXT COLLATE "C" NOT NULL,
    agent      TEXT COLLATE "C" NOT NULL,
    at         TEXT NOT NULL,
    session_id TEXT COLLATE "C",
    took_ms    DOUBLE PRECISION NOT NULL,
    query      TEXT NOT NULL,
    shown      TEXT NOT NULL,
    detail     TEXT NOT NULL
);
CREATE INDEX retrievals_by_session ON retrievals (session_id) WHERE session_id IS NOT NULL;
CREATE TABLE retrieval_shown (
    memory_id TEXT COLLATE "C" NOT NULL,
    retrieval BIGINT NOT NULL,
    PRIMARY KEY (memory_id, retrieval)
);
CREATE INDEX retrieval_shown_by_retrieval ON retrieval_shown (retrieval);

-- Working memory of open sessions. A row lives until its session closes.
CREATE TABLE sessions (
    namespace  TEXT COLLATE "C" NOT NULL,
    agent      TEXT COLLATE "C" NOT NULL,
    session_id TEXT COLLATE "C" NOT NULL,
    body       TEXT NOT NULL,
    version    BIGINT NOT NULL,
    opened_at  DOUBLE PRECISION NOT NULL,
    touched_at DOUBLE PRECISION NOT NULL
);
CREATE UNIQUE INDEX sessions_by_digest ON sessions (md5(namespace), md5(agent), md5(session_id));
CREATE INDEX sessions_by_id ON sessions USING hash (session_id);
CREATE INDEX sessions_by_agent ON sessions (agent);
CREATE INDEX sessions_by_touch ON sessions (touched_at);

-- Vectors of another model while they are being made; they replace those in use all at once. A scale of 0 (and no data) stands for a
-- record that was looked at and has no vector.
CREATE TABLE staged_vectors (
    namespace INTEGER NOT NULL,
    "row"     BIGINT NOT NULL,
    scale     DOUBLE PRECISION NOT NULL,
    data      BYTEA NOT NULL,
    PRIMARY KEY (namespace, "row")
);
CREATE TABLE staged_passages (
    namespace INTEGER NOT NULL,
    "row"     BIGINT NOT NULL,
    number    INTEGER NOT NULL,
    scale     DOUBLE PRECISION NOT NULL,
    data      BYTEA NOT NULL,
    PRIMARY KEY (namespace, "row", number)
);

-- The chain of seals of each namespace, and where it ends. "number" counts from 1 without a gap; one link an event, one for each
-- event of another memory whose texts an erasure took away ("scrub"). "key" names the key that sealed; the rest are MACs.
CREATE TABLE seal_heads (
    chain     BIGINT PRIMARY KEY,
    namespace TEXT COLLATE "C" NOT NULL,
    number    BIGINT NOT NULL,
    mac       BYTEA NOT NULL,
    key       BYTEA NOT NULL,
    seal      BYTEA NOT NULL
);
CREATE UNIQUE INDEX seal_heads_by_digest ON seal_heads (md5(namespace));
CREATE INDEX seal_heads_by_namespace ON seal_heads USING hash (namespace);
CREATE TABLE seals (
    chain     BIGINT NOT NULL,
    number    BIGINT NOT NULL,
    kind      TEXT NOT NULL,
    memory_id TEXT NOT NULL,
    event     BIGINT NOT NULL,
    key       BYTEA NOT NULL,
    record    BYTEA NOT NULL,
    texts     BYTEA NOT NULL,
    mac       BYTEA NOT NULL,
    PRIMARY KEY (chain, number)
);

-- Which records were made of which: for the descendants of a memory. Links stay when a record is erased, so that what was made of it
-- is still known to descend from its parents.
CREATE TABLE parent_links (
    parent TEXT COLLATE "C" NOT NULL,
    child  TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (parent, child)
);
CREATE INDEX parent_links_by_child ON parent_links (child);

-- What reviewers decided, in order. "signature" is a digest of what was proposed: what was rejected is known when it comes again.
CREATE TABLE reviews (
    number    BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    memory_id TEXT COLLATE "C" NOT NULL,
    namespace TEXT COLLATE "C" NOT NULL,
    decision  TEXT NOT NULL,
    signature TEXT COLLATE "C" NOT NULL,
    actor     TEXT NOT NULL,
    at        DOUBLE PRECISION NOT NULL,
    reason    TEXT,
    until     DOUBLE PRECISION
);
CREATE INDEX reviews_by_memory ON reviews (memory_id, number);
CREATE INDEX reviews_by_signature ON reviews USING hash (signature);

-- What a candidate rule or procedure rests on, as JSON: ids of episodes and counts, no texts.
CREATE TABLE grounds (
    memory_id TEXT COLLATE "C" PRIMARY KEY,
    namespace TEXT NOT NULL,
    signature TEXT NOT NULL,
    body      TEXT NOT NULL
);

-- One judgement of a memory by the caller who was shown it; "counted" tells whether it entered the memory's counters.
CREATE TABLE votes (
    retrieval TEXT COLLATE "C" NOT NULL,
    memory_id TEXT COLLATE "C" NOT NULL,
    agent     TEXT NOT NULL,
    verdict   TEXT NOT NULL,
    counted   INTEGER NOT NULL,
    at        DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (retrieval, memory_id)
);
CREATE INDEX votes_by_memory ON votes (memory_id);

-- Bearer tokens of callers. Only the SHA-256 of a token is kept; a revoked one stays, so that the last revocation never opens the door.
CREATE TABLE access_tokens (
    id           TEXT COLLATE "C" PRIMARY KEY,
    digest       BYTEA NOT NULL UNIQUE,
    name         TEXT NOT NULL,
    agent        TEXT NOT NULL,
    namespaces   TEXT NOT NULL,
    scopes       TEXT NOT NULL,
    per_minute   BIGINT NOT NULL,
    created_at   DOUBLE PRECISION NOT NULL,
    expires_at   DOUBLE PRECISION,
    revoked_at   DOUBLE PRECISION,
    last_used_at DOUBLE PRECISION
);

-- Triggers, so that no writer can forget it: a changed text has to be embedded anew, an erased record leaves nothing.
CREATE FUNCTION unstage() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
    pool INTEGER := (SELECT code FROM namespaces WHERE name = old.namespace);
BEGIN
    DELETE FROM staged_vectors WHERE namespace = pool AND "row" = old."row";
    DELETE FROM staged_passages WHERE namespace = pool AND "row" = old."row";
    RETURN NULL;
END $$;
CREATE TRIGGER unstage_changed AFTER UPDATE OF query, content, record ON memories FOR EACH ROW
WHEN (old.query IS DISTINCT FROM new.query OR old.content IS DISTINCT FROM new.content
      OR as_json(old.record) IS NULL OR as_json(new.record) IS NULL
      OR (as_json(old.record) ->> 'speaker') IS DISTINCT FROM (as_json(new.record) ->> 'speaker'))
EXECUTE FUNCTION unstage();
CREATE TRIGGER unstage_erased AFTER DELETE ON memories FOR EACH ROW EXECUTE FUNCTION unstage();

CREATE FUNCTION forget_learning() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    UPDATE reviews SET reason = NULL WHERE memory_id = old.id;
    DELETE FROM grounds WHERE memory_id = old.id;
    DELETE FROM votes WHERE memory_id = old.id;
    RETURN NULL;
END $$;
CREATE TRIGGER forget_learning AFTER DELETE ON memories FOR EACH ROW EXECUTE FUNCTION forget_learning();
