// The checks of `tollgate doctor`, which the window's diagnostics show too.
import { z } from 'zod'

export const Check = z.object({
  name: z.string(),
  /** Whether nothing has to be done now. */
  ok: z.boolean(),
  state: z.enum(['ok', 'warning', 'failed']),
  found: z.string(),
  /** Why it matters. */
  meaning: z.string(),
  /** The remedy; null where there is none. */
  advice: z.string().nullable(),
})
export type Check = z.infer<typeof Check>
