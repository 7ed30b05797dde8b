import { z } from 'zod'
import { Capability, type ModelRecord } from '../../shared/api/models.ts'
import { formatUsd } from '../../shared/money/format-usd.ts'
import { defineTool } from './tool.ts'

const Model = z.object({
  id: z.string(),
  provider: z.string(),
  inputPerMillionUsd: z.number().nullable().describe('Null if no price is known.'),
  outputPerMillionUsd: z.number().nullable(),
  cacheReadPerMillionUsd: z.number().nullable(),
  contextWindow: z.number().nullable().describe('Tokens.'),
  capabilities: z.array(z.string()),
})
type Model = z.infer<typeof Model>

const MAX_FOUND = 50

export const getModelPrice = defineTool({
  name: 'get_model_price',
  title: 'What a model costs',
  description: 'The prices of one model per million tokens, its context window and what it can do.',
  input: z.object({ model: z.string().min(1).describe('The id of a model, or `provider/model`.') }),
  output: Model,
  async run({ model }, caller) {
    const result = toModel(await caller.call('getModel', { params: { id: model } }))
    return { text: describe(result), result }
  },
})

export const findModels = defineTool({
  name: 'find_models',
  title: 'Find models',
  description:
    'The models that this key can call, the cheapest first. Use it to choose a cheaper model for a simple task.',
  input: z.object({
    text: z.string().optional().describe('A part of the id or name, such as `haiku`.'),
    capability: Capability.optional(),
    minContextWindow: z.number().optional().describe('Tokens.'),
    maxInputPerMillionUsd: z.number().optional().describe('Leaves out models without a known price.'),
    limit: z.int().min(1).max(MAX_FOUND).default(10),
  }),
  output: z.object({ models: z.array(Model), total: z.number().describe('How many match.') }),
  async run({ limit, ...wish }, caller) {
    const { data } = await caller.call('listModels')
    const found = data.filter((model) => fits(model, wish)).sort((a, b) => computePrice(a) - computePrice(b))
    const models = found.slice(0, limit).map(toModel)
    const rest = found.length > models.length ? `\n… and ${found.length - models.length} more.` : ''
    const text = models.length === 0 ? 'No model fits.' : models.map(describe).join('\n') + rest
    return { text, result: { models, total: found.length } }
  },
})

interface Wish {
  text?: string | undefined
  capability?: Capability | undefined
  minContextWindow?: number | undefined
  maxInputPerMillionUsd?: number | undefined
}

function fits(
  { id, name, capabilities, contextWindow, pricing }: ModelRecord,
  { text, capability, minContextWindow = 0, maxInputPerMillionUsd }: Wish,
): boolean {
  if (text !== undefined && !`${id} ${name}`.toLowerCase().includes(text.toLowerCase())) return false
  if (capability !== undefined && !capabilities.includes(capability)) return false
  if (minContextWindow > 0 && (contextWindow ?? 0) < minContextWindow) return false
  if (maxInputPerMillionUsd === undefined) return true
  return pricing !== null && pricing.inputPerMillion <= maxInputPerMillionUsd
}

/** The price of as many tokens in as out; models without a price come last. */
function computePrice({ pricing }: ModelRecord): number {
  return pricing === null ? Infinity : pricing.inputPerMillion + pricing.outputPerMillion
}

function toModel({ id, provider, pricing, contextWindow, capabilities }: ModelRecord): Model {
  return {
    id,
    provider,
    inputPerMillionUsd: pricing?.inputPerMillion ?? null,
    outputPerMillionUsd: pricing?.outputPerMillion ?? null,
    cacheReadPerMillionUsd: pricing?.cacheReadPerMillion ?? null,
    contextWindow,
    capabilities,
  }
}

function describe(model: Model): string {
  const { id, inputPerMillionUsd: input, outputPerMillionUsd: output, cacheReadPerMillionUsd: cached } = model
  if (input === null || output === null) return `${id}: price unknown.`
  const cache = cached === null ? '' : `, ${formatUsd(cached)} cached`
  return `${id}: ${formatUsd(input)} in, ${formatUsd(output)} out${cache} per million tokens.`
}
