import {
  answered,
  createRosterClient,
  idempotencyKeys,
  items,
  ProblemError,
  retry,
  TrainingFailedError,
  timeout,
  untilReady,
} from 'roster-client';

// The page's own origin, which forwards requests to the service: see serve.js.
const roster = createRosterClient({ baseUrl: '/api' });
roster.use(timeout(60_000), idempotencyKeys(), retry());

const skillList = the('#skills', HTMLUListElement);
const newSkill = the('#new-skill', HTMLFormElement);
const training = the('#training', HTMLFormElement);

whenSent(newSkill, async (fields) => {
  await answered(
    roster.POST('/projects/{project_name}/skills', {
      params: { path: { project_name: 'default' } },
      body: { skill: { name: textOf(fields, 'name'), type: textOf(fields, 'type') } },
    }),
  );
  await showSkills();
});

whenSent(training, async (fields) => {
  const path = { projectName: 'default', modelName: 'from_the_browser' };
  const table = fields.get('table');
  if (!(table instanceof File)) return;
  await answered(
    roster.PUT('/api/projects/{projectName}/models/{modelName}', {
      params: { path, query: { target: textOf(fields, 'target') } },
      body: table,
      headers: { 'Content-Type': 'text/csv' },
    }),
  );
  const bar = the('progress', HTMLProgressElement, training);
  const model = await untilReady(roster, path, {
    onProgress: ({ progress }) => {
      bar.value = progress;
    },
  });
  let found = model.summary;
  if (model.task === 'regression') {
    found = `explains ${Math.round((model.metrics?.r2 ?? 0) * 100)} % of the variance`;
  } else if (model.task === 'classification') {
    found = `is right in ${Math.round((model.metrics?.accuracy ?? 0) * 100)} % of the rows`;
  }
  the('[name=result]', HTMLOutputElement, training).value = `Ready: from ${model.row_count} rows, it ${found}.`;
});

await showSkills();

async function showSkills() {
  const entries = [];
  const skills = items((query) =>
    roster.GET('/projects/{project_name}/skills', { params: { path: { project_name: 'default' }, query } }),
  );
  for await (const { name, type } of skills) {
    const entry = document.createElement('li');
    entry.textContent = `${name} (${type})`;
    entries.push(entry);
  }
  skillList.replaceChildren(...entries);
}

/**
 * Handles the submission of a form, and shows in the form what went wrong.
 *
 * @param {HTMLFormElement} form
 * @param {(fields: FormData) => Promise<void>} act
 */
function whenSent(form, act) {
  const problem = the('.problem', HTMLOutputElement, form);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    problem.value = '';
    try {
      await act(new FormData(form));
    } catch (error) {
      problem.value = wordsFor(error);
    }
  });
}

/** @param {unknown} error */
function wordsFor(error) {
  if (error instanceof ProblemError) {
    // Some problems name the fields at fault.
    const { problem } = error;
    const faults = 'errors' in problem ? problem.errors : [];
    return [problem.detail, ...faults.map(({ message }) => message)].join('\n');
  }
  if (error instanceof TrainingFailedError) return error.failure;
  return `The service was not reached: ${error}`;
}

/**
 * @param {FormData} fields
 * @param {string} name
 */
function textOf(fields, name) {
  return String(fields.get(name));
}

/**
 * Returns an element of the page, which must exist.
 *
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
