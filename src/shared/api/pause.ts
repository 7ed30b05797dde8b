import { z } from 'zod'

export const PauseAll = z
  .strictObject({
    running: z
      .enum(['finish', 'end'])
      .default('finish')
      .describe(
        'What happens to the requests that providers are answering. `end`: they are aborted, and what they consumed is charged.',
      ),
  })
  .meta({ id: 'Pause' })
export type PauseAll = z.infer<typeof PauseAll>
