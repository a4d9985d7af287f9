/** Finds the regular expressions of a file, and the comments that say why the texts of one are short. */
import { type ESTree, parseSync, Visitor } from 'rolldown/utils';

/** A regular expression of a program. Lines and columns are counted from 1. */
export interface FoundPattern {
  readonly line: number;
  readonly column: number;
  /** The expression as it is written. */
  readonly text: string;
  /** Undefined if it is put together from more than constants of its file. */
  readonly source: string | undefined;
  readonly flags: string;
  /** The reason why its texts are short, from the comment `bounded:` before it. */
  readonly bound: string | undefined;
}

/**
 * Returns the literals of regular expressions in a file of TypeScript or JavaScript, and what it gives to `RegExp`.
 * @param name identifies the language by its ending
 * @throws {SyntaxError} if the file cannot be parsed
 */
export function findPatterns(name: string, text: string): FoundPattern[] {
  const { program, comments, errors } = parseSync(name, text);
  const [error] = errors;
  if (error) throw new SyntaxError(`${name}: ${error.message}`);
  const starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
  const lineAt = (offset: number) => starts.findLastIndex((start) => start <= offset) + 1;
  const bounds = new Map<number, string>();
  for (const { value, end } of comments) {
    const [, reason] = /^\*?\s*bounded: (.+)$/s.exec(value.trim()) ?? [];
    if (reason) bounds.set(lineAt(end), reason);
  }
  const found: FoundPattern[] = [];
  const add = ({ start, end }: ESTree.Span, source: string | undefined, flags: string) => {
    const line = lineAt(start);
    const column = start - (starts[line - 1] ?? 0) + 1;
    const bound = bounds.get(line - 1) ?? bounds.get(line);
    found.push({ line, column, text: text.slice(start, end), source, flags, bound });
  };
  const constants = new Map(program.body.flatMap(listConstants));
  const addCreation = (node: ESTree.NewExpression | ESTree.CallExpression) => {
    if (node.callee.type !== 'Identifier' || node.callee.name !== 'RegExp') return;
    const [source, flags] = node.arguments;
    // A copy of a literal, which is found separately.
    if (source?.type === 'Literal' && 'regex' in source) return;
    add(node, evaluate(source, constants), flags ? (evaluate(flags, constants) ?? '') : '');
  };
  new Visitor({
    Literal(node) {
      if ('regex' in node) add(node, node.regex.pattern, node.regex.flags);
    },
    NewExpression: addCreation,
    CallExpression: addCreation,
  }).visit(program);
  return found;
}

/** Returns the constants that a statement of a module declares, by their names. */
function listConstants(statement: ESTree.Directive | ESTree.Statement): [string, ESTree.Expression][] {
  const { declaration } = statement.type === 'ExportNamedDeclaration' ? statement : { declaration: statement };
  if (declaration?.type !== 'VariableDeclaration' || declaration.kind !== 'const') return [];
  return declaration.declarations.flatMap(({ id, init }) =>
    id.type === 'Identifier' && init ? [[id.name, init] as [string, ESTree.Expression]] : [],
  );
}

/** Returns the text of an expression of constants; undefined for any other. */
function evaluate(
  node: ESTree.Node | null | undefined,
  constants: ReadonlyMap<string, ESTree.Expression>,
): string | undefined {
  switch (node?.type) {
    case 'Literal':
      return typeof node.value === 'string' || typeof node.value === 'number' ? String(node.value) : undefined;
    case 'Identifier':
      return evaluate(constants.get(node.name), constants);
    case 'TemplateLiteral':
      return fill(node, ({ cooked }) => cooked, constants);
    case 'TaggedTemplateExpression':
      return isMember(node.tag, 'raw') ? fill(node.quasi, ({ raw }) => raw, constants) : undefined;
    case 'CallExpression': {
      if (!isMember(node.callee, 'join') || node.callee.object.type !== 'ArrayExpression') return;
      const parts = node.callee.object.elements.map((part) => evaluate(part, constants));
      const separator = evaluate(node.arguments[0], constants);
      return parts.includes(undefined) || separator === undefined ? undefined : parts.join(separator);
    }
    default:
      return undefined;
  }
}

function isMember(node: ESTree.Expression, name: string): node is ESTree.StaticMemberExpression {
  return node.type === 'MemberExpression' && !node.computed && node.property.name === name;
}

function fill(
  { quasis, expressions }: ESTree.TemplateLiteral,
  read: (value: ESTree.TemplateElement['value']) => string | null | undefined,
  constants: ReadonlyMap<string, ESTree.Expression>,
): string | undefined {
  let text = '';
  for (const [index, { value }] of quasis.entries()) {
    const part = index === 0 ? '' : evaluate(expressions[index - 1], constants);
    const written = read(value);
    if (part === undefined || written === undefined || written === null) return undefined;
    text += part + written;
  }
  return text;
}
