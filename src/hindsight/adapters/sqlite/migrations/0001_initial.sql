-- The store's first schema. Scripts outside hindsight may read the table "memories"; everything else may change.

CREATE TABLE meta (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE migrations (
    number     INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    written_by TEXT NOT NULL,
    applied_at TEXT NOT NULL
) STRICT;

-- One row a memory. "record" is JSON of every field that has no column of its own: nothing is kept twice.
-- "row" is the number that searches speak of: never used again, and growing in the order of commits.
CREATE TABLE memories (
    "row"           INTEGER PRIMARY KEY AUTOINCREMENT,
    id              TEXT NOT NULL UNIQUE,
    namespace       TEXT NOT NULL,
    agent           TEXT NOT NULL,
    kind            TEXT NOT NULL,
    status          TEXT NOT NULL,
    visibility      TEXT NOT NULL,
    version         INTEGER NOT NULL,
    idempotency_key TEXT NOT NULL,
    created_at      TEXT NOT NULL,
    query           TEXT NOT NULL,
    content         TEXT NOT NULL,
    record          TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX memories_by_key ON memories (namespace, agent, idempotency_key);

-- What stays of an erased memory: that it was there. No content.
CREATE TABLE tombstones (
    id        TEXT PRIMARY KEY,
    namespace TEXT NOT NULL,
    "row"     INTEGER NOT NULL,
    erased_at TEXT NOT NULL,
    seal      TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE namespaces (
    code INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE
) STRICT;

-- Values of filter columns, interned; a value goes when nothing refers to it any more.
CREATE TABLE codes (
    code  INTEGER PRIMARY KEY AUTOINCREMENT,
    field TEXT NOT NULL,
    value TEXT NOT NULL,
    refs  INTEGER NOT NULL,
    UNIQUE (field, value)
) STRICT;

-- The single tags and tools inside an interned set or sequence.
CREATE TABLE code_members (
    field  TEXT NOT NULL,
    member TEXT NOT NULL,
    code   INTEGER NOT NULL,
    PRIMARY KEY (field, member, code)
) STRICT, WITHOUT ROWID;

CREATE TABLE languages (
    code INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

-- Filter and scoring fields of each record, packed (attributes.py), side by side for each namespace so that they load fast.
CREATE TABLE attributes (
    namespace INTEGER NOT NULL,
    "row"     INTEGER NOT NULL,
    packed    BLOB NOT NULL,
    PRIMARY KEY (namespace, "row")
) STRICT, WITHOUT ROWID;

-- Raw vectors as int8 with a scale: component = data * scale.
CREATE TABLE vectors (
    namespace INTEGER NOT NULL,
    "row"     INTEGER NOT NULL,
    scale     REAL NOT NULL,
    data      BLOB NOT NULL,
    PRIMARY KEY (namespace, "row")
) STRICT, WITHOUT ROWID;

-- Vectors of the passages of long records, numbered from 0 in the order of the text.
CREATE TABLE passages (
    namespace INTEGER NOT NULL,
    "row"     INTEGER NOT NULL,
    number    INTEGER NOT NULL,
    scale     REAL NOT NULL,
    data      BLOB NOT NULL,
    PRIMARY KEY (namespace, "row", number)
) STRICT, WITHOUT ROWID;

-- The exact text given to the index: a deletion must repeat it. Each token carries its namespace's number ("7:docker"), so
-- that posting lists and document frequencies are those of one namespace.
CREATE TABLE tokens (
    "row" INTEGER PRIMARY KEY,
    text  TEXT NOT NULL
) STRICT;
CREATE VIRTUAL TABLE terms USING fts5(
    text, content = 'tokens', content_rowid = 'row', columnsize = 0,
    tokenize = "ascii tokenchars '!#$%&''()*+,-./:;<=>?@[\]^_`{|}~""'"
);
INSERT INTO terms (terms, rank) VALUES ('secure-delete', 1);
CREATE VIRTUAL TABLE term_hits USING fts5vocab(terms, instance);
CREATE VIRTUAL TABLE term_counts USING fts5vocab(terms, row);

CREATE TABLE events (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    memory_id  TEXT NOT NULL,
    namespace  TEXT NOT NULL,
    action     TEXT NOT NULL,
    actor      TEXT NOT NULL,
    channel    TEXT NOT NULL,
    at         TEXT NOT NULL,
    session_id TEXT,
    before     TEXT,
    after      TEXT,
    reason     TEXT
) STRICT;
CREATE INDEX events_by_memory ON events (memory_id, seq);
-- The few events that hold texts: erasing looks through them.
CREATE INDEX events_with_text ON events (namespace) WHERE before IS NOT NULL OR reason IS NOT NULL;

-- Which rows changed, in the order of commits: every process refreshes its columns from here. "reindexed": its tokens changed too.
CREATE TABLE changes (
    seq       INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace INTEGER NOT NULL,
    "row"     INTEGER NOT NULL,
    reindexed INTEGER NOT NULL
) STRICT;

-- Raw turns, each agent's own; a long text is kept compressed (BLOB, zlib), a short one as it is (TEXT).
CREATE TABLE turns (
    number     INTEGER PRIMARY KEY,
    namespace  TEXT NOT NULL,
    agent      TEXT NOT NULL,
    session_id TEXT NOT NULL,
    position   INTEGER NOT NULL,
    id         TEXT,
    speaker    TEXT,
    role       TEXT NOT NULL,
    at         TEXT,
    content    ANY NOT NULL,
    UNIQUE (namespace, agent, session_id, position)
) STRICT;

-- Which turns a record points to, by position or by the turn's own id.
CREATE TABLE turn_refs (
    namespace  TEXT NOT NULL,
    agent      TEXT NOT NULL,
    session_id TEXT NOT NULL,
    "row"      INTEGER NOT NULL,
    first      INTEGER,
    last       INTEGER,
    turn_id    TEXT
) STRICT;
CREATE INDEX turn_refs_by_session ON turn_refs (namespace, agent, session_id);
CREATE INDEX turn_refs_by_row ON turn_refs ("row");

CREATE TABLE entities (
    code      INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace INTEGER NOT NULL,
    name      TEXT NOT NULL,
    kind      TEXT NOT NULL,
    refs      INTEGER NOT NULL,
    UNIQUE (namespace, name)
) STRICT;

-- Words of names of several words ("Alice" of "Alice Chen"): aliases by which an entity is found as well.
CREATE TABLE entity_words (
    namespace INTEGER NOT NULL,
    word      TEXT NOT NULL,
    entity    INTEGER NOT NULL,
    PRIMARY KEY (namespace, word, entity)
) STRICT, WITHOUT ROWID;

CREATE TABLE entity_links (
    entity INTEGER NOT NULL,
    "row"  INTEGER NOT NULL,
    PRIMARY KEY (entity, "row")
) STRICT, WITHOUT ROWID;
CREATE INDEX entity_links_by_row ON entity_links ("row");

-- Entities that occur in the same record, both directions; weight counts the records. "owner" is the agent's code for what only
-- that agent may see and 0 for what the namespace shares, so that nobody's private records steer another's search.
CREATE TABLE edges (
    owner  INTEGER NOT NULL,
    a      INTEGER NOT NULL,
    b      INTEGER NOT NULL,
    weight INTEGER NOT NULL,
    PRIMARY KEY (owner, a, b)
) STRICT, WITHOUT ROWID;

CREATE TABLE jobs (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    kind        TEXT NOT NULL,
    namespace   TEXT NOT NULL,
    payload     TEXT NOT NULL,
    order_key   TEXT,
    state       TEXT NOT NULL,
    attempts    INTEGER NOT NULL DEFAULT 0,
    created_at  REAL NOT NULL,
    due         REAL NOT NULL,
    lease_until REAL,
    worker      TEXT,
    error       TEXT,
    result      TEXT
) STRICT;
CREATE INDEX jobs_open ON jobs (state, id) WHERE state IN ('waiting', 'leased', 'dead');
CREATE INDEX jobs_in_order ON jobs (namespace, order_key, id) WHERE order_key IS NOT NULL AND state IN ('waiting', 'leased');

CREATE TABLE retrievals (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,
    id         TEXT NOT NULL UNIQUE,
    namespace  TEXT NOT NULL,
    agent      TEXT NOT NULL,
    at         TEXT NOT NULL,
    session_id TEXT,
    took_ms    REAL NOT NULL,
    query      TEXT NOT NULL,
    shown      TEXT NOT NULL,
    detail     TEXT NOT NULL
) STRICT;
CREATE TABLE retrieval_shown (
    memory_id TEXT NOT NULL,
    retrieval INTEGER NOT NULL,
    PRIMARY KEY (memory_id, retrieval)
) STRICT, WITHOUT ROWID;
CREATE INDEX retrieval_shown_by_retrieval ON retrieval_shown (retrieval);
