import { count, whole } from '../ui/format.js';
import type { Sending } from './send-documents.js';

const WORDS: Readonly<Record<Sending['state'], string>> = {
  waiting: 'waits',
  sending: 'is being sent …',
  created: 'is kept',
  replaced: 'replaced the text that had this name',
  refused: 'was not kept:',
};

/** The most files to name; refused ones come first. */
const MAX_NAMED = 20;

/** Shows the progress of the files that are sent, and the reason of each refusal. */
export function SendingList({ sendings }: { sendings: readonly Sending[] }) {
  if (sendings.length === 0) return null;
  const isOver = ({ state }: Sending) => state !== 'waiting' && state !== 'sending';
  const over = sendings.filter(isOver).length;
  const refused = sendings.filter(({ state }) => state === 'refused');
  const others = sendings.filter((sending) => !refused.includes(sending)).reverse();
  const named = [...refused, ...others].slice(0, MAX_NAMED);
  return (
    <section class={refused.length > 0 ? 'notice warning' : 'notice'} aria-label="Files">
      <p role="status">
        {over} of {count(sendings.length, 'file')} sent
        {refused.length > 0 && `, ${whole(refused.length)} of them not kept`}
      </p>
      {over < sendings.length && (
        <progress value={over} max={sendings.length} aria-label="Files sent" />
      )}
      <ul>
        {named.map(({ fileName, name, state, reason }, index) => (
          <li key={`${index}${fileName}`}>
            <strong>{fileName}</strong> {WORDS[state]}{' '}
            {reason ?? (name !== fileName && `as ${name}`)}
          </li>
        ))}
      </ul>
      {sendings.length > named.length && (
        <p class="faint">and {count(sendings.length - named.length, 'more')}</p>
      )}
    </section>
  );
}
