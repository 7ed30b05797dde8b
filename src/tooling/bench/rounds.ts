// Measures several things in turn, several times: what else the machine does affects them all alike.
import { errorMessage } from '../../shared/values/text.ts'
import { computeSpread, type Spread } from './statistics.ts'

export interface Rounds<M> {
  rounds: M[]
  /** Why it could not be measured. */
  failure: string | null
}

/** The rounds of each name. A round before the first one warms up, and its measurement is dropped. */
export async function measureInTurn<T extends { name: string }, M>(
  measured: readonly T[],
  rounds: number,
  measure: (one: T, isWarmUp: boolean) => Promise<M>,
): Promise<ReadonlyMap<string, Rounds<M>>> {
  const results = new Map(
    measured.map(({ name }): [string, Rounds<M>] => [name, { rounds: [], failure: null }]),
  )
  for (let round = 0; round <= rounds; round++)
    for (const one of measured) {
      const result = results.get(one.name)
      if (!result || result.failure !== null) continue
      try {
        const measurement = await measure(one, round === 0)
        if (round > 0) result.rounds.push(measurement)
      } catch (error) {
        result.failure = errorMessage(error)
      }
    }
  return results
}

/** Compares two of them in each round; null where one of them was not measured. */
export function compareRounds<M>(
  one: Rounds<M> | undefined,
  other: Rounds<M> | undefined,
  by: (a: M, b: M) => number,
): Spread | null {
  const values = (one?.rounds ?? []).flatMap((round, index) => {
    const same = other?.rounds[index]
    return same === undefined ? [] : [by(round, same)]
  })
  return values.length === 0 ? null : computeSpread(values)
}
