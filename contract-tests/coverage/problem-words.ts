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

/** The words of a problem without its variable parts: equal for an example of the contract and an answer like it. */
export interface ProblemWords {
  /** The type and the detail. */
  readonly whole: string;
  /** The type and the message of each error. */
  readonly faults: readonly string[];
}

/** Returns the words of a problem, as parsed from JSON. */
export function problemWords(problem: unknown): ProblemWords {
  const { type, detail, errors } = Object(problem);
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
