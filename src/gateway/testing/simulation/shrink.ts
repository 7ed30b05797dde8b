// The shortest list of actions that still breaks an invariant.
import type { Invariant } from './broken.ts'
import type { Action, Plan } from './plan.ts'
import { simulate } from './simulate.ts'

/** Runs of the plan, at most. */
const MAX_RUNS = 400

/** Leaves out what does not break the invariant: halves, quarters, and so on down to single actions. */
export async function shrink(plan: Plan, invariant: Invariant): Promise<Plan> {
  let runs = 0
  const isBroken = async (candidate: Plan) => {
    runs += 1
    return (await simulate(candidate)).broken?.invariant === invariant
  }
  let { actions } = plan
  for (let size = actions.length >> 1; size >= 1 && runs < MAX_RUNS; ) {
    const shorter = await withoutPart(actions, size, (rest) => isBroken({ ...plan, actions: rest }))
    if (shorter) actions = shorter
    else size >>= 1
  }
  return { ...plan, actions }
}

async function withoutPart(
  actions: readonly Action[],
  size: number,
  isBroken: (rest: readonly Action[]) => Promise<boolean>,
): Promise<readonly Action[] | null> {
  for (let from = actions.length - size; from > -size; from -= size) {
    const start = Math.max(0, from)
    const rest = [...actions.slice(0, start), ...actions.slice(start + size)]
    if (rest.length > 0 && (await isBroken(rest))) return rest
  }
  return null
}

/** The plan for a reader, one action a line. */
export function formatPlan({ keys, actions, pastSpendNano, slowestCommitMs }: Plan): string {
  const lines = actions.map(
    ({ at, ...action }) => `  ${String(at).padStart(8)} ms  ${JSON.stringify(action)}`,
  )
  const world = `  keys ${JSON.stringify(keys)}\n  commits of up to ${slowestCommitMs} ms, ${pastSpendNano} nano-dollars spent before`
  return [world, ...lines].join('\n')
}
