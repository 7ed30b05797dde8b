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
    settle: z
      .enum(['true', 'false'])
      .default('false')
      .describe(
        'Whether to settle the uncertain charges. The answer then shows what the log has after that.',
      ),
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

const MATCH_STATUSES = ['matched', 'differing', 'missing-here', 'missing-there'] as const
const MatchStatus = z.enum(MATCH_STATUSES).meta({
  id: 'MatchStatus',
  description: '`missing-here`: only in the export. `missing-there`: only in the request log.',
})
export type MatchStatus = z.infer<typeof MatchStatus>

const compared = {
  model: z.string().nullable().describe('Null: the export does not say, and all models are compared.'),
  status: MatchStatus,
  there: Side.nullable().describe('What the provider says.'),
  here: Side.nullable().describe('What the request log says.'),
  differenceUsd: z.number().nullable().describe("The provider's cost minus that of the log."),
}

const Day = z.object({ day: z.iso.date(), ...compared }).meta({ id: 'ReconciledDay' })
export type ReconciledDay = z.infer<typeof Day>

const Request = z
  .object({
    at: z.iso.datetime(),
    row: z.number().nullable().describe('The line of the file.'),
    requestId: z.string().nullable(),
    costStatus: CostStatus.nullable(),
    ...compared,
  })
  .meta({ id: 'ReconciledRequest' })
export type ReconciledRequest = z.infer<typeof Request>

const Charges = z.object({ requests: z.number(), changeUsd: z.number() })
export type Charges = z.infer<typeof Charges>

export const Reconciliation = z
  .object({
    provider: z.string(),
    formatName: z.string(),
    rows: z.number(),
    notes: z.array(z.string()).describe('What was left out.'),
    from: z.iso.date(),
    to: z.iso.date().describe('The last day.'),
    counted: z.enum(['request', 'day']).describe('Whether the export has single requests, or sums of days.'),
    counts: z.record(MatchStatus, z.number()).describe('Of requests, or of days and models.'),
    there: Side,
    here: Side,
    differenceUsd: z.number().nullable(),
    open: Charges.describe('Uncertain charges that the export states, and by how much they would change.'),
    settled: Charges.describe('Those that this call has settled.'),
    days: z.array(Day).describe('By day and model.'),
    requests: z.array(Request).describe('Requests that do not match; up to 5,000.'),
    requestsLeftOut: z.number(),
  })
  .meta({ id: 'Reconciliation' })
export type Reconciliation = z.infer<typeof Reconciliation>

export const ExportFile = z
  .string()
  .meta({ id: 'ExportFile', format: 'binary', description: 'A CSV or JSON file.' })
