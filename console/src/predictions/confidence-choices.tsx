import { percent } from '../ui/format.js';

/** Chooses a confidence. An empty text leaves the choice to the service. */
export function ConfidenceChoices<T extends string | number>({
  choices,
  chosen,
  onChoose,
}: {
  choices: readonly T[];
  chosen: T;
  onChoose: (choice: T) => void;
}) {
  return (
    <fieldset class="choices">
      <legend>Confidence</legend>
      {choices.map((choice) => (
        <label key={choice}>
          <input
            type="radio"
            name="confidence"
            checked={chosen === choice}
            onChange={() => onChoose(choice)}
          />
          {choice === '' ? 'Automatic' : percent(Number(choice))}
        </label>
      ))}
    </fieldset>
  );
}
