import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const FOLDER = 'server';

/**
 * Where the handler of each operation stands, by operationId. They are read off the source, since what is
 * compiled may be older: a handler is a member of what a function called `…Operations` returns.
 */
export function handlersIn(project: string): Map<string, string> {
  const handlers = new Map<string, string>();
  const names = readdirSync(join(project, FOLDER), { recursive: true, encoding: 'utf8' });
  for (const name of names.map((path) => path.replaceAll('\\', '/'))) {
    if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue;
    const text = readFileSync(join(project, FOLDER, name), 'utf8');
    if (!text.includes('Operations(')) continue;
    const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
    for (const member of file.statements.flatMap(returnedMembers)) {
      if (!member.name || !ts.isIdentifier(member.name)) continue;
      const { line } = file.getLineAndCharacterOfPosition(member.name.getStart());
      handlers.set(member.name.text, `${FOLDER}/${name}:${line + 1}`);
    }
  }
  return handlers;
}

function returnedMembers(statement: ts.Statement): ts.ObjectLiteralElementLike[] {
  if (!ts.isFunctionDeclaration(statement) || !statement.name?.text.endsWith('Operations'))
    return [];
  return (statement.body?.statements ?? []).flatMap((inner) => {
    if (!ts.isReturnStatement(inner) || !inner.expression) return [];
    const returned = ts.isSatisfiesExpression(inner.expression)
      ? inner.expression.expression
      : inner.expression;
    return ts.isObjectLiteralExpression(returned) ? [...returned.properties] : [];
  });
}
