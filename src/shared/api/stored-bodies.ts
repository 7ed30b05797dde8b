import type { Settings } from './account.ts'

/** Whether prompts and answers of requests that end at `now` are stored, for keys without a choice of their own. */
export function storesBodies(
  { storeBodies, storeBodiesUntil }: Pick<Settings, 'storeBodies' | 'storeBodiesUntil'>,
  now: number,
): boolean {
  return storeBodies || (storeBodiesUntil !== null && now < Date.parse(storeBodiesUntil))
}
