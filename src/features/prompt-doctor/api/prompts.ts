// The parts of a prompt, and the break of its cache.
import { z } from 'zod'
import { CACHE_CAUSES, type PROMPT_PARTS } from './terms.ts'

export const CacheCause = z.enum(CACHE_CAUSES).meta({
  id: 'CacheCause',
  description:
    'Why a provider no longer had the beginning of a prompt: `lifetime`: its time was over. `model`: another model or provider served. ' +
    '`tools`: their definitions changed. `tool-order`: only their order did. `system`: the first instructions changed. ' +
    '`history`: earlier messages were edited. `compaction`: the client has shortened the conversation. ' +
    '`unknown`: the prompt began as before.',
})
export type CacheCause = z.infer<typeof CacheCause>
export type PromptPart = (typeof PROMPT_PARTS)[number]

export const perPart = <Value extends z.ZodType>(value: Value) =>
  z.object({ system: value, tools: value, history: value, results: value, media: value })

export const RequestPrompt = z
  .object({
    parts: perPart(z.number()).describe(
      'The share of each part, from 0 to 1, by its size: instructions, definitions of tools, history, results of tools, images and files.',
    ),
    toolCount: z.number().describe('How many tools it defines.'),
    break: z
      .object({
        cause: CacheCause,
        lostTokens: z
          .number()
          .describe('Tokens that the request before had in the cache, and this one paid for again.'),
        lostUsd: z.number().describe('What that cost, compared with reading them from the cache.'),
      })
      .nullable()
      .describe('Set if the provider no longer had what it had cached for the request before.'),
  })
  .meta({ id: 'RequestPrompt' })
export type RequestPrompt = z.infer<typeof RequestPrompt>

/** The field of a request's record. */
export const promptFields = {
  prompt: RequestPrompt.nullable().describe(
    'Null for a request without an answer, with a prompt of less than 1,024 tokens, or of an older version. It follows soon after the settlement.',
  ),
}
