// Runs the money model: the commands with their weights, in several gateways in parallel.
import fc from 'fast-check'
import { BEHAVIORS, SLOW } from './behaviors.ts'
import { Call, Group, Replay, Rush, WithoutProvider } from './call-commands.ts'
import type { CallPlan } from './calls.ts'
import type { Command } from './command.ts'
import { type Cut, CutOff } from './cut-off.ts'
import {
  ChangePlan,
  CreateKey,
  JumpClock,
  Restart,
  Revoke,
  SetAccountLimits,
  SetCap,
  SetLimits,
  SetMonthlyLimit,
} from './key-commands.ts'
import { LedgerModel } from './ledger-model.ts'
import { Pause, PauseAll, Resume } from './pause-commands.ts'
import { World } from './world.ts'

/** Per world; each world has a new data dir. */
const COMMANDS = 150
/** In parallel, so that the gateway's delays between attempts cost no time. */
const WORLDS = 6

const quick = fc.constantFrom(...BEHAVIORS.filter((behavior) => !SLOW.includes(behavior)))
const slow = fc.constantFrom(...SLOW)

const plan = (behavior: fc.Arbitrary<CallPlan['behavior']>): fc.Arbitrary<CallPlan> =>
  fc.record({
    key: fc.nat(20),
    behavior,
    stream: fc.boolean(),
    choices: fc.constantFrom(1, 1, 1, 1, 3),
    promptTokens: fc.integer({ min: 5, max: 60 }),
    outputTokens: fc.integer({ min: 5, max: 300 }),
    variant: fc.nat(20),
    session: fc.constantFrom(null, null, 'first', 'second'),
    project: fc.constantFrom(null, null, 'shop', 'lab'),
  })

/** From zero to the cost of a few calls. */
const headroom = fc.oneof(
  { weight: 2, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constant(0) },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 3_000_000 }) },
)
const key = fc.nat(20)
const limit = {
  per: fc.constantFrom('day' as const, 'day', 'week', 'month', 'session', 'session', 'lifetime'),
  window: fc.constantFrom('calendar' as const, 'rolling'),
  model: fc.constantFrom(null, null, '*plausible' as const, 'acme/plausible', 'single'),
  headroom: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 3_000_000 })),
}
const limits = fc.array(fc.record(limit), { maxLength: 3 })
const accountLimits = fc.oneof(
  fc.constant([]),
  fc.array(fc.record({ ...limit, project: fc.constantFrom(null, 'shop', 'lab') }), { maxLength: 2 }),
)
const running = fc.constantFrom('finish' as const, 'end')
const rush = fc
  .record({
    call: plan(fc.constant('exact')).map((value) => ({ ...value, choices: 1 })),
    calls: fc.integer({ min: 4, max: 8 }),
    headroom: fc.integer({ min: 1, max: 300_000 }),
  })
  .map((value) => new Rush(value))
const cut = fc.constantFrom<Cut[]>(
  'disconnect',
  'disconnect',
  'revocation',
  'provider-removed',
  'pause',
  'pause-all',
)

const quickPlan = plan(quick)
const group = fc.array(quickPlan, { minLength: 2, maxLength: 8 }).map((calls) => new Group({ calls }))
const cutOff = (how: fc.Arbitrary<Cut>) =>
  fc
    .record({
      calls: fc.array(quickPlan, { minLength: 1, maxLength: 4 }),
      cut: how,
      afterText: fc.boolean(),
    })
    .map((value) => new CutOff(value))

/** The provider that stalls has `n`. */
const withOneChoice = (value: CallPlan): CallPlan =>
  value.behavior === 'stalled-once' ? { ...value, choices: 1 } : value

const WEIGHTED: readonly fc.WeightedArbitrary<Command>[] = [
  { weight: 40, arbitrary: quickPlan.map((value) => new Call(value)) },
  { weight: 2, arbitrary: plan(slow).map((value) => new Call(withOneChoice(value))) },
  { weight: 12, arbitrary: group },
  { weight: 2, arbitrary: rush },
  { weight: 8, arbitrary: quickPlan.map((value) => new Replay(value)) },
  { weight: 6, arbitrary: cutOff(cut) },
  { weight: 1, arbitrary: cutOff(fc.constant('crash')) },
  { weight: 1, arbitrary: fc.constant(new Restart()) },
  { weight: 2, arbitrary: quickPlan.map((value) => new WithoutProvider(value)) },
  { weight: 6, arbitrary: fc.record({ headroom }).map((value) => new CreateKey(value)) },
  { weight: 10, arbitrary: fc.record({ key, headroom }).map((value) => new SetCap(value)) },
  { weight: 6, arbitrary: fc.record({ key, limits }).map((value) => new SetLimits(value)) },
  { weight: 2, arbitrary: fc.record({ key }).map((value) => new Revoke(value)) },
  { weight: 3, arbitrary: fc.record({ headroom }).map((value) => new SetMonthlyLimit(value)) },
  { weight: 4, arbitrary: fc.record({ limits: accountLimits }).map((value) => new SetAccountLimits(value)) },
  { weight: 2, arbitrary: fc.record({ key, running }).map((value) => new Pause(value)) },
  { weight: 1, arbitrary: fc.record({ running }).map((value) => new PauseAll(value)) },
  { weight: 12, arbitrary: fc.record({ keys: fc.boolean() }).map((value) => new Resume(value)) },
  { weight: 2, arbitrary: fc.constant(new ChangePlan()) },
  {
    weight: 3,
    arbitrary: fc.record({ hours: fc.integer({ min: -800, max: 800 }) }).map((value) => new JumpClock(value)),
  },
]

export interface ModelRun {
  steps: number
  seed: number
  /** Milliseconds to shrink a failing list of commands. */
  shrinkMs?: number
  /** Called after each command with the steps run so far. */
  progress?(steps: number): void
}

/** Runs `steps` steps and returns their number. Throws the first failure, with the commands that lead to it. */
export async function runModel({ steps, seed, shrinkMs = 30_000, progress }: ModelRun): Promise<number> {
  let done = 0
  let next = seed
  let failed = false
  const worlds = async () => {
    while (done < steps && !failed) {
      const worldSeed = next++
      const list = commandsOf(worldSeed)
      const outcome = await runWorld(list, (count) => {
        done += count
        progress?.(done)
        return done >= steps || failed
      })
      if (outcome.error === null || failed) continue
      failed = true
      const shortest = await shrink(list.slice(0, outcome.at + 1), performance.now() + shrinkMs)
      const text = shortest.list.map((command) => `  ${command}`).join('\n')
      throw new Error(
        `${messageOf(shortest.error ?? outcome.error)}\nwith --seed ${worldSeed} after\n${text}`,
      )
    }
  }
  await Promise.all(Array.from({ length: WORLDS }, worlds))
  return done
}

function commandsOf(seed: number): readonly Command[] {
  const commands = fc.array(fc.oneof(...WEIGHTED), { minLength: COMMANDS, maxLength: COMMANDS, size: 'max' })
  return fc.sample(commands, { seed, numRuns: 1 })[0] ?? []
}

interface Outcome {
  error: unknown
  /** The command that failed. */
  at: number
}

/** `shouldStop` is called with the steps of each command. */
async function runWorld(
  list: readonly Command[],
  shouldStop: (count: number) => boolean = () => false,
): Promise<Outcome> {
  const world = await World.start()
  const model = new LedgerModel()
  let at = 0
  try {
    await new CreateKey({ headroom: null }).run(model, world)
    await new CreateKey({ headroom: 1_000_000 }).run(model, world)
    for (; at < list.length; at++) {
      const command = list[at]
      const before = world.steps
      if (command?.check(model)) await command.run(model, world)
      if (shouldStop(world.steps - before)) break
    }
    return { error: null, at }
  } catch (error) {
    return { error, at }
  } finally {
    await world.close()
  }
}

/** Removes commands that the failure does not need, in ever smaller chunks, until the deadline. */
async function shrink(
  list: readonly Command[],
  deadline: number,
): Promise<{ list: readonly Command[]; error: unknown }> {
  let best = list
  let error: unknown = null
  for (let size = Math.ceil(list.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < best.length - 1 && performance.now() < deadline; ) {
      const without = best.toSpliced(from, Math.min(size, best.length - 1 - from))
      const outcome = await runWorld(without)
      if (outcome.error === null) from += size
      else {
        best = without.slice(0, outcome.at + 1)
        error = outcome.error
      }
    }
  }
  return { list: best, error }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}
