import type { Passage, Usage } from 'roster-client';
import { Scrolling, Table } from '../plots/table.js';
import { href } from '../router/route.js';
import { count, number } from '../ui/format.js';
import type { Part, ToolUse } from './exchange.js';

/** The parts of an answer before its text: remarks, and each use of a tool. */
export function Parts({ parts }: { parts: readonly Part[] }) {
  return (
    <>
      {parts.map((part, index) =>
        part.kind === 'remark' ? (
          <p key={`${index}${part.kind}`} class="remark content">
            {part.text}
          </p>
        ) : (
          <Use key={`${index}${part.kind}`} use={part.use} />
        ),
      )}
    </>
  );
}

/** A table of Markdown: lines of cells between bars, the second of which underlines the head. */
const TABLE = /^(\|.*\n\|[-| :]+(?:\n\|.*)*)/m;

const cellsOf = (line: string) => line.split('|').slice(1, -1);

/** The text of an answer. Language models write tables in Markdown, which a screen reader could not follow. */
export function Prose({ text }: { text: string }) {
  return text.split(TABLE).map((part, at) => {
    if (at % 2 === 0) return part.trim() && <p class="content">{part.trim()}</p>;
    const [head = [], , ...rows] = part.split('\n').map(cellsOf);
    return (
      <Scrolling label="Table">
        <Table head={head} rows={rows} />
      </Scrolling>
    );
  });
}

/** The use of a tool. One that failed is open. */
function Use({ use: { tool, input, end } }: { use: ToolUse }) {
  return (
    <details class={end?.isError ? 'step failed' : 'step'} open={end?.isError}>
      <summary>
        <code>{tool}</code> <span class="faint">{end ? duration(end.milliseconds) : 'running …'}</span>
        {end?.isError && <strong> failed</strong>}
      </summary>
      <p class="hint">Input</p>
      <pre>{writeJson(input)}</pre>
      {end && (
        <>
          <p class="hint">{end.isError ? 'Error' : 'Result'}</p>
          <pre>{end.output}</pre>
        </>
      )}
    </details>
  );
}

/** Returns a value as JSON, in lines. */
const writeJson = (value: unknown) => JSON.stringify(value, null, 2) ?? '';

const MS_PER_SECOND = 1000;

const duration = (ms: number) => (ms < MS_PER_SECOND ? number(ms, 'ms') : number(Math.round(ms / 100) / 10, 's'));

/** The passages that an answer rests on. */
export function Passages({ project, passages }: { project: string; passages: readonly Passage[] }) {
  if (passages.length === 0) return null;
  return (
    <details class="step">
      <summary>{count(passages.length, 'passage')} found</summary>
      <Table
        head={['Document', 'Passage', 'Text']}
        rows={passages.map(({ skill, document, passage, content }) => [
          <a href={href(['projects', project, 'skills', skill, 'documents', document])}>{document}</a>,
          passage,
          <span class="content">{content}</span>,
        ])}
      />
    </details>
  );
}

/** The requests and tokens that an answer took. */
export function UsageLine({ usage: { requests, total_tokens } }: { usage: Usage }) {
  return (
    <p class="hint">
      {count(requests, 'request')} to the chat server
      {total_tokens !== null && `, ${count(total_tokens, 'token')}`}
    </p>
  );
}
