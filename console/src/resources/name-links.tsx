import { href } from '../router/route.js';
import { count } from '../ui/format.js';

/** Names of resources in a sentence, each a link, and how many more there are. */
export function NameLinks({
  project,
  kind,
  names,
  more,
}: {
  project: string;
  kind: string;
  names: readonly string[];
  more: number;
}) {
  return (
    <>
      {names.map((name, index) => (
        <span key={name}>
          {index > 0 && ', '}
          <a href={href(['projects', project, kind, name])}>{name}</a>
        </span>
      ))}
      {more > 0 && ` and ${count(more, 'other')}`}
    </>
  );
}
