-- name: add
INSERT INTO access_tokens (id, digest, name, agent, namespaces, scopes, per_minute, created_at, expires_at)
VALUES (:id, :digest, :name, :agent, :namespaces, :scopes, :per_minute, :created_at, :expires_at)
ON CONFLICT DO NOTHING RETURNING id

-- name: find
SELECT id, name, agent, namespaces, scopes, per_minute, created_at, expires_at, revoked_at, last_used_at
FROM access_tokens WHERE digest = ?

-- name: list
SELECT id, name, agent, namespaces, scopes, per_minute, created_at, expires_at, revoked_at, last_used_at
FROM access_tokens ORDER BY created_at, id

-- name: revoke
UPDATE access_tokens SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL RETURNING id

-- name: used
UPDATE access_tokens SET last_used_at = ? WHERE id = ?

-- name: any
SELECT EXISTS (SELECT 1 FROM access_tokens)
