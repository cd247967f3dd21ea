-- Vectors of another model while they are being made; they replace those in use all at once. A scale of 0 (and no data) stands for a
-- record that was looked at and has no vector.

CREATE TABLE staged_vectors (
    namespace INTEGER NOT NULL,
    "row"     INTEGER NOT NULL,
    scale     REAL NOT NULL,
    data      BLOB NOT NULL,
    PRIMARY KEY (namespace, "row")
) STRICT, WITHOUT ROWID;
CREATE TABLE staged_passages (
    namespace INTEGER NOT NULL,
    "row"     INTEGER NOT NULL,
    number    INTEGER NOT NULL,
    scale     REAL NOT NULL,
    data      BLOB NOT NULL,
    PRIMARY KEY (namespace, "row", number)
) STRICT, WITHOUT ROWID;

-- Triggers, so that no writer can forget it: a changed text has to be embedded anew, an erased one leaves nothing.
CREATE TRIGGER unstage_changed AFTER UPDATE OF query, content, record ON memories
WHEN old.query IS NOT new.query OR old.content IS NOT new.content
  OR CASE WHEN json_valid(old.record) AND json_valid(new.record)
          THEN json_extract(old.record, '$.speaker') IS NOT json_extract(new.record, '$.speaker')
          ELSE 1 END
BEGIN
    DELETE FROM staged_vectors WHERE namespace = (SELECT code FROM namespaces WHERE name = old.namespace) AND "row" = old."row";
    DELETE FROM staged_passages WHERE namespace = (SELECT code FROM namespaces WHERE name = old.namespace) AND "row" = old."row";
END;
CREATE TRIGGER unstage_erased AFTER DELETE ON memories
BEGIN
    DELETE FROM staged_vectors WHERE namespace = (SELECT code FROM namespaces WHERE name = old.namespace) AND "row" = old."row";
    DELETE FROM staged_passages WHERE namespace = (SELECT code FROM namespaces WHERE name = old.namespace) AND "row" = old."row";
END;
