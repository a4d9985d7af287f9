/** A text of the contract, whose backticks become code. */
export function Prose({ text }: { text: string }) {
  return (
    <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={`${index}${part}`}>{part}</code> : part))}</>
  );
}
