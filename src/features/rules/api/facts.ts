import type { CallerKind, Effort, Premium } from './terms.ts'

/** What the conditions of rules are about. Null for what is not known: a condition on it does not hold. */
export interface RequestFacts extends StateFacts {
  keyId: string | null
  /** The requested model, and its first provider; '' for an unknown one. */
  model: string
  providerId: string
  /** The name of the client program; '' for none. */
  program: string
  caller: CallerKind
  tag: string | null
  effort: Effort | null
  premiums: readonly Premium[] | null
}

/** The facts that change while a session runs. Where a rule acts at the start, they are those of the start. */
export interface StateFacts {
  /** How much of the limits of the key and of the account is used: of that which is used most. Null without a limit. */
  keyPercent: number | null
  accountPercent: number | null
  /** How much of the plan windows is used: of that which is used most. */
  planPercent: number | null
  /** Tokens; an estimate. */
  promptTokens: number
  /** Minutes since midnight, and the day of the week from Monday (0), in the time zone of the account. */
  minute: number
  weekday: number
}
