import type { RowWarning } from '../contract/resources.js';

/** Names and values in the rows of a request that the model does not know. */
export interface RowWarnings {
  /** By kind; within a kind, those of most rows first. At most 20. */
  warnings: RowWarning[];
  /** The number of warnings beyond the 20, or beyond 4 KiB. */
  more: number;
}

/**
 * Reads the header `Row-Warnings` of an answer of `predict`: unknown names, rows without a column of the model, new
 * categories and numbers far outside the table's range. Without the header there are none. An answer in lines has
 * them in its last line instead.
 *
 * @example
 * const { data, response } = await roster.POST(PREDICT, { params, body: rows });
 * for (const { kind, name, rows } of rowWarnings(response).warnings) console.warn(kind, name, rows);
 */
export function rowWarnings({ headers }: Pick<Response, 'headers'>): RowWarnings {
  const warnings: RowWarning[] = [];
  let more = 0;
  for (const { token, values } of readMembers(headers.get(HEADER) ?? '')) {
    if (token === 'more') more = Number(values.get('count') ?? 0);
    else if (isKind(token)) {
      warnings.push({
        kind: token,
        name: readText(values.get('name')),
        rows: Number(values.get('rows') ?? 0),
        nearest: readText(values.get('nearest')),
      });
    }
  }
  return { warnings, more };
}

const HEADER = 'Row-Warnings';

const KINDS: Readonly<Record<RowWarning['kind'], true>> = {
  'no-column': true,
  'unknown-name': true,
  unreadable: true,
  'out-of-range': true,
  'new-category': true,
  'missing-known': true,
};

function isKind(token: string): token is RowWarning['kind'] {
  return Object.hasOwn(KINDS, token);
}

/** A member of a list (RFC 9651, section 3.1), as far as this header has them: a token with parameters. */
interface Member {
  readonly token: string;
  readonly values: ReadonlyMap<string, string>;
}

const TOKEN = /[a-z*][\w.:/!#$&'+^`|~*-]*/y;
const PARAMETER = /; *([a-z*][\w.*-]*)(?:=(%"[^"]*"|"(?:\\.|[^"\\])*"|[^;,"]*))?/y;
const COMMA = /[ \t]*,[ \t]*/y;

/** Reads the members of a list, up to the first that has another form. */
function* readMembers(field: string): Generator<Member> {
  let at = 0;
  const read = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(field);
    if (found) at = pattern.lastIndex;
    return found;
  };
  do {
    const [token] = read(TOKEN) ?? [];
    if (token === undefined) return;
    const values = new Map<string, string>();
    for (let part = read(PARAMETER); part; part = read(PARAMETER)) {
      const [, name = '', value = ''] = part;
      values.set(name, value);
    }
    yield { token, values };
  } while (read(COMMA));
}

/** The text of a string (section 3.3.3) or a display string (section 3.3.8). */
function readText(value: string | undefined): string | null {
  if (value === undefined) return null;
  if (value.startsWith('%')) return decodeURIComponent(value.slice(2, -1));
  return value.slice(1, -1).replace(/\\(.)/g, '$1');
}
