import { z } from 'zod'
import { Capability, type ModelRecord } from '../../shared/api/models.ts'
import { formatUsd } from '../../shared/money/format-usd.ts'
import { getRates } from '../../shared/money/rates.ts'
import { findLeast, readCaps } from './remaining-tool.ts'
import { defineTool, ToolError } from './tool.ts'

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
    const fitting = data
      .filter((model) => fits(model, wish))
      .sort((a, b) => computePrice(a) - computePrice(b))
    const models = fitting.slice(0, limit).map(toModel)
    const rest = fitting.length > models.length ? `\n… and ${fitting.length - models.length} more.` : ''
    const text = models.length === 0 ? 'No model fits.' : models.map(describe).join('\n') + rest
    return { text, result: { models, total: fitting.length } }
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

/** The usual ratio for English text in most vocabularies. */
const BYTES_PER_TOKEN = 4
const MAX_TOKENS = 1_000_000_000
const PER_MILLION = 1_000_000

const Tokens = z.int().min(0).max(MAX_TOKENS)

export const estimateCost = defineTool({
  name: 'estimate_cost',
  title: 'Estimate a cost',
  description:
    'What a task would cost with a model, and whether it fits what is left of the caps. Give the tokens, or the text of the prompt. At list price.',
  input: z.object({
    model: z.string().min(1).describe('The id of a model, or `provider/model`.'),
    inputTokens: Tokens.optional().describe('Input tokens of each call, including cached ones.'),
    text: z.string().optional().describe('The prompt of each call, instead of `inputTokens`.'),
    cachedTokens: Tokens.default(0).describe('How many of the input tokens are read from the cache.'),
    outputTokens: Tokens.default(1_000).describe('Output tokens of each call, including reasoning.'),
    calls: z.int().min(1).max(1_000_000).default(1),
  }),
  output: z.object({
    usd: z.number(),
    inputTokens: z.number().describe('Of each call.'),
    isCounted: z
      .boolean()
      .describe('True if the text was tokenized; otherwise the count is a guess from its length.'),
    remainingUsd: z.number().nullable().describe('Amount left under the caps; null without a cap.'),
    fits: z.boolean(),
  }),
  async run({ model, inputTokens, text, cachedTokens, outputTokens, calls }, caller) {
    if ((inputTokens === undefined) === (text === undefined))
      throw new ToolError('Give either inputTokens or text.')
    const { pricing, id } = await caller.call('getModel', { params: { id: model } })
    if (!pricing) throw new ToolError(`The price of ${id} is not known.`)
    const counted = text === undefined ? inputTokens : await caller.countTokens(model, text)
    const input = counted ?? Math.ceil(Buffer.byteLength(text ?? '') / BYTES_PER_TOKEN)
    if (cachedTokens > input) throw new ToolError('cachedTokens cannot be more than the input tokens.')
    const rates = getRates(pricing)
    const each =
      (input - cachedTokens) * rates.input +
      cachedTokens * rates.cacheRead +
      outputTokens * rates.output +
      rates.requests
    const usd = (each * calls) / PER_MILLION
    const remainingUsd = findLeast(await readCaps(caller))
    const fits = remainingUsd === null || usd <= remainingUsd
    const isCounted = counted !== null
    const sum = `${calls === 1 ? '' : `${calls} calls of `}${input} tokens in and ${outputTokens} out with ${id}: ${isCounted ? '' : 'about '}${formatUsd(usd)}.`
    const left =
      remainingUsd === null
        ? ''
        : ` ${formatUsd(remainingUsd)} left: ${fits ? 'it fits.' : 'it does not fit. Use a cheaper model or fewer tokens, or ask for a higher cap.'}`
    return { text: sum + left, result: { usd, inputTokens: input, isCounted, remainingUsd, fits } }
  },
})
