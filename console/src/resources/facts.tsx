import type { ComponentChildren } from 'preact';
import { time } from '../ui/format.js';
import type { Kind, Resource } from './kind.js';

/** The facts of a resource that are not fields of its form. */
export function Facts<R extends Resource>({
  kind,
  project,
  resource,
}: {
  kind: Kind<R>;
  project: string;
  resource: R;
}) {
  const { id, created_at, updated_at } = resource;
  return (
    <dl class="facts">
      {kind.Users && (
        <Fact name="Used by">
          <kind.Users project={project} resource={resource} />
        </Fact>
      )}
      <Fact name="Created">{time(created_at)}</Fact>
      <Fact name="Changed">{time(updated_at)}</Fact>
      <Fact name="Identifier">
        <code>{id}</code>
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
