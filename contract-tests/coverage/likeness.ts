/** Decides whether two answers are of the same kind: an example of the contract, and one of the server. */

import { eventData } from '../../contract/event-data.js';

/** The nouns of a problem that vary: the same sentences serve for each kind of resource and of work. */
const NOUN =
  /\b(?:an? )?(?:project|skill|document|agent|chatbot|conversation|message|model|prediction|request|table|stream)s?\b/gi;

/**
 * Returns the text of a problem without its variable parts: names, addresses, media types, methods, numbers,
 * kinds of resource, and the messages of the JSON parser.
 */
function maskValues(text: string): string {
  return (
    text
      .replace(/(?<=not valid JSON: ).*?(?=\. (?:Correct|Write))/s, '…')
      .replace(/"[^"]*"|(?<=\s)'[^']*'(?=[\s,;.])/g, '…')
      .replace(/(?<=\s)\/[^\s;,]*/g, '…')
      .replace(/\b[a-z]+\/[a-z0-9.+*-]+/g, '…')
      .replace(/\b(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)\b/g, '…')
      // Singular and plural become the same.
      .replace(/\d+(?:[.,]\d+)*( [a-z]+?s?\b)?/g, (_, noun = '') => `…${noun.replace(/s$/, '')}`)
      .replace(NOUN, '…')
      .replace(/…(?:(?:,| and| or)? …)+/g, '…')
  );
}

/** Fields that are null until the service can tell, or has noted, which is sooner or later on another machine. */
const NULL_AT_FIRST = ['seconds_left', 'last_used_at'];

/** Returns the names and types of the fields of a value, recursively: `{name:string,skills:[{…}]}`. */
function describeShape(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `[${[...new Set(value.map(describeShape))].sort().join('|')}]`;
  if (typeof value !== 'object') return typeof value;
  const fields = Object.entries(value).map(([name, field]) =>
    NULL_AT_FIRST.includes(name) ? name : `${name}:${describeShape(field)}`,
  );
  return `{${fields.sort().join(',')}}`;
}

/** The kind of a body; equal for two bodies of the same kind. */
export interface Likeness {
  readonly whole: string;
  /** The message of each error of a problem, without its variable parts. */
  readonly faults: readonly string[];
}

/**
 * Returns the kind of a body: of a problem its type and text, of JSON its shape, of NDJSON the shapes of its
 * lines, of events the shapes of the first and the last, and of other text its first line.
 * @param body as it is sent
 * @throws {SyntaxError} if it is not of its media type
 */
export function describeLikeness(mediaType: string, body: string): Likeness {
  switch (mediaType) {
    case '':
      return { whole: '', faults: [] };
    case 'application/problem+json':
      return problemLikeness(Object(JSON.parse(body)));
    case 'application/json':
      return { whole: describeShape(JSON.parse(body)), faults: [] };
    case 'application/x-ndjson': {
      const lines = body.split('\n').filter((line) => line !== '');
      return { whole: describeShape(lines.map((line): unknown => JSON.parse(line))), faults: [] };
    }
    // Streams differ in the number of pieces and steps, and agree in how they begin and end.
    case 'text/event-stream': {
      const events = eventData(body).map((data): unknown => JSON.parse(data));
      return { whole: describeShape([events[0], events.at(-1)]), faults: [] };
    }
    default:
      return { whole: `${body.split('\n')[0]}`, faults: [] };
  }
}

function problemLikeness(problem: { type?: unknown; detail?: unknown; errors?: unknown }) {
  const { type, detail, errors } = problem;
  const faults: unknown[] = Array.isArray(errors) ? errors : [];
  const { pointer, message } = Object(faults[0]);
  // The detail of an invalid request says its first fault, and how many follow.
  const [before = '', after] = `${detail}`.split(`${pointer} ${message}.`);
  const own = after === undefined ? before : `${before}…`;
  return {
    whole: `${type}: ${maskValues(own)}`,
    faults: faults.map((fault) => `${type}: ${maskValues(`${Object(fault).message}`)}`),
  };
}
