import { type Tool, ToolError } from '../tool.js';
import type { ToolSkill } from './tool-skill.js';

export function retrievalTool(_skill: ToolSkill, _documents: unknown): Tool {
  throw new ToolError('documents cannot be searched yet.');
}
