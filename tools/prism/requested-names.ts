import type { IHttpRequest, IHttpResponse } from '@stoplight/prism-http';
import { validate as isUuid } from 'uuid';

/**
 * Gives a resource in an answer the name that the request gives it, in its body or its address, and `Location` the
 * same name. The resource stands at `Location`, if the answer has one, else at the address of the request. A PUT to a
 * part of a resource, such as `/serving`, answers with the resource above.
 * @param template the path of the operation, such as `/projects/{project_name}/skills`
 * @param templates the paths of the contract
 */
export function withRequestedNames(
  request: IHttpRequest,
  template: string,
  response: IHttpResponse,
  templates: readonly string[],
): IHttpResponse {
  const { headers = {}, body } = response;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return response;
  const location = headers['Location'];
  const place = location === undefined ? template : templates.find((one) => fits(one, location));
  const resource = request.method === 'put' ? place?.replace(/\/[a-z]+$/, '') : place;
  const parameter = resource && /\{([^}]+)\}$/.exec(resource)?.[1];
  if (!place || !parameter) return response;

  const written = writtenName(request.body);
  const addressed = parametersOf(template, request.url.path);
  const name = written ?? addressed.get(parameter);
  const named = name === undefined ? body : { ...body, ...fieldOf(parameter, name, body) };
  if (location === undefined) return { ...response, body: named };
  const values = new Map([...parametersOf(place, location), ...addressed]);
  if (name !== undefined) values.set(parameter, name);
  return { ...response, headers: { ...headers, Location: filled(place, values) }, body: named };
}

/** The field of a resource that a parameter such as `skill_name`, `modelName` or `version` gives. */
function fieldOf(parameter: string, value: string, resource: object): Record<string, unknown> {
  const word = /[A-Za-z][a-z]*$/.exec(parameter)?.[0].toLowerCase() ?? parameter;
  const field = word === 'name' && isUuid(value) ? 'id' : word;
  const example: unknown = Reflect.get(resource, field);
  if (example === undefined) return {};
  return { [field]: typeof example === 'number' ? Number(value) : value };
}

/** The name in a body such as `{"skill": {"name": "lookup"}}`. */
function writtenName(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const [resource]: unknown[] = Object.values(body);
  const isNamed = typeof resource === 'object' && resource !== null && 'name' in resource;
  return isNamed && typeof resource.name === 'string' ? resource.name : undefined;
}

function fits(template: string, path: string): boolean {
  const steps = path.split('/');
  const expected = template.split('/');
  return (
    steps.length === expected.length &&
    expected.every((step, at) => step.startsWith('{') || step === steps[at])
  );
}

function parametersOf(template: string, path: string): Map<string, string> {
  const steps = path.split('/');
  return new Map(
    template
      .split('/')
      .flatMap((step, at) =>
        step.startsWith('{') ? [[step.slice(1, -1), decodeURIComponent(steps[at] ?? '')]] : [],
      ),
  );
}

function filled(template: string, values: ReadonlyMap<string, string>): string {
  return template.replace(/\{([^}]+)\}/g, (_, name) => encodeURIComponent(values.get(name) ?? ''));
}
