import { SQL } from "bun";

/**
 * Triggers that record every change of a lease and of a job's state, and every entry that is changed or removed. The tables
 * show only the final state.
 */
const WITNESS = `
CREATE SCHEMA audit;
CREATE TABLE audit.leases (n bigint GENERATED ALWAYS AS IDENTITY, at timestamptz NOT NULL, session_id text NOT NULL,
  old_node text, old_fence bigint, old_expires_at timestamptz, node text, fence bigint NOT NULL);
CREATE FUNCTION audit.lease() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audit.leases (at, session_id, node, fence) VALUES (clock_timestamp(), NEW.session_id, NEW.node_id, NEW.fence);
  ELSIF OLD.node_id IS DISTINCT FROM NEW.node_id OR OLD.fence <> NEW.fence THEN
    INSERT INTO audit.leases (at, session_id, old_node, old_fence, old_expires_at, node, fence)
    VALUES (clock_timestamp(), NEW.session_id, OLD.node_id, OLD.fence, OLD.expires_at, NEW.node_id, NEW.fence);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER witness AFTER INSERT OR UPDATE ON pintle.leases FOR EACH ROW EXECUTE FUNCTION audit.lease();

CREATE TABLE audit.jobs (n bigint GENERATED ALWAYS AS IDENTITY, at timestamptz NOT NULL, job_id text NOT NULL,
  old_status text NOT NULL, old_node text, old_expires_at timestamptz, old_attempt integer NOT NULL,
  status text NOT NULL, node text, attempt integer NOT NULL);
CREATE FUNCTION audit.job() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
  IF OLD.status <> NEW.status OR OLD.attempt <> NEW.attempt OR OLD.node_id IS DISTINCT FROM NEW.node_id THEN
    INSERT INTO audit.jobs (at, job_id, old_status, old_node, old_expires_at, old_attempt, status, node, attempt)
    VALUES (clock_timestamp(), NEW.job_id, OLD.status, OLD.node_id, OLD.expires_at, OLD.attempt,
      NEW.status, NEW.node_id, NEW.attempt);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER witness AFTER UPDATE ON pintle.jobs FOR EACH ROW EXECUTE FUNCTION audit.job();

CREATE TABLE audit.rewrites (n bigint GENERATED ALWAYS AS IDENTITY, table_name text NOT NULL, what text NOT NULL);
CREATE FUNCTION audit.rewrite() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
  INSERT INTO audit.rewrites (table_name, what)
  VALUES (TG_TABLE_NAME, TG_OP || ' of ' || OLD.session_id || ' at ' || OLD.position);
  RETURN NULL;
END $$;
CREATE TRIGGER witness AFTER UPDATE OR DELETE ON pintle.entries FOR EACH ROW EXECUTE FUNCTION audit.rewrite();
`;

/** Call it when the tables exist and are unused. */
export async function installWitness(adminUrl: string): Promise<void> {
  await using sql = new SQL({ url: adminUrl, max: 1 });
  await sql.unsafe(WITNESS);
}
