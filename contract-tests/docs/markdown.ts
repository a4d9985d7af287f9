/** The documentation of the repository, as its tests read it. */
import { readdirSync, readFileSync } from 'node:fs';
import { root } from '../../testkit/root.js';

/** A fenced block of code. */
export interface CodeBlock {
  readonly language: string;
  readonly code: string;
}

export interface MarkdownPage {
  /** From the root of the repository, such as `docs/api.md`. */
  readonly path: string;
  readonly blocks: readonly CodeBlock[];
  /** The page without its blocks. */
  readonly prose: string;
}

const BLOCK = /^```(\w+)\n(.*?)^```$/gms;

export function markdownPage(path: string, text: string): MarkdownPage {
  const blocks = [...text.matchAll(BLOCK)].map(([, language = '', code = '']) => ({ language, code }));
  return { path, blocks, prose: text.replaceAll(BLOCK, '') };
}

/** Reads every page of the documentation. */
export function markdownPages(): MarkdownPage[] {
  const inDocs = readdirSync(new URL('docs', root), { recursive: true, encoding: 'utf8' });
  const folders = [
    ...['', 'bench/', 'client/', 'console/', 'contract-tests/', 'datasets/', 'examples/'],
    ...['prediction/', 'prediction/src/', 'server/', 'tools/'],
  ];
  const readmes = folders.flatMap((folder) => readdirSync(new URL(folder, root)).map((name) => folder + name));
  return [...readmes, ...inDocs.map((name) => `docs/${name}`)]
    .filter((path) => path.endsWith('.md'))
    .map((path) => markdownPage(path, readFileSync(new URL(path, root), 'utf8')));
}
