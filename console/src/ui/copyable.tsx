import { useRef, useState } from 'preact/hooks';

/** A text to copy, such as a command, with the button that copies it. */
export function Copyable({ label, text }: { label: string; text: string }) {
  const shown = useRef<HTMLElement>(null);
  const [said, setSaid] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('Copied.');
    } catch {
      // Browsers lend the clipboard to secure pages only.
      if (shown.current) getSelection()?.selectAllChildren(shown.current);
      setSaid('Selected: press Ctrl+C to copy.');
    }
  };
  return (
    <div class="copyable">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the focus */}
      <pre tabIndex={0} aria-label={label}>
        <code ref={shown}>{text}</code>
      </pre>
      <div class="actions">
        <button type="button" onClick={copy}>
          Copy
        </button>
        <span class="hint" role="status">
          {said}
        </span>
      </div>
    </div>
  );
}
