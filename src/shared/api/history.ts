import { z } from 'zod'
import { HISTORY_TOOLS } from './history-tools.ts'
import { Timestamp } from './request-queries.ts'

const Tool = z.enum(HISTORY_TOOLS).describe('The agent that wrote the log.')

export const HistoryImport = z
  .strictObject({
    tool: Tool.optional().describe('Only the logs of this agent.'),
    since: Timestamp.optional().describe('Only calls from then on.'),
  })
  .meta({ id: 'HistoryImport' })

export const NotCounted = z
  .object({
    count: z.number(),
    tokens: z.number().describe('Of the calls, where it is known.'),
    noun: z.string().describe('What was not counted, such as `line`.'),
    because: z.string(),
  })
  .meta({ id: 'NotCounted' })
export type NotCounted = z.infer<typeof NotCounted>

export const ImportResult = z
  .object({
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime(),
    outcome: z.enum(['done', 'canceled', 'failed']),
    summary: z.string().describe('The result in words.'),
    tools: z.array(
      z.object({
        tool: Tool,
        name: z.string(),
        calls: z.number().describe('New ones.'),
        notCounted: z.array(NotCounted),
      }),
    ),
  })
  .meta({ id: 'ImportResult' })
export type ImportResult = z.infer<typeof ImportResult>

const ImportedHistory = z
  .object({
    tool: Tool,
    name: z.string(),
    origin: z.literal('import'),
    calls: z.number().describe('Without those that do not count.'),
    tokensIn: z.number(),
    tokensOut: z.number(),
    costUsd: z
      .number()
      .describe(
        'At list prices of their day, as far as the price list knows them, and else at those of the list.',
      ),
    unpriced: z.number().describe('Calls of models without a known price, which are not in `costUsd`.'),
    firstAt: z.iso.datetime().nullable(),
    lastAt: z.iso.datetime().nullable(),
    metered: z.number().describe('Calls that are requests of this gateway, and count there.'),
    repeated: z.number().describe('Calls of sub-agents that repeat those of the main agent.'),
    uncertain: z
      .number()
      .describe('Calls that may be requests of this gateway whose records were deleted. They do not count.'),
  })
  .meta({ id: 'ImportedHistory' })

export const HistoryProgress = z
  .object({
    startedAt: z.iso.datetime(),
    name: z.string().describe('The agent whose logs are being read.'),
    files: z.number().describe('How many were read.'),
    calls: z.number(),
  })
  .meta({ id: 'HistoryProgress' })
export type HistoryProgress = z.infer<typeof HistoryProgress>

export const HistoryState = z
  .object({
    found: z
      .array(z.object({ tool: Tool, name: z.string() }))
      .describe('The agents that have logs on this computer.'),
    imported: z.array(ImportedHistory),
    running: HistoryProgress.nullable(),
    expiring: z
      .object({ files: z.number(), firstAt: z.iso.datetime().describe('When the first of them is deleted.') })
      .nullable()
      .describe('Logs of Claude Code that it will delete within a week, and that are not imported yet.'),
    last: ImportResult.nullable().describe('The last import that was started by a user.'),
  })
  .meta({ id: 'HistoryState' })
export type HistoryState = z.infer<typeof HistoryState>

const MAX_SESSIONS = 200

export const ImportedSessionQuery = z
  .strictObject({
    from: Timestamp.optional().describe('Only with calls from then on.'),
    to: Timestamp.optional().describe('Only with calls before.'),
    session: z.string().optional().describe("Only the one with this id, which is the agent's own."),
    limit: z.coerce.number().int().min(1).max(MAX_SESSIONS).default(50),
    cursor: z
      .string()
      .regex(/^\d{1,9}$/)
      .optional()
      .describe('`nextCursor` of the previous page.'),
  })
  .meta({ id: 'ImportedSessionQuery' })

export const ImportedSession = z
  .object({
    tool: Tool,
    name: z.string().describe("The agent's name."),
    origin: z.literal('import'),
    id: z.string().describe("The agent's own id of the session."),
    project: z.string().nullable().describe('The folder that it worked in.'),
    branch: z.string().nullable(),
    models: z.array(z.string()),
    firstAt: z.iso.datetime(),
    lastAt: z.iso.datetime(),
    calls: z.number(),
    tokensIn: z.number(),
    tokensOut: z.number(),
    costUsd: z.number().describe('At list prices.'),
    unpriced: z.number().describe('Calls without a known price, which are not in `costUsd`.'),
    agents: z
      .array(z.object({ id: z.string(), calls: z.number(), costUsd: z.number() }))
      .describe('The sub-agents, whose calls are in the sums of the session.'),
  })
  .meta({ id: 'ImportedSession' })
export type ImportedSession = z.infer<typeof ImportedSession>

export const ImportedSessionList = z
  .object({
    data: z.array(ImportedSession),
    nextCursor: z.string().nullable().describe('Null on the last page.'),
  })
  .meta({ id: 'ImportedSessionList' })

export const RemoveHistoryQuery = z
  .strictObject({ tool: Tool.optional().describe('Only that of this agent.') })
  .meta({ id: 'RemoveHistoryQuery' })

export const RemovedHistory = z.object({ removed: z.number() }).meta({ id: 'RemovedHistory' })
