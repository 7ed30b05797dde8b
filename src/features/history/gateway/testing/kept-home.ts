import { z } from 'zod'
import { HISTORY_TOOLS } from '../../../../shared/api/history-tools.ts'

/** The variable with the folder in which tests keep their homes, for other meters. */
export const KEEP_HOMES = 'TOLLGATE_KEEP_HOMES'

/** A home of a test, and the tokens that were used there by what the test states. */
export const KeptHome = z.object({
  test: z.string(),
  home: z.string(),
  tool: z.enum(HISTORY_TOOLS),
  tokens: z.number(),
})
export type KeptHome = z.infer<typeof KeptHome>
