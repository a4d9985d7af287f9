import type { Caller } from '../../auth/caller.js';
import type { AnsweringAgent, Project, Store } from '../../store/index.js';
import type { Predictors } from '../../training/predictors.js';
import type { MissingTool, PlainSkill } from '../prompt.js';
import { type Tool, ToolError } from '../tool.js';
import { modelTool } from './model-tool.js';
import { retrievalTool } from './retrieval-tool.js';
import type { SqlTools } from './sql-tool.js';
import type { ToolSkill } from './tool-skill.js';

type Skill = AnsweringAgent['skills'][number];

/** The services behind tools. */
export interface ToolServices {
  readonly store: Store;
  readonly predictors: Predictors;
  /** Undefined if the service has no databases. */
  readonly sql: SqlTools | undefined;
  /** Called for each row that a tool predicts. */
  readonly onPredicted: () => void;
}

/** The skills of an agent, as an answer uses them. */
export interface ToolKit {
  readonly tools: readonly Tool[];
  /** The types of the skills that have a tool; `knowledge_base` counts as `retrieval`. */
  readonly types: ReadonlySet<string>;
  readonly plain: readonly PlainSkill[];
  readonly missing: readonly MissingTool[];
}

/** The types of skills that are tools. */
const TOOL_TYPES: ReadonlySet<string> = new Set(['model', 'sql', 'retrieval', 'knowledge_base']);

/**
 * Makes the tools of an agent's skills, within what the key of the caller allows.
 * @param most the most tools
 * @throws the reason of `signal`
 */
export async function toolKit(
  skills: readonly Skill[],
  services: ToolServices,
  caller: Caller,
  project: Project,
  most: number,
  signal: AbortSignal,
): Promise<ToolKit> {
  const tools: Tool[] = [];
  const types = new Set<string>();
  const missing: MissingTool[] = [];
  const withTool = skills.filter(({ type }) => TOOL_TYPES.has(type));
  for (const skill of withTool.slice(0, most)) {
    try {
      const toolName = uniqueName(skill.name, tools);
      tools.push(await toolOf({ ...skill, toolName }, services, caller, project, signal));
      types.add(skill.type === 'knowledge_base' ? 'retrieval' : skill.type);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ToolError)) throw error;
      missing.push({ skill: skill.name, reason: error.message });
    }
  }
  const [leftOut] = withTool.slice(most);
  if (leftOut) {
    const reason = `an answer has at most ${most} tools; this one and those after it are left out.`;
    missing.push({ skill: leftOut.name, reason });
  }
  const plain = skills.filter(({ type }) => !TOOL_TYPES.has(type)).map(plainSkill);
  return { tools, types, missing, plain };
}

function toolOf(
  skill: ToolSkill,
  { store, predictors, sql, onPredicted }: ToolServices,
  { owner, scopes }: Caller,
  { id: projectId, name: projectName }: Project,
  signal: AbortSignal,
): Promise<Tool> | Tool {
  if (skill.type === 'model') {
    const place = { store, predictors, onPredicted, owner, projectId, projectName };
    return modelTool(skill, place, scopes.includes('predict'));
  }
  if (skill.type !== 'sql') return retrievalTool(skill, store.documents);
  if (!sql) {
    throw new ToolError(
      'the service has no databases; those who run it can name some (DATABASES).',
    );
  }
  return sql.create(skill, owner, signal);
}

/** The most characters of the description of a skill that is no tool. */
const MAX_DESCRIPTION = 1000;

function plainSkill({ name, type, params }: Skill): PlainSkill {
  const { description } = params;
  const isText = typeof description === 'string';
  return { name, type, description: isText ? description.slice(0, MAX_DESCRIPTION) : undefined };
}

/** The longest name of a tool. */
const MAX_NAME = 64;

/** Returns the name of a skill in the characters that chat servers allow, unlike the other tools'. */
function uniqueName(skill: string, others: readonly Tool[]): string {
  const allowed = skill.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, MAX_NAME);
  const taken = new Set(others.map(({ name }) => name));
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `_${number}`;
    const name = allowed.slice(0, MAX_NAME - suffix.length) + suffix;
    if (!taken.has(name)) return name;
  }
}
