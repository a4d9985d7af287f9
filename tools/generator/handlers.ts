import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ESTree, parseSync } from 'rolldown/utils';
import { NearestName } from 'roster-prediction/browser';
import type { Code } from '../../contract/check/index.js';

const FOLDER = 'server';

const nearestName = (names: readonly string[], misspelt: string) => new NearestName(names).of(misspelt);

/** The code behind a contract that is not to have any. */
export const DRAFT: Code = { handlers: undefined, nearestName };

/** Returns the code of a project, for the checks of its contract. */
export function codeIn(project: string): Code {
  return { handlers: handlersIn(project), nearestName };
}

/**
 * Where the handler of each operation stands, by operationId. They are read off the source, since what is
 * compiled may be older: a handler is a member of what a function called `…Operations` returns.
 */
function handlersIn(project: string): Map<string, string> {
  const handlers = new Map<string, string>();
  const names = readdirSync(join(project, FOLDER), { recursive: true, encoding: 'utf8' });
  for (const name of names.map((path) => path.replaceAll('\\', '/'))) {
    if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue;
    const text = readFileSync(join(project, FOLDER, name), 'utf8');
    if (!text.includes('Operations(')) continue;
    for (const { name: operation, start } of parseSync(name, text).program.body.flatMap(members)) {
      const line = text.slice(0, start).split('\n').length;
      handlers.set(operation, `${FOLDER}/${name}:${line}`);
    }
  }
  return handlers;
}

/** Returns the names of the members that a function `…Operations` returns. */
function members(statement: ESTree.Node): ESTree.IdentifierName[] {
  const made = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
  if (made?.type !== 'FunctionDeclaration' || !made.id?.name.endsWith('Operations')) return [];
  return (made.body?.body ?? []).flatMap((inner) => {
    if (inner.type !== 'ReturnStatement') return [];
    const { argument } = inner;
    const returned = argument?.type === 'TSSatisfiesExpression' ? argument.expression : argument;
    if (returned?.type !== 'ObjectExpression') return [];
    return returned.properties.flatMap((property) =>
      property.type === 'Property' && property.key.type === 'Identifier' ? [property.key] : [],
    );
  });
}
