// Random rules of a simulated world.
import type { Action } from '../../../features/rules/api/actions.ts'
import type { Condition } from '../../../features/rules/api/conditions.ts'
import type { RuleInput } from '../../../features/rules/api/rules.ts'
import { type Random, randomForCase } from '../random.ts'
import { models } from './models.ts'

/** The share of worlds with rules, in which less is known of what a request may cost. */
const CHANCE = 0.3

/** Drawn apart from the rest of a plan, which stays the same without them. */
export function drawRules(seed: number): RuleInput[] {
  const random = randomForCase(seed, 2)
  if (!random.chance(CHANCE)) return []
  return Array.from({ length: random.between(1, 6) }, () => ({
    name: null,
    when: drawSome(random, CONDITIONS),
    do: random.chance(0.15) ? [{ kind: random.any(['ask', 'deny'] as const) }] : drawActions(random),
    at: random.any(['start', 'any'] as const),
    mode: random.any(['on', 'on', 'shadow', 'off'] as const),
  }))
}

const CONDITIONS: readonly ((random: Random) => Condition)[] = [
  (random) => ({
    kind: 'budget',
    of: random.any(['key', 'account', 'any'] as const),
    percent: random.any([1, 20, 50, 80]),
  }),
  (random) => ({
    kind: 'model',
    models: [random.any([...models.map(({ id }) => id), '*o*', 'anthropic/*'])],
  }),
  (random) => ({ kind: 'caller', is: random.any(['main', 'subagent', 'side'] as const) }),
  (random) => ({ kind: 'tag', tags: [random.any(['shop', 'lab'])] }),
  (random) => ({ kind: 'prompt', atLeast: random.any([50, 500, 5_000]) }),
  (random) => ({ kind: 'effort', atLeast: random.any(['low', 'high'] as const) }),
  () => ({ kind: 'premium', any: ['tier', 'cache', 'tools'] }),
  () => ({ kind: 'time', from: '12:30', to: '13:30' }),
]

const ACTIONS: readonly ((random: Random) => Action)[] = [
  (random) => ({ kind: 'model', model: random.any(models).id }),
  () => ({ kind: 'effort', atMost: 'low' }),
  () => ({ kind: 'thinking', atMost: 2_000 }),
  () => ({ kind: 'remove', what: ['tier', 'speed', 'cache', 'tools'] }),
]

function drawSome<T>(random: Random, all: readonly ((random: Random) => T)[]): T[] {
  return all.filter(() => random.chance(0.15)).map((draw) => draw(random))
}

function drawActions(random: Random): Action[] {
  const drawn = drawSome(random, ACTIONS)
  return drawn.length > 0 ? drawn : [random.any(ACTIONS)(random)]
}
