import { useRef, useState } from 'preact/hooks';

/** A text to copy, such as a command, with the button that copies it. */
export function Copyable({
  label,
  text,
}: {
  /** The name of the button; begins with "Copy". */
  label: string;
  text: string;
}) {
  const shown = useRef<HTMLElement>(null);
  const [said, setSaid] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('Copied.');
    } catch {
      // Browsers lend the clipboard to secure pages only.
      if (shown.current) getSelection()?.selectAllChildren(shown.current);
      setSaid('Selected. Press Ctrl+C to copy.');
    }
  };
  return (
    <div class="copyable">
      <pre>
        <code ref={shown}>{text}</code>
      </pre>
      <div class="actions">
        <button type="button" aria-label={label} onClick={copy}>
          Copy
        </button>
        <span class="hint" role="status">
          {said}
        </span>
      </div>
    </div>
  );
}
