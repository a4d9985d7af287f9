/**
 * A page that lists, creates and edits skills, trains a model from a file, and predicts a row. It is the same for
 * both mocks and the service: `?service=` in its address is all that changes.
 */
import {
  answered,
  apiKey,
  createRosterClient,
  idempotencyKeys,
  ProblemError,
  pages,
  retry,
  timeout,
  trainFile,
  untilReady,
} from 'roster-client';

const parameters = new URLSearchParams(location.search);
const service = parameters.get('service') ?? 'http://127.0.0.1:4010';
/** For developing: `?prefer=code=409` asks the mock for the answer 409. A service ignores it. */
const prefer = parameters.get('prefer');

const SKILL = '/projects/{project_name}/skills/{skill_name}';
const SKILLS = '/projects/{project_name}/skills';
const MODEL = { projectName: 'default', modelName: 'prices' };

const settings = the('#service', HTMLFormElement);
const skillList = the('#skills', HTMLUListElement);
const more = the('#more', HTMLButtonElement);
const notice = the('#notice', HTMLOutputElement);
const edited = the('#edited', HTMLFormElement);
const training = the('#training', HTMLFormElement);
const row = the('#row', HTMLFormElement);

const roster = createRosterClient({ baseUrl: service });
roster.use(
  {
    onRequest({ request }) {
      if (prefer) request.headers.set('Prefer', prefer);
    },
  },
  timeout(60_000),
  apiKey(() => textOf(new FormData(settings), 'key') || undefined),
  idempotencyKeys(),
  retry(),
);

the('code', HTMLElement, settings).textContent = service;
whenSent(settings, showSkills);

// Skills, page by page.

/** @type {AsyncGenerator<import('roster-client').Skill[], void> | undefined} */
let furtherPages;

async function showSkills() {
  const limit = Number(textOf(new FormData(settings), 'limit'));
  furtherPages = pages((query) => roster.GET(SKILLS, { params: { path: { project_name: 'default' }, query } }), {
    limit,
  });
  skillList.replaceChildren();
  await showPage(await furtherPages.next());
}

/** Shows a page, and reads the next one, which tells whether there is one. */
async function showPage(/** @type {IteratorResult<import('roster-client').Skill[], void>} */ page) {
  for (const skill of page.value ?? []) skillList.append(entryOf(skill));
  const next = await furtherPages?.next();
  more.hidden = !next || next.done === true;
  if (next) more.onclick = () => showPage(next).catch(report);
}

/** @param {import('roster-client').Skill} skill */
function entryOf({ name, type }) {
  const entry = document.createElement('li');
  const text = document.createElement('span');
  text.textContent = `${name} (${type})`;
  const edit = document.createElement('button');
  edit.textContent = 'Edit';
  edit.ariaLabel = `Edit ${name}`;
  edit.onclick = () => open(name).catch(report);
  entry.append(text, edit);
  return entry;
}

// A change that does not overwrite the change of someone else.

/** The skill that is edited, and its version. */
let name = '';
let etag = '';

/** @param {string} skill */
async function open(skill) {
  notice.value = '';
  clear(edited);
  const { data, error, response } = await roster.GET(SKILL, {
    params: { path: { project_name: 'default', skill_name: skill } },
  });
  if (error) throw new ProblemError(error, response);
  name = skill;
  etag = response.headers.get('ETag') ?? '';
  the('h3', HTMLHeadingElement, edited).textContent = name;
  field(edited, 'type').value = data.type;
  reread.hidden = true;
  edited.hidden = false;
}

const reread = the('[name=reread]', HTMLButtonElement, edited);
reread.onclick = () => open(name).then(showSkills).catch(report);

whenSent(edited, async (fields) => {
  const params = { path: { project_name: 'default', skill_name: name }, header: { 'If-Match': etag } };
  const body = { skill: { type: textOf(fields, 'type') } };
  const { error, response } = await roster.PUT(SKILL, { params, body });
  reread.hidden = error?.type !== '/problems/precondition-failed';
  if (error?.type === '/problems/skill-not-found') return report(new ProblemError(error, response));
  if (error) throw new ProblemError(error, response);
  etag = response.headers.get('ETag') ?? '';
  output(edited, 'saved').value = `${name} is saved.`;
  await showSkills();
});

/**
 * Shows what went wrong with a skill of the list.
 * @param {unknown} error
 */
function report(error) {
  notice.value = wordsFor(error);
  if (!isProblem(error, '/problems/skill-not-found')) return;
  // Someone has deleted it.
  edited.hidden = true;
  showSkills().catch(report);
}

whenSent(the('#new-skill', HTMLFormElement), async (fields, form) => {
  const { name } = await answered(
    roster.POST(SKILLS, {
      params: { path: { project_name: 'default' } },
      body: { skill: { name: textOf(fields, 'name'), type: textOf(fields, 'type') } },
    }),
  );
  output(form, 'created').value = `${name} is created.`;
  await showSkills();
});

// A model.

whenSent(training, async (fields) => {
  const table = fields.get('table');
  if (!(table instanceof File)) return;
  row.hidden = true;
  await trainFile(roster, MODEL, table, { target: textOf(fields, 'target') });
  const bar = the('progress', HTMLProgressElement, training);
  bar.value = 0;
  bar.hidden = false;
  const model = await untilReady(roster, MODEL, {
    onProgress: ({ progress }) => {
      bar.value = progress;
    },
  }).finally(() => {
    bar.hidden = true;
  });
  output(training, 'trained').value = `${model.name} is ready, from ${model.row_count} rows.`;
  const inputs = (model.columns ?? []).filter(({ used }) => used).map(inputOf);
  the('.columns', HTMLDivElement, row).replaceChildren(...inputs);
  output(row, 'prediction').value = '';
  row.hidden = false;
});

/** @param {import('roster-client').Column} column */
function inputOf({ name, kind, min, categories }) {
  const label = document.createElement('label');
  const input = document.createElement('input');
  input.name = name;
  if (kind === 'number') input.inputMode = 'decimal';
  input.value = String(categories?.[0] ?? min ?? '');
  label.append(name, input);
  return label;
}

whenSent(row, async (fields) => {
  const rows = await answered(
    roster.POST('/api/projects/{projectName}/models/{modelName}/predict', {
      params: { path: MODEL },
      // Numbers may be sent as text.
      body: [Object.fromEntries(fields)],
    }),
  );
  const target = textOf(new FormData(training), 'target');
  const predicted = rows[0];
  if (!predicted) return;
  const [value, min, max, confidence] = ['', '_min', '_max', '_confidence'].map((end) => predicted[target + end]);
  // A class has no interval.
  const interval = min === null ? '' : `, from ${min} to ${max}`;
  output(row, 'prediction').value = `${target}: ${value}${interval}, with a confidence of ${confidence}`;
});

// Forms and their problems.

/**
 * Handles the submission of a form, and shows in the form what went wrong.
 * @param {HTMLFormElement} form
 * @param {(fields: FormData, form: HTMLFormElement) => Promise<void>} act
 */
function whenSent(form, act) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    clear(form);
    const fields = new FormData(form);
    const button = the('button', HTMLButtonElement, form);
    button.disabled = true;
    try {
      await act(fields, form);
    } catch (error) {
      explain(form, error);
    } finally {
      button.disabled = false;
    }
  });
}

/** @param {HTMLFormElement} form */
function clear(form) {
  for (const shown of form.querySelectorAll('output')) shown.value = '';
  for (const input of form.querySelectorAll('[aria-invalid]')) input.removeAttribute('aria-invalid');
}

/**
 * Shows each fault beside its field, and what belongs to no field below the form.
 * @param {HTMLFormElement} form
 * @param {unknown} error
 */
function explain(form, error) {
  const faults = faultsOf(error);
  const others = faults.filter(({ pointer, message }) => !mark(form, pointer, message));
  const isExplained = faults.length > 0 && others.length === 0;
  const lines = others.map(({ pointer, message }) => `${pointer} ${message}`.trim());
  if (!isExplained) the(':scope > .fault', HTMLOutputElement, form).value = [wordsFor(error), ...lines].join('\n');
}

/**
 * @param {unknown} error
 * @returns {readonly { pointer: string; message: string }[]}
 */
function faultsOf(error) {
  if (!(error instanceof ProblemError)) return [];
  const { problem } = error;
  // A name that is taken is a fault of one field too.
  if (problem.type === '/problems/name-taken') return [{ pointer: '/body/skill/name', message: problem.detail }];
  if (!('errors' in problem)) return [];
  return problem.errors.map((fault) => ({ pointer: '', ...fault }));
}

/**
 * Shows a message beside the field that a pointer such as `/body/skill/name` leads to, if there is one.
 * @param {HTMLFormElement} form
 * @param {string} pointer
 * @param {string} message
 */
function mark(form, pointer, message) {
  const input = form.elements.namedItem(pointer.slice(pointer.lastIndexOf('/') + 1));
  const fault = input instanceof HTMLInputElement && input.labels?.[0]?.querySelector('output');
  if (!fault) return false;
  input.setAttribute('aria-invalid', 'true');
  fault.value = message;
  return true;
}

/** @param {unknown} error */
function wordsFor(error) {
  if (error instanceof ProblemError) return error.problem.detail;
  return error instanceof Error ? error.message : String(error);
}

/**
 * @param {unknown} error
 * @param {string} type
 */
function isProblem(error, type) {
  return error instanceof ProblemError && error.problem.type === type;
}

/**
 * @param {FormData} fields
 * @param {string} name
 */
function textOf(fields, name) {
  return String(fields.get(name) ?? '');
}

/**
 * @param {HTMLFormElement} form
 * @param {string} name
 */
function output(form, name) {
  return the(`output[name=${name}]`, HTMLOutputElement, form);
}

/**
 * @param {HTMLFormElement} form
 * @param {string} name
 */
function field(form, name) {
  return the(`input[name=${name}]`, HTMLInputElement, form);
}

/**
 * Returns an element of the page, which must exist.
 * @template {Element} T
 * @param {string} selector
 * @param {new () => T} kind
 * @param {ParentNode} within
 * @returns {T}
 */
function the(selector, kind, within = document) {
  const element = within.querySelector(selector);
  if (!(element instanceof kind)) throw new TypeError(`The page has no ${selector}`);
  return element;
}
