import { z } from 'zod'
import { Timestamp } from './request-queries.ts'

const Share = z.number().describe('From 0 to 1; above 1 once extra usage is charged.')

export const PlanWindow = z
  .object({
    name: z.string().describe("The vendor's name: `5h`, `7d`, `7d_opus`, `primary`, `secondary` …"),
    label: z.string().describe('The name for people: `5 hours`.'),
    utilization: Share.nullable().describe(
      'How much of it is used, from 0 to 1; null where the vendor does not say.',
    ),
    status: z.string().nullable().describe("The vendor's word, such as `allowed_warning`; null for none."),
    resetsAt: z.iso.datetime().nullable(),
    lengthMs: z.number().nullable().describe('How long the window is; null where that is not known.'),
    fullAt: z.iso
      .datetime()
      .nullable()
      .describe('When it is full at the rate of the last hour; null if that is not before it resets.'),
  })
  .meta({ id: 'PlanWindow' })
export type PlanWindow = z.infer<typeof PlanWindow>

export const PlanState = z
  .object({
    id: z.string(),
    provider: z.string(),
    name: z.string(),
    status: z
      .string()
      .nullable()
      .describe("The vendor's status of the last request: `allowed`, `rejected` …"),
    windows: z.array(PlanWindow),
    extraUsage: z
      .object({
        status: z.string().nullable(),
        resetsAt: z.iso.datetime().nullable(),
        reason: z.string().nullable().describe('Why there is none.'),
      })
      .nullable()
      .describe('Usage beyond the plan that the vendor charges for; null where it does not say.'),
    isExtra: z.boolean().describe('Whether the last request was charged as extra usage.'),
    refusedUntil: z.iso
      .datetime()
      .nullable()
      .describe('Until when the vendor refuses requests, as a window is used up; null where it does not.'),
    updatedAt: z.iso.datetime(),
  })
  .meta({
    id: 'PlanState',
    description: "The windows of one account's plan, as its vendor's last answer reported them.",
  })
export type PlanState = z.infer<typeof PlanState>

export const PlanStates = z.object({ data: z.array(PlanState) }).meta({ id: 'PlanStateList' })

export const PlanHistoryQuery = z
  .strictObject({ from: Timestamp.optional(), to: Timestamp.optional() })
  .meta({ id: 'PlanHistoryQuery' })

export const PlanHistory = z
  .object({
    data: z.array(z.object({ window: z.string(), at: z.iso.datetime(), utilization: Share })),
  })
  .meta({ id: 'PlanHistory', description: 'The oldest first, of at most 90 days.' })
export type PlanHistory = z.infer<typeof PlanHistory>

const PLAN_SPLITS = ['session', 'tag', 'key'] as const

export const PlanSharesQuery = z
  .strictObject({ by: z.enum(PLAN_SPLITS).default('session') })
  .meta({ id: 'PlanSharesQuery' })
export type PlanSharesQuery = z.infer<typeof PlanSharesQuery>

export const PlanShares = z
  .object({
    data: z.array(
      z.object({
        group: z.string().describe('The id of a session or key, or a tag; empty for none.'),
        label: z.string(),
        windows: z.array(
          z.object({
            window: z.string(),
            worthUsd: z.number().describe('What its requests in this window would have cost.'),
            share: Share.nullable().describe(
              'How much of the window it has used; null where that is not known.',
            ),
          }),
        ),
      }),
    ),
  })
  .meta({
    id: 'PlanShares',
    description:
      "What each session, tag or key has used of a plan's windows that are open now: their utilization, divided by the worth of the requests. What is used outside of Tollgate is divided with it. The largest part of the first window comes first.",
  })
export type PlanShares = z.infer<typeof PlanShares>

export const PlanAlert = z
  .object({
    plan: z.string().describe('The id of the plan.'),
    name: z.string(),
    window: z.string().describe('The label of the window.'),
    kind: z
      .enum(['used', 'reset', 'overflow'])
      .describe(
        '`used`: a percentage was reached. `reset`: it resets soon. `overflow`: it is used up, and a session begins that is billed by API key.',
      ),
    percent: z.number().describe('The percentage that was reached, or that is used before a reset.'),
    resetsAt: z.iso.datetime().nullable(),
  })
  .meta({
    id: 'PlanAlert',
    description: 'A window of a plan reached a percentage, is used up, or resets soon.',
  })
export type PlanAlert = z.infer<typeof PlanAlert>
