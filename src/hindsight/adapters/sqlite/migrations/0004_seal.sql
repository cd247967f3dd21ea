-- The chain of seals of each namespace, and where it ends. "number" counts from 1 without a gap; one link an event, one for each
-- event of another memory whose texts an erasure took away ("scrub"). "key" names the key that sealed; the rest are MACs.
CREATE TABLE seal_heads (
    chain     INTEGER PRIMARY KEY,
    namespace TEXT NOT NULL UNIQUE,
    number    INTEGER NOT NULL,
    mac       BLOB NOT NULL,
    key       BLOB NOT NULL,
    seal      BLOB NOT NULL
) STRICT;
CREATE TABLE seals (
    chain     INTEGER NOT NULL,
    number    INTEGER NOT NULL,
    kind      TEXT NOT NULL,
    memory_id TEXT NOT NULL,
    event     INTEGER NOT NULL,
    key       BLOB NOT NULL,
    record    BLOB NOT NULL,
    texts     BLOB NOT NULL,
    mac       BLOB NOT NULL,
    PRIMARY KEY (chain, number)
) STRICT, WITHOUT ROWID;

-- Which records were made of which: for the descendants of a memory. Links stay when a record is erased, so that what was made of it
-- is still known to descend from its parents.
CREATE TABLE parent_links (
    parent TEXT NOT NULL,
    child  TEXT NOT NULL,
    PRIMARY KEY (parent, child)
) STRICT, WITHOUT ROWID;
CREATE INDEX parent_links_by_child ON parent_links (child);
INSERT OR IGNORE INTO parent_links (parent, child)
SELECT named.value, m.id FROM memories AS m, json_each(m.record, '$.parents') AS named WHERE json_valid(m.record);
