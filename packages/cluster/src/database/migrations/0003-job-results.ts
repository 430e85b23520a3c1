/** Jobs keep the result of their run, as JSON. Nodes that do not know the column leave it empty. */
export const JOB_RESULTS = `
ALTER TABLE pintle.jobs ADD COLUMN prompt_result text;
`;
