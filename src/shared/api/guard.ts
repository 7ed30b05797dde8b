import { z } from 'zod'

export const GuardSensitivity = z.enum(['low', 'standard', 'high']).meta({ id: 'GuardSensitivity' })
export type GuardSensitivity = z.infer<typeof GuardSensitivity>

export const GuardSettings = z
  .strictObject({
    enabled: z.boolean(),
    sensitivity: GuardSensitivity,
  })
  .meta({
    id: 'GuardSettings',
    description: 'Pauses a key when its requests look like a loop that runs away.',
  })
export type GuardSettings = z.infer<typeof GuardSettings>

export const GuardAlert = z
  .object({
    keyId: z.string(),
    name: z.string(),
    cause: z
      .enum(['spend', 'repeats', 'refusals'])
      .describe(
        '`spend`: far more a minute than usual. `repeats`: the same prompt again and again. `refusals`: requests went on although each was refused.',
      ),
    reason: z.string().describe('What was seen, with figures.'),
    requests: z.number().describe('The requests that were counted.'),
    costUsd: z.number().describe('What they cost.'),
  })
  .meta({ id: 'GuardAlert', description: 'The runaway guard has paused a key.' })
export type GuardAlert = z.infer<typeof GuardAlert>
