import type { Caller } from '../../auth/caller.js';
import type { Project } from '../../projects/projects.js';
import type { AnsweringAgent } from '../../resources/agents.js';
import type { PassageSearch } from '../../resources/documents/passage-search.js';
import { type ModelToolServices, modelTool } from './model-tool.js';
import { retrievalTool } from './retrieval-tool.js';
import type { SqlTools } from './sql-tool.js';
import {
  type AgentTools,
  type PlainSkill,
  type Tool,
  ToolError,
  type ToolSkill,
  toolFailure,
} from './tool.js';

type Skill = AnsweringAgent['skills'][number];

/** The services behind tools. */
export interface ToolServices extends ModelToolServices {
  readonly passages: PassageSearch;
  /** Undefined if the service has no databases. */
  readonly sql: SqlTools | undefined;
}

/** The types of skills that are tools. */
const TOOL_TYPES: ReadonlySet<string> = new Set(['model', 'sql', 'retrieval', 'knowledge_base']);

/** The most tools that an answer offers, and the most bytes of their definitions, which each request has. */
const MAX_TOOLS = 64;
const MAX_DEFINITION_BYTES = 128 * 1024;

/**
 * Makes the tools of an agent's skills, within what the key of the caller allows.
 * @throws the reason of `signal`
 */
export async function buildTools(
  skills: readonly Skill[],
  services: ToolServices,
  caller: Caller,
  project: Project,
  signal: AbortSignal,
): Promise<AgentTools> {
  const withTool = skills.filter(({ type }) => TOOL_TYPES.has(type));
  const used = withTool.slice(0, MAX_TOOLS);
  const names = toolNames(used.map(({ name }) => name));
  // At once: a database that does not answer makes the others wait no longer.
  const built = await Promise.all(
    used.map(async (skill, index) => {
      const toolSkill = { ...skill, toolName: names[index] ?? skill.id };
      try {
        return await buildTool(toolSkill, services, caller, project, signal);
      } catch (error) {
        return toolFailure(error);
      }
    }),
  );
  signal.throwIfAborted();

  const tools: Tool[] = [];
  const types = new Set<string>();
  const missing: { skill: string; reason: string }[] = [];
  let bytes = 0;
  for (const [index, { name, type }] of used.entries()) {
    const tool = built[index] ?? '';
    const size = typeof tool === 'string' ? 0 : definitionBytes(tool);
    if (typeof tool === 'string') {
      missing.push({ skill: name, reason: tool });
    } else if (bytes + size > MAX_DEFINITION_BYTES) {
      missing.push({ skill: name, reason: 'The tools before it are too large together.' });
    } else {
      bytes += size;
      tools.push(tool);
      types.add(type === 'knowledge_base' ? 'retrieval' : type);
    }
  }
  const leftOut = withTool[MAX_TOOLS];
  if (leftOut) {
    const reason = `An answer has at most ${MAX_TOOLS} tools; this one and those after it are left out.`;
    missing.push({ skill: leftOut.name, reason });
  }
  const plainSkills = skills.filter(({ type }) => !TOOL_TYPES.has(type)).map(describePlainSkill);
  return { tools, types, plainSkills, missing };
}

function definitionBytes({ name, description, parameters }: Tool): number {
  return Buffer.byteLength(JSON.stringify({ name, description, parameters }));
}

function buildTool(
  skill: ToolSkill,
  services: ToolServices,
  caller: Caller,
  project: Project,
  signal: AbortSignal,
): Promise<Tool> | Tool {
  if (skill.type === 'model') return modelTool(skill, services, caller, project);
  if (skill.type !== 'sql') return retrievalTool(skill, services.passages, caller.owner);
  if (services.sql) return services.sql.create(skill, caller.owner, signal);
  throw new ToolError('The service has no databases; those who run it can name some (DATABASES).');
}

/** The most characters of the description of a skill that is not a tool. */
const MAX_DESCRIPTION = 1000;

function describePlainSkill({ name, type, params }: Skill): PlainSkill {
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
