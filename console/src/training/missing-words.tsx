import { useState } from 'preact/hooks';
import { Field } from '../ui/field.js';
import { Select } from '../ui/select.js';
import { type Settings, set } from './settings.js';

/** Adds a word that counts as missing, in the table or in a column, to those that always do. */
export function MissingWords({
  columns,
  onSettings,
}: {
  columns: readonly string[];
  onSettings: (change: (settings: Settings) => Settings) => void;
}) {
  const [word, setWord] = useState('');
  const [column, setColumn] = useState('');
  const add = () => {
    const value = word.trim();
    if (value === '') return;
    const remedy = column ? { parameter: 'missing_in', value: `${column}=${value}` } : { parameter: 'missing', value };
    onSettings((before) => set(before, remedy));
    setWord('');
  };
  return (
    <Field label="Word for missing values" hint="Beside an empty cell, NA, N/A, NaN and null.">
      {(control) => (
        <span class="with-button">
          <input
            {...control}
            type="text"
            autocomplete="off"
            placeholder="k.A."
            maxLength={100}
            value={word}
            onInput={({ currentTarget: { value } }) => setWord(value)}
            onKeyDown={(event) => event.key === 'Enter' && add()}
          />
          <Select
            aria-label="Column of the word"
            value={column}
            options={[['', 'in all columns'], ...columns.filter(Boolean)]}
            onChoose={setColumn}
          />
          <button type="button" onClick={add}>
            Add
          </button>
        </span>
      )}
    </Field>
  );
}
