/** The text around the rows of a body. */
export interface BodyFrame {
  /** The place where the first row begins. */
  readonly rowsAt: number;
  /** Whether the array has no rows. */
  readonly isEmpty: boolean;
  /** Whether the body may end so, behind the array of rows. */
  readonly endsWith: (tail: Buffer) => boolean;
}

/** Bytes that are looked at for the beginning of the rows. */
const MAX_HEAD = 256;

/** More is left to the way of objects. */
const MAX_TAIL = 16 * 1024;
const MAX_PARTS = 50;
const MAX_PARAMS = 1000;

const HEAD = /^\s*(?:(\[)|\{\s*"data"\s*:\s*\[)(\s*\])?/;

/** Returns the frame of a body that is an array, or an object that begins with one as `data`; undefined for any other. */
export function bodyFrame(body: Buffer): BodyFrame | undefined {
  const [head, bare, close] = HEAD.exec(body.toString('latin1', 0, MAX_HEAD)) ?? [];
  // Other blanks than JSON's are none.
  if (head === undefined || /[^\x20-\x7e\t\n\r]/.test(head)) return undefined;
  const endsWith = bare === undefined ? endsObject : isBlank;
  const isEmpty = close !== undefined;
  if (isEmpty && !endsWith(body.subarray(head.length))) return undefined;
  return { rowsAt: head.length, isEmpty, endsWith };
}

function isBlank(tail: Buffer): boolean {
  return tail.length <= MAX_TAIL && /^[ \t\n\r]*$/.test(tail.toString('latin1'));
}

/** Whether the object ends, with at most `params` behind its rows. */
function endsObject(tail: Buffer): boolean {
  if (tail.length > MAX_TAIL) return false;
  const text = tail.toString();
  if (text.split(/[[{]/).length > MAX_PARTS) return false;
  try {
    const members: unknown = JSON.parse(`{"params":null${text}`);
    return isParams(members);
  } catch {
    return false;
  }
}

function isParams(members: unknown): boolean {
  if (typeof members !== 'object' || members === null || !('params' in members)) return false;
  const { params, ...others } = members;
  if (Object.keys(others).length > 0 || typeof params !== 'object') return false;
  return params === null || (!Array.isArray(params) && Object.keys(params).length <= MAX_PARAMS);
}
