import type { Caller } from '../../auth/caller.js';
import type { Predictors } from '../../models/predictions/predictors.js';
import type { Project } from '../../projects/projects.js';
import type { AnsweringAgent } from '../../resources/agents.js';
import type { Store } from '../../store/index.js';
import type { AnswerBounds } from '../bounds.js';
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
 * @throws the reason of `signal`
 */
export async function toolKit(
  skills: readonly Skill[],
  services: ToolServices,
  caller: Caller,
  project: Project,
  bounds: AnswerBounds,
  signal: AbortSignal,
): Promise<ToolKit> {
  const withTool = skills.filter(({ type }) => TOOL_TYPES.has(type));
  const names = toolNames(withTool.slice(0, bounds.tools).map(({ name }) => name));
  // At once: a database that does not answer makes the others wait no longer.
  const made = await Promise.all(
    withTool.slice(0, bounds.tools).map(async (skill, index) => {
      const toolSkill = { ...skill, toolName: names[index] ?? skill.id };
      const tool = await madeOrReason(() => toolOf(toolSkill, services, caller, project, signal));
      return { skill, tool };
    }),
  );
  signal.throwIfAborted();
  const plain = skills.filter(({ type }) => !TOOL_TYPES.has(type)).map(plainSkill);
  return { ...withinBounds(made, withTool.slice(bounds.tools), bounds), plain };
}

/** A skill, and its tool or the reason why it cannot be used now. */
interface Made {
  readonly skill: Skill;
  readonly tool: Tool | string;
}

async function madeOrReason(make: () => Promise<Tool> | Tool): Promise<Tool | string> {
  try {
    return await make();
  } catch (error) {
    if (error instanceof ToolError) return error.message;
    throw error;
  }
}

/** Chooses the tools whose definitions are not too large together. */
function withinBounds(
  made: readonly Made[],
  leftOut: readonly Skill[],
  { tools: most, definitionBytes }: AnswerBounds,
): Omit<ToolKit, 'plain'> {
  const tools: Tool[] = [];
  const types = new Set<string>();
  const missing: MissingTool[] = [];
  let bytes = 0;
  for (const { skill, tool } of made) {
    const { name, type } = skill;
    if (typeof tool === 'string') {
      missing.push({ skill: name, reason: tool });
      continue;
    }
    const size = sizeOf(tool);
    if (bytes + size > definitionBytes) {
      missing.push({ skill: name, reason: 'The tools before it are too large together.' });
      continue;
    }
    bytes += size;
    tools.push(tool);
    types.add(type === 'knowledge_base' ? 'retrieval' : type);
  }
  const [first] = leftOut;
  if (first) {
    const reason = `An answer has at most ${most} tools; this one and those after it are left out.`;
    missing.push({ skill: first.name, reason });
  }
  return { tools, types, missing };
}

function sizeOf({ name, description, parameters }: Tool): number {
  return Buffer.byteLength(JSON.stringify({ name, description, parameters }));
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
  if (skill.type !== 'sql') return retrievalTool(skill, store.passages, owner);
  if (!sql) {
    throw new ToolError(
      'The service has no databases; those who run it can name some (DATABASES).',
    );
  }
  return sql.create(skill, owner, signal);
}

/** The most characters of the description of a skill that is not a tool. */
const MAX_DESCRIPTION = 1000;

function plainSkill({ name, type, params }: Skill): PlainSkill {
  const { description } = params;
  const isText = typeof description === 'string';
  return { name, type, description: isText ? description.slice(0, MAX_DESCRIPTION) : undefined };
}

/** The longest name of a tool. */
const MAX_NAME = 64;

/** Returns names for tools in the characters that chat servers allow, each unlike the others. */
function toolNames(skills: readonly string[]): string[] {
  const taken = new Set<string>();
  for (const skill of skills) {
    const allowed = skill.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, MAX_NAME);
    let name = allowed;
    for (let number = 2; taken.has(name); number += 1) {
      name = `${allowed.slice(0, MAX_NAME - `_${number}`.length)}_${number}`;
    }
    taken.add(name);
  }
  return [...taken];
}
