import type { z } from 'zod'

/** The answer is not one of this version of Tollgate. The message is for the user. */
export class UnknownAnswerError extends Error {
  override name = 'UnknownAnswerError'
  constructor(options?: ErrorOptions) {
    super(
      'What answered is not Tollgate, or another version of it. Restart Tollgate, or check the base URL.',
      options,
    )
  }
}

/** Throws UnknownAnswerError. */
export function parseAnswer<T>(schema: z.ZodType<T>, body: string): T {
  try {
    return schema.parse(JSON.parse(body))
  } catch (cause) {
    throw new UnknownAnswerError({ cause })
  }
}
