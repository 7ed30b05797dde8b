import { z } from 'zod'
import { PriceOrigin } from '../../../shared/api/models.ts'
import { Timestamp } from '../../../shared/api/request-queries.ts'

const OBSTACLES = ['own_api', 'vision', 'tools', 'json', 'images', 'unit', 'output', 'context'] as const
export const RepricingObstacle = z.enum(OBSTACLES).meta({
  id: 'RepricingObstacle',
  description:
    'Why a model could not have served a request. `own_api`: it used what only the API of its provider has. `vision`, `tools`, `json`: ' +
    'the model lacks the capability. `images`: it generates none. `unit`: it has no price for something that was used, such as audio or searches of the web. ' +
    '`output`: the answer is longer than the model can write. `context`: prompt and answer do not fit into its context window.',
})
export type RepricingObstacle = z.infer<typeof RepricingObstacle>

export const RepricingQuery = z
  .strictObject({
    from: Timestamp.optional(),
    to: Timestamp.optional(),
    key: z.string().optional().describe("Only requests of this key: a key's id."),
    client: z.string().optional().describe('Only requests of this program: a `clientName`.'),
    model: z.string().optional().describe('Only requests that this model served.'),
    tag: z.string().optional().describe('Only requests with this tag. Empty for those without one.'),
    candidate: z
      .string()
      .optional()
      .describe('Only the cost with this model, and by key and client as well.'),
  })
  .meta({ id: 'RepricingQuery' })
export type RepricingQuery = z.infer<typeof RepricingQuery>

const RepricedSums = z.object({
  requests: z.number().describe('The number of requests.'),
  served: z.number().describe('How many of them the model could have served. All costs are of these.'),
  chargedUsd: z.number().describe('What was charged for them.'),
  costUsd: z
    .number()
    .describe('What they would have cost with as much of the prompts read from and written to a cache.'),
  uncachedUsd: z
    .number()
    .describe('The same without a cache, except for requests that the model itself has served.'),
})

export const RepricedPart = RepricedSums.extend({
  group: z.string().describe("A key's id, or the name of a client."),
  label: z.string().describe("A key's name; otherwise the same as `group`."),
}).meta({ id: 'RepricedPart' })
export type RepricedPart = z.infer<typeof RepricedPart>

export const RepricedModel = RepricedSums.extend({
  model: z.string(),
  provider: z.string(),
  priceOrigin: PriceOrigin,
  cachePriced: z.boolean().describe('Whether the model has a price for reading from a cache.'),
  limitsKnown: z
    .boolean()
    .describe(
      'False: its capabilities or its context window are not known, and it is assumed that it could serve what they would decide.',
    ),
  obstacles: z
    .array(z.object({ reason: RepricingObstacle, requests: z.number() }))
    .describe('Why it could not have served the others, each counted with its first reason.'),
  unchecked: z
    .number()
    .describe(
      'How many of `served` were recorded without what they asked for, and so may have needed a capability that the model lacks.',
    ),
  converted: z
    .number()
    .describe('How many of `served` had their tokens converted, because the model is known to count others.'),
  byKey: z.array(RepricedPart).optional(),
  byClient: z.array(RepricedPart).optional(),
}).meta({ id: 'RepricedModel' })
export type RepricedModel = z.infer<typeof RepricedModel>

export const Repricing = z
  .object({
    requests: z.number().describe('Requests that chat models answered, with a known charge.'),
    chargedUsd: z.number().describe('What was charged for them.'),
    estimated: z.number().describe('How many of them have tokens or a cost that is not certain.'),
    unchecked: z.number().describe('How many of them were recorded without what they asked for.'),
    unpriced: z.number().describe('Requests that are left out because nothing could be charged for them.'),
    others: z
      .object({ requests: z.number(), chargedUsd: z.number() })
      .describe(
        'Requests that are left out because they are no chats: embeddings, images, audio and the like.',
      ),
    data: z.array(RepricedModel).describe('By cost per request that the model could have served.'),
  })
  .meta({ id: 'Repricing' })
export type Repricing = z.infer<typeof Repricing>
