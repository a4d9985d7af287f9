import { useEffect, useRef } from 'preact/hooks';
import { ProblemError } from 'roster-client';
import { href } from '../router/route.js';
import { ConnectionError } from '../session/connection.js';
import { missingScope } from '../session/scopes.js';
import { whole } from './format.js';

/** Shows an error: the problem that the service answered with, or that it did not answer. */
export function ErrorNotice({
  error,
  retry,
  scrollTo = false,
}: {
  error: unknown;
  retry?: () => void;
  /** True if the page scrolls to the notice: the button that led to it can be far away. */
  scrollTo?: boolean;
}) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (scrollTo) element.current?.scrollIntoView({ block: 'nearest' });
  }, [error]);
  const { title, detail, places, requestId, keyLink } = explain(error);
  return (
    <div ref={element} class="notice error" role="alert">
      <p>
        <strong>{title}</strong> {detail} {keyLink && <a href={href(['key'])}>{keyLink}</a>}
      </p>
      {places.length > 0 && (
        <ul>
          {places.map(({ where, message }) => (
            <li key={where + message}>
              {where && <code>{where}</code>} {message}
            </li>
          ))}
        </ul>
      )}
      {requestId && <p class="faint">Request {requestId}</p>}
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

interface Explanation {
  readonly title: string;
  readonly detail: string;
  readonly places: readonly { where: string; message: string }[];
  readonly requestId?: string;
  /** The words of a link to the view of the key, where a key would help. */
  readonly keyLink?: string;
}

function explain(error: unknown): Explanation {
  if (error instanceof ProblemError) {
    const { problem } = error;
    const scope = missingScope(problem);
    if (scope)
      return {
        title: `This key may not ${scope}.`,
        detail: `It does not have the scope “${scope}”. The people who run the service can create a key that has it.`,
        places: [],
        keyLink: 'See what this key may do',
      };
    if (problem.type === '/problems/unauthorized')
      return { title: 'A valid key is needed.', detail: problem.detail, places: [], keyLink: 'Enter a key' };
    const places = 'errors' in problem ? problem.errors.map(describePlace) : [];
    return {
      title: `${problem.title}.`,
      // The detail of an invalid request is the first of its places.
      detail: problem.type === '/problems/invalid-request' ? '' : problem.detail,
      places,
      requestId: problem.request_id,
    };
  }
  if (error instanceof ConnectionError) {
    return { title: 'The service does not answer.', detail: error.message, places: [] };
  }
  const detail = error instanceof Error ? error.message : String(error);
  return { title: 'This did not work.', detail, places: [] };
}

/** A place in a body has a pointer, one in a table a column, a line or a row. */
function describePlace(found: { message: string; pointer?: string; column?: string; line?: number; row?: number }): {
  where: string;
  message: string;
} {
  const { pointer, column, line, row, message } = found;
  const places = [
    pointer,
    column,
    line === undefined ? undefined : `line ${whole(line)}`,
    row === undefined ? undefined : `row ${whole(row)}`,
  ];
  return { where: places.filter((place) => place !== undefined).join(', '), message };
}
