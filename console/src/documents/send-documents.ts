import { useRef, useState } from 'preact/hooks';
import { answered } from 'roster-client';
import { roster } from '../session/roster.js';
import { nameFrom } from '../training/model-name.js';

/** The skill that documents belong to. */
export interface SkillPath {
  readonly project_name: string;
  readonly skill_name: string;
}

/** The types of files that can be documents, as in the attribute `accept`. */
export const DOCUMENT_TYPES = '.txt,.md,.markdown,text/plain,text/markdown';

/** The contract's address of a document. */
export const DOCUMENT = '/projects/{project_name}/skills/{skill_name}/documents/{document_name}';

/**
 * Keeps a text as a document.
 * @returns whether it is new; otherwise it replaced another text
 * @throws ProblemError if the service refuses it
 */
export async function putDocument(path: SkillPath, name: string, text: string): Promise<boolean> {
  const isMarkdown = /\.(md|markdown)$/i.test(name);
  const put = roster.PUT(DOCUMENT, {
    params: { path: { ...path, document_name: name } },
    headers: { 'Content-Type': isMarkdown ? 'text/markdown' : 'text/plain' },
    body: text,
  });
  await answered(put);
  return (await put).response.status === 201;
}

/** A file that is sent, or was. */
export interface Sending {
  readonly fileName: string;
  readonly name: string;
  readonly state: 'waiting' | 'sending' | 'created' | 'replaced' | 'refused';
  readonly reason?: string;
}

/**
 * Sends files as documents, one after the other.
 * @param onSent called after each document that was kept
 */
export function useSendings(path: SkillPath, onSent: () => void) {
  const [sendings, setSendings] = useState<readonly Sending[]>([]);
  const all = useRef<Sending[]>([]);
  const last = useRef(Promise.resolve());

  const add = (file: File) => {
    const fileName = file.name;
    const name = nameFrom(fileName, 'document.txt');
    const index = all.current.length;
    const set = (change: Pick<Sending, 'state' | 'reason'>) => {
      all.current[index] = { fileName, name, ...change };
      setSendings([...all.current]);
    };
    const other = all.current.find((sending) => sending.name === name);
    if (other && other.fileName !== fileName)
      return set({
        state: 'refused',
        reason: `“${other.fileName}” has the same name as a document, ${name}. Rename one of them.`,
      });
    set({ state: 'waiting' });
    const send = async () => {
      set({ state: 'sending' });
      try {
        const isNew = await putDocument(path, name, await readText(file));
        set({ state: isNew ? 'created' : 'replaced' });
        onSent();
      } catch (error) {
        set({ state: 'refused', reason: error instanceof Error ? error.message : String(error) });
      }
    };
    last.current = last.current.then(send);
  };
  return { sendings, add };
}

/** The most bytes of a document, by the contract. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Reads the text of a file.
 * @throws RangeError with the reason why the service would refuse it
 */
async function readText(file: File): Promise<string> {
  if (file.size > MAX_BYTES) throw new RangeError('It has more than 4 MiB. Split it into several documents.');
  if (file.size === 0) throw new RangeError('It is empty.');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  } catch (error) {
    // Decoding fails with a TypeError, reading with a DOMException.
    if (!(error instanceof TypeError)) throw error;
    throw new RangeError('It is not text in UTF-8. Save it as UTF-8, and send it again.');
  }
  if (text.includes('\0')) throw new RangeError('It has characters U+0000, which no text has. Is it a text file?');
  return text;
}
