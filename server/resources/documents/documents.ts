import type { Handlers } from '../../api/handlers.js';
import { listPage } from '../../api/list-page.js';
import { PlainText } from '../../api/reply/send.js';
import { type ProblemError, problem, unavailable } from '../../problems/problem.js';
import type { Project } from '../../projects/projects.js';
import { findProject, inProject } from '../../projects/projects.js';
import type { Store } from '../../store/index.js';
import type { FoundSkill } from '../skills.js';
import { findSkill } from '../skills.js';
import {
  discardText,
  listDocuments,
  putDocument,
  readText,
  removeDocument,
  storeText,
} from './document-rows.js';
import { preparePassages } from './split-text.js';

type DocumentOperations = Pick<
  Handlers,
  'listDocuments' | 'getDocument' | 'putDocument' | 'deleteDocument'
>;

/** The types of skills that find passages in documents. */
const TYPES = ['retrieval', 'knowledge_base'];

export function documentOperations(store: Store): DocumentOperations {
  return {
    listDocuments: async ({ caller, params, query, base, reply }) => {
      const project = await findProject(store, caller, params.project_name);
      const { id, name } = await findSkill(store, project, params.skill_name);
      const page = await listPage(
        `${base}/projects/${project.name}/skills/${name}/documents`,
        query,
        (part) => listDocuments(store, id, part),
        (document) => document,
      );
      return reply({ status: 200, ...page });
    },

    getDocument: async ({ caller, params, reply }) => {
      const project = await findProject(store, caller, params.project_name);
      const skill = await findSkill(store, project, params.skill_name);
      const document = await readText(store, skill.id, params.document_name);
      if (!document) throw notFound(params.document_name, skill);
      const { mediaType, pieces } = document;
      return reply({ status: 200, body: new PlainText(`${mediaType}; charset=utf-8`, pieces) });
    },

    putDocument: async ({ caller, params, body, base, reply }) => {
      const { project_name, skill_name, document_name: name } = params;
      // Before the text is stored, which is work; and again when it has been.
      const known = await findProject(store, caller, project_name);
      const { id } = await findDocumentSkill(store, known, skill_name);
      const { mediaType, text: sent } = body;
      const passages = await preparePassages(sent, mediaType === 'text/markdown');
      const bytes = Buffer.byteLength(sent);
      const text = await storeText(store, caller.owner, id, { bytes, passages });
      return inProject(store, caller, project_name, async (tx, project) => {
        const skill = await findDocumentSkill(tx, project, skill_name);
        if (skill.id !== id) throw skillReplaced(skill);
        const { document, isNew } = await putDocument(tx, skill, name, mediaType, text);
        if (!isNew) return reply({ status: 200, body: document });
        const Location = `${base}/projects/${project.name}/skills/${skill.name}/documents/${name}`;
        return reply({ status: 201, body: document, headers: { Location } });
      }).catch(async (error) => {
        await discardText(store, text.textId);
        throw error;
      });
    },

    deleteDocument: ({ caller, params, reply }) =>
      inProject(store, caller, params.project_name, async (tx, project) => {
        const skill = await findSkill(tx, project, params.skill_name);
        const removed = await removeDocument(tx, skill.id, params.document_name);
        if (!removed) throw notFound(params.document_name, skill);
        return reply({ status: 204 });
      }),
  };
}

/**
 * Finds a skill that keeps documents.
 * @throws {ProblemError} if the project has no skill of this name or identifier, or it is of a type that
 *   keeps none
 */
export async function findDocumentSkill(
  store: Store,
  project: Project,
  nameOrId: string,
): Promise<FoundSkill> {
  const skill = await findSkill(store, project, nameOrId);
  if (TYPES.includes(skill.type)) return skill;
  const types = TYPES.join(' or ');
  throw problem(
    '/problems/unusable-skill',
    `A skill of the type "${skill.type}" keeps no documents; send them to one of the type ${types}.`,
    { errors: [{ pointer: '/path/skill_name', message: `must be a skill of the type ${types}` }] },
  );
}

/** The terms of the stored text are those of the skill that has gone. */
function skillReplaced({ name }: FoundSkill): ProblemError {
  return unavailable(`The skill "${name}" was replaced meanwhile; send the document again.`);
}

function notFound(name: string, skill: FoundSkill): ProblemError {
  return problem(
    '/problems/document-not-found',
    `There is no document with the name "${name}" in the skill "${skill.name}".`,
  );
}
