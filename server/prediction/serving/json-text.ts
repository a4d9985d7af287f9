/**
 * The JSON text of a value that came from JSON. Infinity, which 1e400 is read as, becomes null:
 * JSON cannot carry it.
 */
export function jsonText(value: unknown): string {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? String(value) : 'null';
    case 'string':
      return JSON.stringify(value);
    case 'object':
      return value === null ? 'null' : nestedText(value);
    case 'boolean':
      return String(value);
    default:
      return 'null';
  }
}

/** What stands open while a nested value is written: the values still to come, and its end. */
interface Open {
  values: Iterator<readonly [key: string, value: unknown]>;
  end: ']' | '}';
  isFirst: boolean;
}

/**
 * JSON.parse reads any depth; JSON.stringify recurses, and fails some thousand levels down. So
 * this keeps a list of what is open instead.
 */
function nestedText(nested: object): string {
  let text = '';
  const stack: Open[] = [];
  const open = (value: object) => {
    const isArray = Array.isArray(value);
    text += isArray ? '[' : '{';
    const entries = isArray ? keyless(value) : keyed(value);
    stack.push({ values: entries, end: isArray ? ']' : '}', isFirst: true });
  };
  open(nested);
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const next = top.values.next();
    if (next.done) {
      text += top.end;
      stack.pop();
      continue;
    }
    const [key, value] = next.value;
    text += top.isFirst ? key : `,${key}`;
    top.isFirst = false;
    if (typeof value === 'object' && value !== null) open(value);
    else text += jsonText(value);
  }
  return text;
}

function* keyless(values: readonly unknown[]): Generator<readonly [string, unknown]> {
  for (const value of values) yield ['', value];
}

function* keyed(values: object): Generator<readonly [string, unknown]> {
  for (const [key, value] of Object.entries(values)) yield [`${JSON.stringify(key)}:`, value];
}
