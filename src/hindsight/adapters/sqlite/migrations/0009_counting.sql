-- Records are counted, and those in conflict found, without reading all the others.
CREATE INDEX memories_by_status ON memories (namespace, status, kind);
CREATE INDEX memories_in_conflict ON memories (namespace)
WHERE status = 'active' AND CASE WHEN json_valid(record) THEN json_extract(record, '$.conflicts_with[0]') END IS NOT NULL;
