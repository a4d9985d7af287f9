import type { ComponentChildren } from 'preact';

/** A name and its value; one that is wide stands alone in its line. */
export type Fact = readonly [name: string, value: ComponentChildren, width?: 'wide' | undefined];

/** Facts, each with its name; of a model, or of anything else. */
export function Facts({ facts, class: name = 'facts' }: { facts: readonly Fact[]; class?: 'facts' | 'model-facts' }) {
  return (
    <dl class={name}>
      {facts.map(([name, value, width]) => (
        <div key={name} class={width}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
