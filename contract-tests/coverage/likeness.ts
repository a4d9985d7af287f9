/** When two answers are of the same kind: an example of the contract, and what the server said. */

/** What is counted or named in the words of a problem: the same words serve for each kind of resource and of work. */
const NOUN =
  /\b(?:an? )?(?:project|skill|agent|chatbot|model|prediction|request|table|stream)s?\b/gi;

/**
 * The words of a problem without what differs from one time to the next: names, addresses, media types,
 * methods, numbers, kinds of resource, and what the parser of JSON says in words of its own.
 */
function wordsOf(text: string): string {
  return (
    text
      .replace(/(?<=not valid JSON: ).*?(?=\. (?:Correct|Write))/s, '…')
      .replace(/"[^"]*"|(?<=\s)'[^']*'(?=[\s,;.])/g, '…')
      .replace(/(?<=\s)\/[^\s;,]*/g, '…')
      .replace(/\b[a-z]+\/[a-z0-9.+*-]+/g, '…')
      .replace(/\b(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)\b/g, '…')
      // One place, or two places.
      .replace(/\d+(?:[.,]\d+)*( [a-z]+?s?\b)?/g, (_, noun = '') => `…${noun.replace(/s$/, '')}`)
      .replace(NOUN, '…')
      .replace(/…(?:(?:,| and| or)? …)+/g, '…')
  );
}

/** The fields of a value, recursively, and the kinds of their values: `{name:string,skills:[{…}]}`. */
function shapeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `[${[...new Set(value.map(shapeOf))].sort().join('|')}]`;
  if (typeof value !== 'object') return typeof value;
  const fields = Object.entries(value).map(([name, field]) => `${name}:${shapeOf(field)}`);
  return `{${fields.sort().join(',')}}`;
}

/** What a body is like, so that two of the same kind are like the same. */
export interface Likeness {
  /** What the body as a whole is like. */
  readonly whole: string;
  /** Of a problem: each thing that it says is wrong, in its words. */
  readonly faults: readonly string[];
}

/**
 * What a body is like: a problem by its type and its words, JSON by its shape, lines of JSON by the shapes
 * of the lines, other text by its first line.
 * @param body as it goes over the wire
 * @throws {SyntaxError} if it is not of its media type
 */
export function likenessOf(mediaType: string, body: string): Likeness {
  switch (mediaType) {
    case '':
      return { whole: '', faults: [] };
    case 'application/problem+json':
      return problemLikeness(Object(JSON.parse(body)));
    case 'application/json':
      return { whole: shapeOf(JSON.parse(body)), faults: [] };
    case 'application/x-ndjson': {
      const lines = body.split('\n').filter((line) => line !== '');
      return { whole: shapeOf(lines.map((line): unknown => JSON.parse(line))), faults: [] };
    }
    default:
      return { whole: `${body.split('\n')[0]}`, faults: [] };
  }
}

function problemLikeness(problem: { type?: unknown; detail?: unknown; errors?: unknown }) {
  const { type, detail, errors } = problem;
  const faults: unknown[] = Array.isArray(errors) ? errors : [];
  return {
    whole: `${type}: ${wordsOf(`${detail}`)}`,
    faults: faults.map((fault) => `${type}: ${wordsOf(`${Object(fault).message}`)}`),
  };
}
