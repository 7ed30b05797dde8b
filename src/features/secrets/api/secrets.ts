import { z } from 'zod'

export const SecretInPrompt = z
  .object({
    kind: z.string().describe('Such as `GitHub token`.'),
    position: z
      .string()
      .nullable()
      .describe("The member of the client's request, such as `messages[3]`; null if it is unknown."),
  })
  .meta({ id: 'SecretInPrompt', description: 'A secret in a prompt. The secret itself is stored nowhere.' })
export type SecretInPrompt = z.infer<typeof SecretInPrompt>

/** The field of a request's record. */
export const secretFields = {
  secrets: z
    .array(SecretInPrompt)
    .nullable()
    .describe(
      'Secrets in the prompt that its session had not sent before, by the setting `secretsInPrompts` of its key; null for none.',
    ),
}
