import { useId, useMemo, useState } from 'preact/hooks';
import { useList } from '../../session/read-list.js';
import { ErrorNotice } from '../../ui/error-notice.js';
import type { ControlProps } from '../../ui/field.js';
import { count, whole } from '../../ui/format.js';
import type { Choice } from '../kind.js';

/** The most names to draw; the filter finds the others. */
const MAX_ROWS = 50;

/** A field that holds names of resources: all of the project's, with a filter. */
export function Choose({
  control,
  project,
  choice,
  chosen,
  isMany,
  mayBeNone,
  isBusy,
  onChange,
}: {
  control: ControlProps;
  project: string;
  choice: Choice;
  chosen: readonly string[];
  isMany: boolean;
  /** True if nothing can be chosen, where only one can be. */
  mayBeNone: boolean;
  isBusy: boolean;
  onChange: (chosen: readonly string[]) => void;
}) {
  const list = useList((signal) => choice.list(project, signal), [project, choice.what]);
  const [find, setFind] = useState('');
  // Chosen names come first, but do not jump there at the moment at which they are chosen.
  const [first, setFirst] = useState(chosen);
  const group = useId();
  const names = useMemo(() => {
    const others = list.items.map(({ name }) => name).filter((name) => !first.includes(name));
    const word = find.trim().toLowerCase();
    return [...first, ...others].filter((name) => name.toLowerCase().includes(word));
  }, [list.items, first, find]);
  const toggle = (name: string, isOn: boolean) => {
    if (!isMany) onChange([name]);
    else onChange(isOn ? [...chosen, name] : chosen.filter((other) => other !== name));
  };
  return (
    <div class="choose">
      <input
        {...control}
        type="search"
        placeholder={`Find ${choice.what}`}
        autocomplete="off"
        spellcheck={false}
        value={find}
        onInput={(event) => {
          setFind(event.currentTarget.value);
          setFirst(chosen);
        }}
        // Enter looks, and does not send the form.
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      />
      {list.error !== null && <ErrorNotice error={list.error} retry={list.reload} />}
      <fieldset class="options" aria-label={choice.label}>
        {!isMany && mayBeNone && (
          <label class="check">
            <input
              type="radio"
              name={group}
              disabled={isBusy}
              checked={chosen.length === 0}
              onChange={() => onChange([])}
            />
            None
          </label>
        )}
        {names.slice(0, MAX_ROWS).map((name) => (
          <label class="check" key={name}>
            <input
              type={isMany ? 'checkbox' : 'radio'}
              name={isMany ? undefined : group}
              disabled={isBusy}
              checked={chosen.includes(name)}
              onChange={(event) => toggle(name, event.currentTarget.checked)}
            />
            <span>{name}</span>
          </label>
        ))}
      </fieldset>
      <p class="hint" role="status">
        {writeHint({
          what: choice.what,
          chosen: isMany ? chosen.length : 0,
          hidden: names.length - MAX_ROWS,
          isNothing: names.length === 0,
          isEmpty: list.isComplete && list.items.length === 0,
          isLoading: !list.isComplete && list.error === null,
        })}
      </p>
    </div>
  );
}

function writeHint(state: {
  what: string;
  chosen: number;
  hidden: number;
  isNothing: boolean;
  isEmpty: boolean;
  isLoading: boolean;
}): string {
  const { what, chosen, hidden, isNothing, isEmpty, isLoading } = state;
  const sentences = [
    chosen > 0 && `${whole(chosen)} chosen.`,
    isLoading && `Loading the ${what} …`,
    isEmpty && `This project has no ${what} yet.`,
    isNothing && !isEmpty && !isLoading && `No ${what} match.`,
    hidden > 0 && `${count(hidden, 'more is', 'more are')} not shown. Type part of a name to find them.`,
  ];
  return sentences.filter(Boolean).join(' ');
}
