import type { RosterClient } from '../contract/calls.js';
import type { Column, Model } from '../contract/resources.js';
import { items } from '../paging.js';
import { answered } from '../problem-error.js';

/** A page may have the categories of all its models, up to 4 MiB each. */
const MODELS_PER_PAGE = 10;

/** More categories than this are any text, so that the file stays readable and the compiler fast. */
const MAX_CATEGORIES = 100;

/**
 * Returns TypeScript with the types of a project's models, as they serve: `createRoster<Models>(…)` reads them. Of a
 * model, it has each input column, the target and the predicted values. Models that do not serve yet are named in a
 * comment.
 *
 * @throws ProblemError if the service answers with a problem, such as without a key
 */
export async function rosterTypes(roster: RosterClient, project: string): Promise<string> {
  const lines: string[] = [];
  const list = items(
    (query) => roster.GET('/api/projects/{projectName}/models', { params: { path: { projectName: project }, query } }),
    { limit: MODELS_PER_PAGE },
  );
  for await (const model of list) {
    const serving = await readServing(roster, project, model);
    lines.push(...(serving ? writeModel(serving) : [`  // ${quote(model.name)} does not serve yet.`]));
  }
  const about = `The models of the project ${JSON.stringify(project)}, made by \`npx roster-client types\`: make them again after a training.`;
  return [`/** ${asComment(about)} */`, 'export interface Models {', ...lines, '}', ''].join('\n');
}

/** Returns the version that answers predictions, which may be older than the one that a list shows. */
async function readServing(roster: RosterClient, projectName: string, model: Model): Promise<Model | undefined> {
  const { name: modelName, version, serving_version: serving } = model;
  if (serving === null) return undefined;
  if (version === serving && model.columns) return model;
  return answered(
    roster.GET('/api/projects/{projectName}/models/{modelName}/versions/{version}', {
      params: { path: { projectName, modelName, version: String(serving) } },
    }),
  );
}

function writeModel(model: Model): string[] {
  const { name, target, task, columns } = model;
  const known = new Set(columns?.map((column) => column.name));
  const others = [target, ...(task === 'forecast' ? [model.order_by, ...model.group_by] : [])];
  return [
    `  /** ${asComment(`Predicts ${target} (${task}).`)} */`,
    `  ${propertyName(name)}: {`,
    '    input: {',
    ...(columns ?? []).flatMap(writeInput),
    ...[...new Set(others)]
      .filter((other) => !known.has(other))
      .map((other) => `      ${propertyName(other)}?: string | number | null;`),
    '    };',
    `    target: ${quote(target)};`,
    `    value: ${answerType(model)};`,
    '  };',
  ];
}

function writeInput({ name, used, min, max, ...column }: Column): string[] {
  const range = min === null || max === null ? '' : `From ${min} to ${max} in the table.`;
  const about = used ? range : 'Not used.';
  return [
    ...(about ? [`      /** ${asComment(about)} */`] : []),
    `      ${propertyName(name)}?: ${columnType(column)} | null;`,
  ];
}

function columnType({ kind, categories, reading }: Omit<Column, 'name' | 'used' | 'min' | 'max'>): string {
  switch (kind) {
    case 'number':
      return reading ? 'number | string' : 'number';
    case 'date':
      return 'string';
    case 'category': {
      const isListed = categories && categories.length > 0 && categories.length <= MAX_CATEGORIES;
      return isListed ? writeUnion(categories) : 'string | number | boolean';
    }
  }
}

function answerType(model: Model): string {
  return model.task === 'classification' && model.classes
    ? writeUnion(model.classes.map(({ name }) => name))
    : 'number';
}

function writeUnion(texts: readonly string[]): string {
  return [...new Set(texts)].map(quote).join(' | ');
}

function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);
}

/** Characters that end a line or that nobody sees, such as those that turn the direction of a text. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Returns a literal of TypeScript on one line, in which every character is seen. */
function quote(text: string): string {
  return JSON.stringify(text).replace(UNSEEN, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** Returns a text that cannot end the comment that it is put into. */
function asComment(text: string): string {
  return text.replace(/\s+/g, ' ').replace(UNSEEN, '').replaceAll('*/', '*\\/');
}
