import { z } from 'zod'

/** Members may be added to a version; none is removed or means something else. */
export const STATUS_VERSION = 1

const StatusLimit = z.object({
  limitUsd: z.number(),
  leftUsd: z.number().describe('What is neither spent nor reserved.'),
  per: z.string().describe('Such as `day` or `session`; `lifetime` for a cap that never resets.'),
  resetsAt: z.iso.datetime().nullable(),
  warnsOnly: z.boolean(),
})

export const Status = z
  .object({
    version: z.literal(STATUS_VERSION),
    running: z.literal(true),
    today: z.object({ spendUsd: z.number() }),
    month: z.object({ spendUsd: z.number() }),
    paused: z.boolean().describe('Whether everything is paused.'),
    limit: StatusLimit.nullable().describe('The nearest limit of all keys together.'),
    keys: z
      .array(
        z.object({
          id: z.string(),
          name: z.string(),
          spendUsd: z.number(),
          paused: z.boolean(),
          limit: StatusLimit.nullable().describe('The nearest limit of the key.'),
        }),
      )
      .describe('Those that are not revoked, without admin keys.'),
    plans: z.array(
      z.object({
        name: z.string(),
        windows: z.array(
          z.object({
            name: z.string(),
            label: z.string(),
            usedPercent: z.number().nullable(),
            resetsAt: z.iso.datetime().nullable(),
          }),
        ),
      }),
    ),
    session: z
      .object({
        id: z.string(),
        title: z.string().nullable(),
        client: z.string().nullable(),
        costUsd: z.number(),
        worthUsd: z.number(),
        requests: z.number(),
        lastAt: z.iso.datetime(),
      })
      .nullable()
      .describe('The one with the last request, if that is less than 30 minutes ago.'),
  })
  .meta({
    id: 'Status',
    description: 'For status bars. Within a version, members are added only.',
  })
export type Status = z.infer<typeof Status>
