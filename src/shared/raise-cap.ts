import type { KeyMetadata } from './keys.ts'

/** What the buttons beside an alert add to a cap. */
export const RAISE_USD = 5

type Capped = Pick<KeyMetadata, 'spendLimitUsd' | 'spendUsd'>

/** Whether the cap of a key refuses its requests. */
export function isCapUsedUp({ spendLimitUsd, spendUsd }: Capped): boolean {
  return spendLimitUsd !== null && spendUsd >= spendLimitUsd
}

/** The cap that leaves `RAISE_USD` more to spend, in whole cents. */
export function raisedCap({ spendLimitUsd, spendUsd }: Capped): number {
  return Math.round((Math.max(spendLimitUsd ?? 0, spendUsd) + RAISE_USD) * 100) / 100
}
