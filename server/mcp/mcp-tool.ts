import type { ToolDescription } from '../agents/tools/tool.js';

/** A tool as clients see it. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ToolDescription['parameters'];
  readonly outputSchema: ToolDescription['output'];
  readonly annotations: { readonly readOnlyHint: true };
}

export function writeTool(name: string, described: ToolDescription): McpTool {
  const { description, parameters, output } = described;
  return { name, description, inputSchema: parameters, outputSchema: output, annotations: { readOnlyHint: true } };
}
