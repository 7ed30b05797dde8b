import { z } from 'zod'
import { AppliedPrice, CostStatus, RequestRecord } from '../../../shared/api/requests.ts'
import { BILLED_BUCKETS, CACHED_PARTS } from '../../../shared/api/usage-buckets.ts'

export const RECEIPT_FORMAT = 'tollgate-receipt'
export const SUM_RECEIPT_FORMAT = 'tollgate-sum-receipt'

const Nano = z.int().describe('Nano-dollars (10⁻⁹ USD).')
const ExactNano = z.string().describe('Nano-dollars, as a decimal number.')

const ReceiptLine = z
  .object({
    billed: z
      .enum([...BILLED_BUCKETS, ...CACHED_PARTS, 'requests'])
      .describe('What is counted, such as `input` or `webSearches`.'),
    count: z.number(),
    perMillionNano: Nano.nullable().describe(
      'Nano-dollars per million of it; null when the cost is not from counting.',
    ),
    nano: ExactNano.nullable().describe('`count` × `perMillionNano` / 1,000,000.'),
  })
  .meta({ id: 'ReceiptLine' })

const ReceiptCost = z
  .object({
    status: CostStatus,
    nano: Nano.nullable().describe('What was charged, in nano-dollars; null if the model has no price.'),
    usd: z.number().nullable().describe('The same in USD.'),
    worthNano: Nano.optional().describe(
      "What a request that a plan paid for would have cost by the vendor's API; absent for all others.",
    ),
    savedNano: Nano.optional().describe(
      'What a request that the response cache answered would have cost; absent for all others.',
    ),
    lowNano: Nano.nullable().describe('The lowest possible cost, where `highNano` is set.'),
    highNano: Nano.nullable().describe(
      'The highest possible cost of an unsettled request, or what a provider reported far above the bound of an estimated one.',
    ),
    lines: z.array(ReceiptLine),
    reportedNano: ExactNano.nullable().describe(
      'The cost that the provider reported, before the discount; null when units were priced here.',
    ),
    discount: z.object({ percent: z.number(), nano: ExactNano }).nullable().describe('A negative amount.'),
    otherNano: ExactNano.nullable().describe(
      'What the lines do not explain: the whole cost if nothing was counted.',
    ),
    roundingNano: ExactNano.nullable().describe(
      'The difference to whole nano-dollars. The lines and these four add up to `nano`.',
    ),
    confirmation: z
      .object({
        at: z.iso.datetime(),
        from: CostStatus,
        beforeNano: Nano.describe('What was charged before.'),
        lowNano: Nano.nullable(),
        highNano: Nano.nullable(),
        by: z
          .enum(['user', 'reconciliation'])
          .describe("`user`: the amount was entered; `reconciliation`: it is that of the provider's export."),
      })
      .nullable()
      .describe('How the cost was settled later; null if it was not.'),
  })
  .meta({ id: 'ReceiptCost' })

const Names = z
  .object({ key: z.string(), client: z.string().nullable(), tag: z.string().nullable() })
  .nullable()
  .describe('Null unless `names` was set.')

const ReceiptRequest = RequestRecord.pick({
  id: true,
  createdAt: true,
  endpoint: true,
  stream: true,
  status: true,
  httpStatus: true,
  count: true,
  requestedModel: true,
  model: true,
  provider: true,
}).extend({
  errorType: z.string().nullable(),
  errorCode: z.string().nullable(),
  names: Names,
  changes: z
    .array(
      z.object({
        rule: z.string().nullable().describe('Null unless `names` was set.'),
        field: z.string(),
        asked: z.string(),
        sent: z.string().nullable().describe('Null for what was removed.'),
      }),
    )
    .describe('What rules have changed in the request.'),
})

export const Receipt = z
  .object({
    format: z.literal(RECEIPT_FORMAT),
    issuedAt: z.iso.datetime(),
    request: ReceiptRequest,
    timings: RequestRecord.shape.timings,
    attempts: z.array(
      z.object({
        provider: z.string(),
        model: z.string(),
        httpStatus: z.number().nullable(),
        ms: z.number(),
        failed: z.boolean(),
      }),
    ),
    cost: ReceiptCost,
    price: AppliedPrice.omit({ pricing: true }).extend({ tier: z.string().nullable() }).nullable(),
  })
  .meta({ id: 'Receipt', description: 'What a request cost, and why.' })
export type Receipt = z.infer<typeof Receipt>

const SumLine = z
  .object({
    model: z.string().describe('Empty for the requests of a session whose records are deleted.'),
    provider: z.string().describe('Empty if no provider was called.'),
    requests: z.number(),
    tokensIn: z.number(),
    tokensOut: z.number(),
    nano: Nano.describe('What they were charged, in nano-dollars.'),
  })
  .meta({ id: 'SumReceiptLine' })

const Month = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month as YYYY-MM')

const SumSubject = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('session'),
    id: z.string(),
    startedAt: z.iso.datetime(),
    lastAt: z.iso.datetime(),
    names: Names,
  }),
  z.object({
    kind: z.literal('month'),
    month: Month,
    timeZone: z.string(),
    over: z.boolean().describe('Whether the month was over when the receipt was issued.'),
  }),
])

export const SumReceipt = z
  .object({
    format: z.literal(SUM_RECEIPT_FORMAT),
    issuedAt: z.iso.datetime(),
    of: SumSubject,
    lines: z.array(SumLine).describe('By model and provider, the most expensive first.'),
    total: z.object({
      requests: z.number(),
      nano: Nano.describe('The sum of the lines. Sample costs of the sandbox are not in it.'),
      usd: z.number().describe('The same in USD.'),
      unpriced: z.number().describe('Requests whose cost is unknown, and not in the sum.'),
      unsettled: z.number().describe('Requests in the sum whose cost is not certain yet.'),
    }),
  })
  .meta({ id: 'SumReceipt', description: 'What a session or a month cost.' })
export type SumReceipt = z.infer<typeof SumReceipt>

export const AnyReceipt = z.discriminatedUnion('format', [Receipt, SumReceipt])
export type AnyReceipt = z.infer<typeof AnyReceipt>

export const ReceiptQuery = z
  .strictObject({
    names: z
      .enum(['true', 'false'])
      .default('false')
      .describe('Whether the receipt has the names of the key and of the calling program, and the tag.'),
  })
  .meta({ id: 'ReceiptQuery' })

export const SumReceiptQuery = z
  .strictObject({
    session: z.string().optional().describe("A session's id."),
    month: Month.optional().describe(
      'A month as YYYY-MM, in the time zone of the settings. By default the current one.',
    ),
    names: ReceiptQuery.shape.names,
  })
  .refine(({ session, month }) => session === undefined || month === undefined, {
    message: 'set "session" or "month", not both',
  })
  .meta({ id: 'SumReceiptQuery' })
export type SumReceiptQuery = z.infer<typeof SumReceiptQuery>
