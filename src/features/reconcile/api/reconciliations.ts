import { z } from 'zod'
import { CostStatus } from '../../../shared/api/requests.ts'

/** Larger files are rejected. */
export const MAX_EXPORT_BYTES = 64 * 1024 * 1024
export const MAX_EXPORT_ROWS = 500_000

export const ReconcileQuery = z
  .strictObject({
    provider: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe("The provider's id here. By default that of the export's vendor."),
    name: z.string().max(200).default('').describe('The name of the file.'),
  })
  .meta({ id: 'ReconcileQuery' })

const Side = z
  .object({
    requests: z.number().nullable(),
    tokensIn: z.number().nullable(),
    tokensOut: z.number().nullable(),
    costUsd: z.number().nullable(),
  })
  .meta({ id: 'ReconciledSide', description: 'Null for what is not known.' })
export type ReconciledSide = z.infer<typeof Side>

export const MATCH_STATUSES = ['matched', 'differing', 'missing-here', 'missing-there'] as const
const MatchStatus = z.enum(MATCH_STATUSES).meta({
  id: 'MatchStatus',
  description: '`missing-here`: only in the export. `missing-there`: only in the request log.',
})
export type MatchStatus = z.infer<typeof MatchStatus>

const Line = z
  .object({
    day: z.iso.date(),
    model: z.string().nullable().describe('Null: the export does not say, and all models are compared.'),
    status: MatchStatus,
    there: Side.nullable().describe('What the provider says.'),
    here: Side.nullable().describe('What the request log says.'),
    differenceUsd: z.number().nullable().describe("The provider's cost minus that of the log."),
  })
  .meta({ id: 'ReconciledLine' })
export type ReconciledLine = z.infer<typeof Line>

const Item = z
  .object({
    status: MatchStatus,
    row: z.number().nullable().describe('The line of the file.'),
    requestId: z.string().nullable(),
    at: z.iso.datetime(),
    model: z.string(),
    there: Side.nullable(),
    here: Side.nullable(),
    costStatus: CostStatus.nullable(),
    differenceUsd: z.number().nullable(),
  })
  .meta({ id: 'ReconciledRequest' })
export type ReconciledItem = z.infer<typeof Item>

const Settleable = z
  .object({
    requestId: z.string(),
    beforeUsd: z.number(),
    afterUsd: z.number(),
    state: z.enum(['open', 'settled', 'skipped']),
  })
  .meta({ id: 'SettleableCharge' })
export type Settleable = z.infer<typeof Settleable>

export const ReconciliationSummary = z
  .object({
    id: z.string(),
    createdAt: z.iso.datetime(),
    provider: z.string(),
    name: z.string(),
    formatName: z.string(),
    rows: z.number(),
    notes: z.array(z.string()).describe('What was left out.'),
    from: z.iso.date(),
    to: z.iso.date().describe('The last day.'),
    each: z.enum(['request', 'period']),
    counts: z
      .record(MatchStatus, z.number())
      .describe('Of requests, or of days and models where the export has only sums.'),
    there: Side,
    here: Side,
    differenceUsd: z.number().nullable(),
    open: z.object({
      requests: z.number().describe('Uncertain charges that the export settles.'),
      changeUsd: z.number(),
    }),
    settled: z.object({ requests: z.number(), changeUsd: z.number() }),
  })
  .meta({ id: 'ReconciliationSummary' })
export type ReconciliationSummary = z.infer<typeof ReconciliationSummary>

export const Reconciliation = z
  .object({
    ...ReconciliationSummary.shape,
    lines: z.array(Line).describe('By day and model.'),
    items: z.array(Item).describe('Requests that do not match; up to 5,000.'),
    itemsLeftOut: z.number(),
    settleable: z.array(Settleable),
  })
  .meta({ id: 'Reconciliation' })
export type Reconciliation = z.infer<typeof Reconciliation>

export const ReconciliationList = z
  .object({ data: z.array(ReconciliationSummary).describe('Newest first.') })
  .meta({ id: 'ReconciliationList' })

export const DeletedReconciliation = z
  .object({ id: z.string(), deleted: z.literal(true) })
  .meta({ id: 'DeletedReconciliation' })

export const ExportFile = z
  .string()
  .meta({ id: 'ExportFile', format: 'binary', description: 'A CSV or JSON file.' })
