// A tool of the MCP server, and how its errors are shown to the model.
import type { CallToolResult, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { NotRunningError, RefusedCallError } from '../../host/gateway-client.ts'
import { UnknownAnswerError } from '../../shared/api/parse-answer.ts'
import { errorMessage } from '../../shared/values/text.ts'
import type { Caller } from './caller.ts'

/** The message is for the model. */
export class ToolError extends Error {
  override name = 'ToolError'
}

interface Tool<Input extends z.ZodObject, Output extends z.ZodObject> {
  name: string
  title: string
  description: string
  input: Input
  output: Output
  /** Set for a tool that does more than read. */
  changes?: boolean
  /** `text`: one or a few sentences. */
  run(input: z.output<Input>, caller: Caller): Promise<{ text: string; result: z.input<Output> }>
}

/** Adds the tool to a server. */
export type AddTool = (server: McpServer, caller: Caller) => void

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>({
  name,
  title,
  description,
  input,
  output,
  changes = false,
  run,
}: Tool<Input, Output>): AddTool {
  const inputSchema: z.ZodObject = input
  const outputSchema: z.ZodObject = output
  return (server, caller) => {
    server.registerTool(
      name,
      {
        title,
        description,
        inputSchema,
        outputSchema,
        annotations: { readOnlyHint: !changes, idempotentHint: !changes, openWorldHint: false },
      },
      async (given) => {
        try {
          const { text, result } = await run(input.parse(given), caller)
          return {
            content: [{ type: 'text', text }],
            structuredContent: z.record(z.string(), z.unknown()).parse(result),
          }
        } catch (error) {
          return failure(error)
        }
      },
    )
  }
}

function failure(error: unknown): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: describe(error) }] }
}

function describe(error: unknown): string {
  if (error instanceof RefusedCallError && error.status === 403)
    return 'This key may not read usage: its scope is completions-only. It can still ask for its total spend, what is left, prices and estimates.'
  if (error instanceof RefusedCallError && error.status === 401)
    return 'The key in TOLLGATE_API_KEY does not work.'
  const isExpected = [ToolError, NotRunningError, RefusedCallError, UnknownAnswerError].some(
    (expected) => error instanceof expected,
  )
  return isExpected ? errorMessage(error) : `Tollgate could not answer: ${errorMessage(error)}`
}
