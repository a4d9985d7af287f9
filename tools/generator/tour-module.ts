import * as v from 'valibot';
import type { Document } from '../../contract/document-schema.js';
import { ContractError } from '../../contract/document-schema.js';
import { listOperations, type Operation } from '../../contract/operations.js';
import { type Fault, readYaml, type Yaml, YamlError } from '../../contract/yaml.js';

/** The parts of the Arazzo document that the page shows; Spectral checks all of it. */
const stepShape = v.object({
  stepId: v.string(),
  description: v.string(),
  operationId: v.string(),
  parameters: v.optional(
    v.array(v.object({ name: v.string(), in: v.picklist(['path', 'query', 'header']), value: v.string() })),
    [],
  ),
  requestBody: v.optional(v.object({ contentType: v.string(), payload: v.unknown() })),
  successCriteria: v.array(v.object({ condition: v.string() })),
});
const inputsShape = v.object({ properties: v.record(v.string(), v.object({ description: v.string() })) });
const tourShape = v.object({ workflows: v.tuple([v.object({ inputs: inputsShape, steps: v.array(stepShape) })]) });

type Step = v.InferOutput<typeof stepShape>;
type Inputs = v.InferOutput<typeof inputsShape>;

/** Reports a fault of a step. */
type Fail = (message: string) => never;

/**
 * Returns the module that the page `/docs` has of the tour.
 * @param source the Arazzo document
 * @throws {ContractError} with the line, if the document is not one workflow on operations of the contract
 */
export function tourModule(source: string, document: Document): string {
  const operations = listOperations(document);
  const yaml = parsed(source);
  const { inputs, steps } = workflowIn(yaml);
  const shown = steps.map((step, index) =>
    shownStep(step, inputs, operations, (message) => {
      throw faulty({ ...yaml.locate(`/workflows/0/steps/${index}`), message });
    }),
  );
  return `/** Made by \`npm run generate\` from docs/tour.arazzo.yaml: do not edit. */

/** The steps of the tour, each a request and the status of its answer. */
export const TOUR = ${JSON.stringify(shown, null, 2)} as const;
`;
}

function parsed(source: string): Yaml {
  try {
    return readYaml(source);
  } catch (error) {
    throw error instanceof YamlError ? faulty(error.fault) : error;
  }
}

function workflowIn({ content, locate }: Yaml) {
  const { success, output, issues } = v.safeParse(tourShape, content);
  if (success) return output.workflows[0];
  const [{ message, path = [] }] = issues;
  const pointer = path.map(({ key }) => `/${key}`).join('');
  throw faulty({ ...locate(pointer), message });
}

function shownStep(step: Step, inputs: Inputs, operations: readonly Operation[], fail: Fail) {
  const id = step.operationId.replace('$sourceDescriptions.roster.', '');
  const operation = operations.find((candidate) => candidate.id === id);
  if (!operation) return fail(`openapi.yaml has no operation ${id}`);
  return {
    description: step.description,
    operationId: id,
    method: operation.method.toUpperCase(),
    address: writeAddress(step, operation.path, fail),
    headers: listHeaders(step),
    body: writeBody(step, inputs, fail),
    status: findStatus(step, fail),
  };
}

function writeAddress({ parameters }: Step, path: string, fail: Fail): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((given) => given.in === 'path' && given.name === name);
    return parameter?.value ?? fail(`the path parameter ${name} has no value`);
  });
  const query = parameters.filter((given) => given.in === 'query');
  const search = new URLSearchParams(Object.fromEntries(query.map(({ name, value }) => [name, value])));
  return query.length > 0 ? `${filled}?${search}` : filled;
}

function listHeaders({ parameters, requestBody }: Step): string[] {
  const own = parameters.filter((given) => given.in === 'header');
  return [
    ...(requestBody ? [`Content-Type: ${requestBody.contentType}`] : []),
    ...own.map(({ name, value }) => `${name}: ${value}`),
  ];
}

/** Returns the body as text. An input, which the document does not contain, is described instead. */
function writeBody({ requestBody }: Step, inputs: Inputs, fail: Fail): string | null {
  if (!requestBody) return null;
  const { payload } = requestBody;
  if (typeof payload !== 'string') return JSON.stringify(payload, null, 1).replace(/\n\s*/g, ' ');
  const [, input] = /^\$inputs\.(\w+)$/.exec(payload) ?? [];
  if (input === undefined) return payload.trimEnd();
  return inputs.properties[input]?.description ?? fail(`there is no input ${input}`);
}

function findStatus({ successCriteria }: Step, fail: Fail): number {
  const [, status] = /^\$statusCode == (\d{3})$/.exec(successCriteria[0]?.condition ?? '') ?? [];
  return Number(status ?? fail('its first success criterion must be "$statusCode == …"'));
}

function faulty({ line, column, message }: Fault): ContractError {
  return new ContractError(`docs/tour.arazzo.yaml:${line}:${column}: ${message}`);
}
