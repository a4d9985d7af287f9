/** Made by `npm run generate` from openapi.yaml: do not edit. */

/** The operations whose body is not JSON, by its media type. */
export const SENDS = {"text/markdown":["PUT /projects/{project_name}/skills/{skill_name}/documents/{document_name}"],"application/x-www-form-urlencoded":["POST /oauth/authorize","POST /oauth/token","POST /oauth/revoke"]} as const;

/** The operations whose answer is never JSON, by how it is read. */
export const READS = {"text":["GET /projects/{project_name}/skills/{skill_name}/documents/{document_name}","GET /oauth/authorize","GET /metrics"],"stream":["POST /projects/{project_name}/agents/{agent_name}/completions/stream"],"blob":["GET /api/projects/{projectName}/models/{modelName}/onnx"]} as const;

/** The first segments of the addresses whose errors are those of another protocol, not problems. */
export const FOREIGN_ERRORS: readonly unknown[] = ["mcp",".well-known","oauth"];
