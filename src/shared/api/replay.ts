import { z } from 'zod'

export const ReplayRequest = z
  .strictObject({
    model: z.string().min(1).describe("A model's id, or `provider/model` to use that provider only."),
    key: z
      .string()
      .optional()
      .describe(
        "The id of the key that pays, with its caps. Default: the calling key, or the playground's if the owner calls.",
      ),
    stream: z
      .boolean()
      .default(false)
      .describe('Send the completion as server-sent events, with usage and cost.'),
    max_completion_tokens: z
      .int()
      .min(1)
      .optional()
      .describe('Replaces the output limit of the stored request.'),
  })
  .meta({ id: 'ReplayRequest' })
export type ReplayRequest = z.infer<typeof ReplayRequest>
