import { z } from 'zod'
import { Tool } from '../../../shared/formats/chat.ts'

export type ParsedTools = { ok: true; tools: Tool[] } | { ok: false; message: string }

/** Parses the tools that the user typed: a JSON array in the chat-completions format; blank is an empty array. */
export function parseTools(text: string): ParsedTools {
  if (text.trim() === '') return { ok: true, tools: [] }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (thrown) {
    return {
      ok: false,
      message: `Invalid JSON: ${thrown instanceof Error ? thrown.message : 'unexpected end'}.`,
    }
  }
  if (!Array.isArray(json)) return { ok: false, message: 'Enter a JSON array of tools: [ … ].' }
  const tools = z.array(Tool).safeParse(json)
  if (tools.success) return { ok: true, tools: tools.data }
  const [issue] = tools.error.issues
  const where = (issue?.path ?? []).map(String)
  const place = where.length > 1 ? `, ${where.slice(1).join('.')}` : ''
  return {
    ok: false,
    message: `Tool ${Number(where[0] ?? 0) + 1}${place}: ${issue?.message ?? 'not a tool'}.`,
  }
}

export const EXAMPLE_TOOLS = JSON.stringify(
  [
    {
      type: 'function',
      function: {
        name: 'get_weather',
        description: 'The weather in a city now.',
        parameters: {
          type: 'object',
          properties: { city: { type: 'string' } },
          required: ['city'],
        },
      },
    },
  ],
  null,
  2,
)
