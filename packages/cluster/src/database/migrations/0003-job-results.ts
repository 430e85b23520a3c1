/** Stores the result of a job's run as JSON. Nodes that do not know the column leave it empty. */
export const JOB_RESULTS = `
ALTER TABLE pintle.jobs ADD COLUMN prompt_result text;
`;
