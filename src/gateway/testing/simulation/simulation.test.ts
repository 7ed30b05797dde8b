// Simulated worlds with the same seeds in each run. `npm run simulate` draws others, as many as wanted.
import { expect, it } from 'vitest'
import { createPlan } from './plan.ts'
import { formatPlan, shrink } from './shrink.ts'
import { simulate } from './simulate.ts'

const REQUESTS = 100
/** The first worlds, those in which `holes.test.ts` finds a hole, and those that have found faults. */
const SEEDS = {
  first: [1, 2, 3, 4],
  withHoles: [6, 18, 24, 38, 42, 46],
  /** The faults were in bounds, holds, limits, crashes, the capacity of the ledger, and requests that rules had changed. */
  withFaults: [50, 55, 73, 79, 151, 350, 577, 808, 3166, 6643],
}

it.each(Object.values(SEEDS).flat())('the invariants hold in the world of seed %i', async (seed) => {
  const plan = createPlan(seed, REQUESTS)
  const { broken, requests } = await simulate(plan)
  if (broken) {
    const shortest = await shrink(plan, broken.invariant)
    throw new Error(`seed ${seed}, ${broken.invariant}: ${broken.message}\n${formatPlan(shortest)}`)
  }
  expect(requests).toBeGreaterThan(0)
})

/** The second one has rules, and sessions that are spread over credentials. */
it.each([2, 9])('the world of seed %i is the same each time', async (seed) => {
  const run = async () => {
    const events: string[] = []
    await simulate(createPlan(seed, REQUESTS), { log: (event) => events.push(event) })
    return events.map((event) => event.replaceAll(/(?:key|req|rule)_[0-9a-f]+/g, 'id'))
  }
  expect(await run()).toEqual(await run())
})
