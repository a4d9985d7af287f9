import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Model } from 'roster-client';
import { useAttempt } from '../../session/use-attempt.js';
import { ErrorNotice } from '../../ui/error-notice.js';
import { time } from '../../ui/format.js';
import { saveFile } from '../../ui/save-file.js';
import { ModelFrame } from '../model-frame.js';
import { CONTROLS, htmlFile, pngFile } from './page-files.js';

/**
 * A model's quality as one page to print and to hand on, without the service.
 * @param children shows the quality
 */
export function ReportView({
  project,
  model,
  children,
}: {
  project: string;
  model: string;
  children: (model: Model) => ComponentChildren;
}) {
  return (
    <ModelFrame project={project} model={model} tab="quality">
      {(shown) => (
        <Report key={shown.version} project={project} model={shown}>
          {children(shown)}
        </Report>
      )}
    </ModelFrame>
  );
}

function Report({ project, model, children }: { project: string; model: Model; children: ComponentChildren }) {
  const { name, version, target, updated_at } = model;
  const report = useRef<HTMLDivElement>(null);
  const { error, attempt } = useAttempt();
  const title = `Quality of ${name}`;
  const file = (ending: string) => `${name}-v${version}${ending}`;
  const save = (make: (element: HTMLElement) => Blob | Promise<Blob>, fileName: string) => () =>
    attempt(async () => {
      if (report.current) saveFile(await make(report.current), fileName);
    });
  return (
    <>
      <div class="actions report-actions">
        <button type="button" class="primary" onClick={() => print()}>
          Print or save as PDF
        </button>
        <button type="button" onClick={save((element) => htmlFile(element, title), file('.html'))}>
          Download HTML
        </button>
        <button type="button" onClick={save((element) => new Blob([writeMarkdown(element, title)]), file('.md'))}>
          Download Markdown
        </button>
        <Pictures
          report={report}
          onChoose={(plot) => {
            const words = readTitle(plot).toLowerCase().replace(/\W+/g, '-');
            void save(() => pngFile(plot), file(`-${words}.png`))();
          }}
        />
      </div>
      {error !== null && <ErrorNotice error={error} />}
      <div class="report" ref={report}>
        <p class="faint">
          {target} is predicted by version {version} of the model {name} in the project {project}, trained on{' '}
          {time(updated_at)}.
        </p>
        {children}
      </div>
    </>
  );
}

const readTitle = (plot: HTMLElement) => plot.querySelector('h3')?.textContent ?? '';

/** Chooses one of the plots of a report, to save it as a picture. */
function Pictures({
  report,
  onChoose,
}: {
  report: { readonly current: HTMLElement | null };
  onChoose: (plot: HTMLElement) => void;
}) {
  const [plots, setPlots] = useState<readonly HTMLElement[]>([]);
  // Some plots appear when their code is loaded.
  useEffect(() => {
    const find = () => setPlots([...(report.current?.querySelectorAll<HTMLElement>('.figure:has(h3)') ?? [])]);
    const observer = new MutationObserver(find);
    if (report.current) observer.observe(report.current, { childList: true, subtree: true });
    find();
    return () => observer.disconnect();
  }, []);
  return (
    <select
      aria-label="Download a plot as PNG"
      value=""
      onChange={({ currentTarget: select }) => {
        const plot = plots[Number(select.value)];
        select.value = '';
        if (plot) onChoose(plot);
      }}
    >
      <option value="">Download a plot …</option>
      {plots.map((plot, index) => (
        <option key={index} value={index}>
          {readTitle(plot)}
        </option>
      ))}
    </select>
  );
}

/** Returns what a part of the page says as Markdown: headings, texts, lists and tables. */
function writeMarkdown(part: Element, title: string): string {
  const blocks = [`# ${escapeText(title)}`, ...[...part.children].flatMap(writeBlocks)];
  return `${blocks.filter(Boolean).join('\n\n')}\n`;
}

/** Elements that only arrange others, or that a text has no use for. */
const SKIPPED = `svg, summary, ${CONTROLS}`;

function writeBlocks(element: Element): string[] {
  if (element.matches(SKIPPED)) return [];
  const heading = /^H([1-6])$/.exec(element.tagName);
  if (heading) return [`${'#'.repeat(Number(heading[1]))} ${readText(element)}`];
  if (element.matches('table')) return [writeTable(rowsIn(element, 'tr', 'th, td'))];
  if (element.matches('ul.bars')) {
    return [writeTable([['', ''], ...rowsIn(element, 'li', '.bar-name, .bar-value')])];
  }
  if (element.matches('dl')) return [writeTable([['', ''], ...rowsIn(element, 'div', 'dt, dd')])];
  if (element.matches('ul, ol')) {
    return [[...element.children].map((item) => `- ${readText(item)}`).join('\n')];
  }
  if (element.matches('p, figcaption:not(:has(*))')) return [readText(element)];
  return [...element.children].flatMap(writeBlocks);
}

const rowsIn = (element: Element, row: string, cell: string) =>
  [...element.querySelectorAll(row)].map((each) => [...each.querySelectorAll(cell)].map(readText));

/** Writes a table, whose first row is its head. */
function writeTable([head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const readText = ({ textContent }: Element) => escapeText((textContent ?? '').replace(/\s+/g, ' ').trim());

/** Keeps names of columns and classes from being read as Markdown or HTML. */
const escapeText = (text: string) => text.replace(/[\\`*_[\]<>|#~]/g, '\\$&');
