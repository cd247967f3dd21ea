-- Records are counted, and those in conflict found, without reading all the others.
CREATE INDEX memories_by_status ON memories (namespace, status, kind);
CREATE INDEX memories_in_conflict ON memories (namespace, "row") WHERE status = 'active' AND as_json(record) #>> '{conflicts_with,0}' IS NOT NULL;
