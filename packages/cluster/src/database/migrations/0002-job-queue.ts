/**
 * Adds a priority, a pause before a retry and a dead-letter state to jobs. Every column has a default and the old statements
 * still work, so nodes that know only the first migration may keep running. `jobs_ready` is ordered by labels first, because a
 * node looks up each waiting set of labels and reads only the sets that it can serve.
 */
export const JOB_QUEUE = `
ALTER TABLE pintle.jobs
  ADD COLUMN priority integer NOT NULL DEFAULT 0,
  ADD COLUMN retry_after_ms integer NOT NULL DEFAULT 5000,
  ADD COLUMN not_before timestamptz,
  ADD COLUMN handed_over integer NOT NULL DEFAULT 0,
  DROP CONSTRAINT jobs_status_check,
  ADD CONSTRAINT jobs_status_check
    CHECK (status IN ('queued', 'running', 'done', 'failed', 'cancelled', 'dead')) NOT VALID;
CREATE INDEX jobs_ready ON pintle.jobs (needs, priority DESC, submitted_at, job_id) WHERE status = 'queued';
-- Sessions that a lost node left in the middle of a run are found by the end of their lease.
CREATE INDEX leases_by_end ON pintle.leases (expires_at) WHERE node_id IS NOT NULL;
`;
