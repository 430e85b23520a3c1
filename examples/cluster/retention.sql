-- Permanently removes old data. Nodes never do that by themselves: you decide how long to keep data, in the intervals
-- below.
-- Nodes may keep running. As the role of the nodes, once a day:
-- psql "$PINTLE_SERVE_STORE" -v ON_ERROR_STOP=1 -f retention.sql

-- Sessions: deleted ones after 30 days (until then restore_session restores them), others a year after their last
-- entry. Sessions that
-- a node has open stay. A thousand at a time, so that no lock is held for long: repeat it while it prints DELETE 1000.
WITH old AS (
  SELECT session_id, born FROM pintle.sessions AS session
  WHERE (deleted_at < now() - interval '30 days' OR updated_at < now() - interval '365 days')
    AND NOT EXISTS (
      SELECT 1 FROM pintle.leases AS lease
      WHERE lease.session_id = session.session_id AND lease.node_id IS NOT NULL AND lease.expires_at > clock_timestamp())
  LIMIT 1000 FOR UPDATE SKIP LOCKED),
entries AS (DELETE FROM pintle.entries AS entry USING old WHERE entry.session_id = old.session_id AND entry.born = old.born),
commands AS (DELETE FROM pintle.commands AS command USING old WHERE command.session_id = old.session_id),
uses AS (DELETE FROM pintle.blob_uses AS used USING old WHERE used.session_id = old.session_id),
leases AS (DELETE FROM pintle.leases AS lease USING old WHERE lease.session_id = old.session_id)
DELETE FROM pintle.sessions AS session USING old WHERE session.session_id = old.session_id;

-- Jobs, 90 days after their end, with their attempts; their sessions are treated like any other.
DELETE FROM pintle.jobs WHERE ended_at < now() - interval '90 days';

-- Images that no session refers to. A new one is stored just before the entry that refers to it.
DELETE FROM pintle.blobs AS blob
WHERE stored_at < now() - interval '1 day'
  AND NOT EXISTS (SELECT 1 FROM pintle.blob_uses AS used WHERE used.hash = blob.hash);
