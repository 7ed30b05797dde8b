import { z } from 'zod'
import { formatUsd } from '../../shared/money/format-usd.ts'
import { getRates } from '../../shared/money/rates.ts'
import { findLeast, readCaps } from './remaining-tool.ts'
import { defineTool, ToolError } from './tool.ts'

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
    inputTokens: Tokens.optional().describe('Of each call, cached ones included.'),
    text: z.string().optional().describe('The prompt of each call, instead of `inputTokens`.'),
    cachedTokens: Tokens.default(0).describe('How many of the input tokens are read from the cache.'),
    outputTokens: Tokens.default(1_000).describe('Of each call, reasoning included.'),
    calls: z.int().min(1).max(1_000_000).default(1),
  }),
  output: z.object({
    usd: z.number(),
    inputTokens: z.number().describe('Of each call.'),
    isCounted: z
      .boolean()
      .describe('Whether the tokens of the text were counted; else they are a guess by its length.'),
    remainingUsd: z.number().nullable().describe('What is left of the caps; null without one.'),
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
