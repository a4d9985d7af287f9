import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Model } from 'roster-client';
import { ErrorNotice } from '../../ui/error-notice.js';
import { time } from '../../ui/format.js';
import { saveFile } from '../../ui/save-file.js';
import { ModelFrame } from '../model-frame.js';
import { markdownOf } from './markdown.js';
import { htmlFile, pngFile } from './page-files.js';

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

function Report({
  project,
  model,
  children,
}: {
  project: string;
  model: Model;
  children: ComponentChildren;
}) {
  const { name, version, target, updated_at } = model;
  const report = useRef<HTMLDivElement>(null);
  const [error, setError] = useState<unknown>(null);
  const title = `Quality of ${name}`;
  const file = (ending: string) => `${name}-v${version}${ending}`;
  const save =
    (make: (element: HTMLElement) => Blob | Promise<Blob>, fileName: string) => async () => {
      const { current } = report;
      if (current === null) return;
      setError(null);
      try {
        saveFile(await make(current), fileName);
      } catch (reason) {
        setError(reason);
      }
    };
  return (
    <>
      <div class="actions report-actions">
        <button type="button" class="primary" onClick={() => print()}>
          Print or save as PDF
        </button>
        <button type="button" onClick={save((element) => htmlFile(element, title), file('.html'))}>
          Download HTML
        </button>
        <button
          type="button"
          onClick={save((element) => new Blob([markdownOf(element, title)]), file('.md'))}
        >
          Download Markdown
        </button>
        <Pictures report={report} nameOf={(plot) => file(`-${plot}.png`)} onError={setError} />
      </div>
      {error !== null && <ErrorNotice error={error} />}
      <div class="report" ref={report}>
        <p class="faint">
          {target} is predicted by version {version} of the model {name} in the project {project},
          trained on {time(updated_at)}.
        </p>
        {children}
      </div>
    </>
  );
}

/** Saves one of the plots of a report as a picture. */
function Pictures({
  report,
  nameOf,
  onError,
}: {
  report: { readonly current: HTMLElement | null };
  nameOf: (plot: string) => string;
  onError: (error: unknown) => void;
}) {
  const [plots, setPlots] = useState<readonly HTMLElement[]>([]);
  // Some plots appear when their code is loaded.
  useEffect(() => {
    const find = () =>
      setPlots([...(report.current?.querySelectorAll<HTMLElement>('.figure:has(h3)') ?? [])]);
    const observer = new MutationObserver(find);
    if (report.current) observer.observe(report.current, { childList: true, subtree: true });
    find();
    return () => observer.disconnect();
  }, []);
  const titleOf = (plot: HTMLElement) => plot.querySelector('h3')?.textContent ?? '';
  const save = async (plot: HTMLElement) => {
    onError(null);
    try {
      const words = titleOf(plot).toLowerCase().replace(/\W+/g, '-');
      saveFile(await pngFile(plot), nameOf(words));
    } catch (reason) {
      onError(reason);
    }
  };
  return (
    <select
      aria-label="Download a plot as PNG"
      value=""
      onChange={({ currentTarget: select }) => {
        const plot = plots[Number(select.value)];
        select.value = '';
        if (plot) void save(plot);
      }}
    >
      <option value="">Download a plot …</option>
      {plots.map((plot, index) => (
        <option key={index} value={index}>
          {titleOf(plot)}
        </option>
      ))}
    </select>
  );
}
