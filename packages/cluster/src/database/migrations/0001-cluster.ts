/**
 * Creates the whole layout. All times come from the database (`clock_timestamp()`), because the clocks of nodes may differ. The
 * log is partitioned by the month in which a session was created, so all entries of a session are in one partition: reading a
 * session uses one partition, one primary key keeps its order, and an old month can be dropped as a whole.
 */
export const CLUSTER = `
CREATE TABLE pintle.nodes (
  node_id text PRIMARY KEY,
  name text NOT NULL,
  address text,
  labels text[] NOT NULL DEFAULT '{}',
  version text NOT NULL,
  is_draining boolean NOT NULL DEFAULT false,
  workers integer NOT NULL DEFAULT 0,
  max_workers integer NOT NULL,
  started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz NOT NULL
);

CREATE TABLE pintle.sessions (
  session_id text PRIMARY KEY,
  born date NOT NULL DEFAULT (clock_timestamp() AT TIME ZONE 'UTC')::date,
  cwd text NOT NULL,
  needs text[] NOT NULL DEFAULT '{}',
  header text NOT NULL,
  plan text NOT NULL DEFAULT '{"lasting":[],"commands":[]}',
  kept_commands text NOT NULL DEFAULT '[]',
  position bigint NOT NULL DEFAULT 0,
  writes bigint NOT NULL DEFAULT 0,
  name text,
  first_message text,
  message_count integer NOT NULL DEFAULT 0,
  cost double precision,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  deleted_at timestamptz,
  searchable text GENERATED ALWAYS AS
    (lower(coalesce(name, '') || ' ' || coalesce(first_message, '') || ' ' || cwd)) STORED
) WITH (fillfactor = 80);
CREATE INDEX sessions_listed ON pintle.sessions (updated_at DESC, session_id DESC)
  WHERE deleted_at IS NULL AND message_count > 0;
CREATE INDEX sessions_listed_by_cwd ON pintle.sessions (cwd, updated_at DESC, session_id DESC)
  WHERE deleted_at IS NULL AND message_count > 0;
-- The beginning of an id, whatever the collation of the database is.
CREATE INDEX sessions_by_prefix ON pintle.sessions (session_id text_pattern_ops);
CREATE INDEX sessions_deleted ON pintle.sessions (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE pintle.leases (
  session_id text PRIMARY KEY,
  node_id text,
  fence bigint NOT NULL DEFAULT 1,
  expires_at timestamptz NOT NULL,
  status text NOT NULL DEFAULT 'idle'
) WITH (fillfactor = 50);
CREATE INDEX leases_by_node ON pintle.leases (node_id) WHERE node_id IS NOT NULL;

CREATE TABLE pintle.entries (
  session_id text NOT NULL,
  position bigint NOT NULL,
  born date NOT NULL,
  entry_id text NOT NULL,
  fence bigint NOT NULL,
  stored_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  line text NOT NULL,
  PRIMARY KEY (session_id, position, born)
) PARTITION BY RANGE (born);
CREATE TABLE pintle.entries_rest PARTITION OF pintle.entries DEFAULT;

CREATE TABLE pintle.commands (
  session_id text NOT NULL,
  fence bigint NOT NULL,
  ref text NOT NULL,
  command_key text,
  command text NOT NULL,
  frame text NOT NULL,
  response text NOT NULL,
  accepted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  entry_id text,
  ended_at timestamptz,
  outcome text,
  PRIMARY KEY (session_id, fence, ref)
);
CREATE UNIQUE INDEX commands_by_key ON pintle.commands (session_id, command_key) WHERE command_key IS NOT NULL;
CREATE INDEX commands_open ON pintle.commands (session_id) WHERE ended_at IS NULL;
CREATE INDEX commands_ended ON pintle.commands (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE pintle.blobs (
  hash text PRIMARY KEY,
  content bytea NOT NULL,
  stored_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE pintle.blob_uses (
  session_id text NOT NULL,
  hash text NOT NULL REFERENCES pintle.blobs,
  PRIMARY KEY (session_id, hash)
);
CREATE INDEX blob_uses_by_hash ON pintle.blob_uses (hash);

CREATE TABLE pintle.jobs (
  job_id text PRIMARY KEY,
  command_key text UNIQUE,
  status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'done', 'failed', 'cancelled')),
  prompt text NOT NULL,
  params text NOT NULL DEFAULT '{}',
  needs text[] NOT NULL DEFAULT '{}',
  attempts integer NOT NULL DEFAULT 2 CHECK (attempts > 0),
  attempt integer NOT NULL DEFAULT 0,
  node_id text,
  expires_at timestamptz,
  session_id text,
  is_cancelled boolean NOT NULL DEFAULT false,
  deadline timestamptz,
  result text,
  error text,
  cost double precision,
  submitted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  started_at timestamptz,
  ended_at timestamptz
) WITH (fillfactor = 70);
CREATE INDEX jobs_queued ON pintle.jobs (submitted_at, job_id) WHERE status = 'queued';
-- Without those that may wait for ever, so that it is of no use for taking the next one, which is found by its place in the queue.
CREATE INDEX jobs_due ON pintle.jobs (deadline) WHERE status = 'queued' AND deadline IS NOT NULL;
CREATE INDEX jobs_running ON pintle.jobs (expires_at) WHERE status = 'running';
CREATE INDEX jobs_listed ON pintle.jobs (submitted_at DESC, job_id DESC);
CREATE INDEX jobs_listed_by_status ON pintle.jobs (status, submitted_at DESC, job_id DESC);

CREATE TABLE pintle.job_attempts (
  job_id text NOT NULL REFERENCES pintle.jobs ON DELETE CASCADE,
  attempt integer NOT NULL,
  node_id text NOT NULL,
  session_id text,
  outcome text,
  started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended_at timestamptz,
  PRIMARY KEY (job_id, attempt)
);
CREATE INDEX job_attempts_by_session ON pintle.job_attempts (session_id) WHERE session_id IS NOT NULL;

CREATE FUNCTION pintle.make_partitions(months_ahead integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  first_day date;
BEGIN
  FOR ahead IN 0..months_ahead LOOP
    first_day := (date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC') + make_interval(months => ahead))::date;
    IF to_regclass(format('pintle.entries_%s', to_char(first_day, 'YYYY_MM'))) IS NULL THEN
      BEGIN
        EXECUTE format('CREATE TABLE pintle.%I PARTITION OF pintle.entries FOR VALUES FROM (%L) TO (%L)',
          'entries_' || to_char(first_day, 'YYYY_MM'), first_day, (first_day + make_interval(months => 1))::date);
      EXCEPTION WHEN check_violation THEN NULL; -- the rest has entries of that month already, and keeps them
      END;
    END IF;
  END LOOP;
END $$;
SELECT pintle.make_partitions(2);

-- A search for a part of a word reads all sessions unless this extension is there; its absence is no fault.
DO $$ BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA pintle;
  EXECUTE format('CREATE INDEX sessions_searched ON pintle.sessions USING gin (searchable %I.gin_trgm_ops)',
    (SELECT nspname FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'pg_trgm'));
EXCEPTION WHEN OTHERS THEN NULL;
END $$;
`;
