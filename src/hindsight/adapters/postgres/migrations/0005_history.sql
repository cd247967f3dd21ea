-- Where the history of a namespace was cut. Links up to "number" that nothing needs any more are gone; "mac" and "last" are the seal and the
-- key of the last of them, which the next link continues. "kept" links of before are left, each with key and seal of the one before it
-- ("previous"); "total" stands for the set of them. "key" names the key that sealed the cut.
CREATE TABLE seal_cuts (
    chain  BIGINT PRIMARY KEY,
    number BIGINT NOT NULL,
    last   BYTEA NOT NULL,
    mac    BYTEA NOT NULL,
    kept   BIGINT NOT NULL,
    total  BYTEA NOT NULL,
    before TEXT NOT NULL,
    key    BYTEA NOT NULL,
    seal   BYTEA NOT NULL
);
ALTER TABLE seals ADD COLUMN previous BYTEA;
CREATE INDEX seals_scrubbing ON seals (event) WHERE kind = 'scrub';
