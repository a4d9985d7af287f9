import { useEffect, useRef, useState } from 'preact/hooks';

/** A place to drop files on, with a button that chooses them. The whole page takes the files. */
export function DropZone({
  label,
  accept,
  isMany = false,
  isReading = false,
  onFile,
}: {
  /** The invitation, such as "Drop a CSV file here". */
  label: string;
  /** The file types to choose from, as in the attribute `accept`. */
  accept: string;
  /** Takes several files at once; otherwise the first. */
  isMany?: boolean;
  /** True while a file is read. Another one can be chosen meanwhile. */
  isReading?: boolean;
  /** Called with each file. */
  onFile: (file: File) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const take = (files: FileList | null | undefined) => {
    for (const file of [...(files ?? [])].slice(0, isMany ? undefined : 1)) onFile(file);
  };
  // A browser opens a file that is dropped beside the zone, and leaves the page.
  useEffect(() => {
    const over = (event: DragEvent) => {
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    const drop = (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      take(event.dataTransfer?.files);
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  });
  return (
    <div class={isOver ? 'drop-zone over' : 'drop-zone'}>
      <p role="status">{isReading ? 'Reading the file …' : label}</p>
      <button type="button" onClick={() => input.current?.click()}>
        {isMany ? 'Choose files' : 'Choose a file'}
      </button>
      <input
        ref={input}
        type="file"
        accept={accept}
        multiple={isMany}
        hidden
        aria-label={label}
        onChange={(event) => {
          take(event.currentTarget.files);
          // The same file can be chosen again after it was changed.
          event.currentTarget.value = '';
        }}
      />
    </div>
  );
}
