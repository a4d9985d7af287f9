import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Model } from 'roster-client';
import { useAttempt } from '../../session/use-attempt.js';
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
        <button
          type="button"
          onClick={save((element) => new Blob([markdownOf(element, title)]), file('.md'))}
        >
          Download Markdown
        </button>
        <Pictures
          report={report}
          onChoose={(plot) => {
            const words = titleOf(plot).toLowerCase().replace(/\W+/g, '-');
            void save(() => pngFile(plot), file(`-${words}.png`))();
          }}
        />
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

const titleOf = (plot: HTMLElement) => plot.querySelector('h3')?.textContent ?? '';

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
    const find = () =>
      setPlots([...(report.current?.querySelectorAll<HTMLElement>('.figure:has(h3)') ?? [])]);
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
          {titleOf(plot)}
        </option>
      ))}
    </select>
  );
}
