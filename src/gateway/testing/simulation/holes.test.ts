// Each hole is found in the world of a seed that is whole without it, as `simulation.test.ts` shows.
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Invariant } from './broken.ts'
import { type Hole, holes } from './holes.ts'
import { createPlan } from './plan.ts'
import { simulate } from './simulate.ts'

const REQUESTS = 100

type Body = Readonly<Record<string, unknown>>

/** Leaves out what the gateway is to overlook in a request, although its vendor reads it. */
const overlooked = vi.hoisted(() => {
  const nothing = (body: Body): Body => body
  return { nothing, inTools: nothing, inContent: nothing }
})

vi.mock('../../formats/chat/requested-extras.ts', async (original) => {
  const real = await original<typeof import('../../formats/chat/requested-extras.ts')>()
  const readExtras: typeof real.readExtras = (request, model) =>
    real.readExtras(overlooked.inTools(request), model)
  return { ...real, readExtras }
})
vi.mock('../../formats/chat/sent-content.ts', async (original) => {
  const real = await original<typeof import('../../formats/chat/sent-content.ts')>()
  const readSentContent: typeof real.readSentContent = (format, body) =>
    real.readSentContent(format, overlooked.inContent(body))
  return { ...real, readSentContent }
})

afterEach(() => {
  overlooked.inTools = overlooked.nothing
  overlooked.inContent = overlooked.nothing
})

const withoutToolItems = ({ input, ...rest }: Body): Body => ({
  ...rest,
  ...(Array.isArray(input) && { input: input.filter((item) => item.type !== 'additional_tools') }),
})
const withoutHistory = ({ previous_response_id: _, ...rest }: Body): Body => rest
const withoutUnknown = ({ files: _, agent_id: __, document_ids: ___, ...rest }: Body): Body => rest

async function find(seed: number, hole?: Hole): Promise<Invariant | null> {
  const { broken } = await simulate(createPlan(seed, REQUESTS), hole && { hole })
  return broken?.invariant ?? null
}

interface Found {
  seed: number
  invariant: Invariant
}

const seeds: Readonly<Record<keyof typeof holes, Found>> = {
  'a stream whose next part does not fit goes on': { seed: 363, invariant: 'cap' },
  'a stream is not booked while the owner is asked': { seed: 24, invariant: 'bound' },
  'a crash leaves of a stream what it had reserved at its start': { seed: 24, invariant: 'invoice' },
  'a report far above the bound is replaced by it': { seed: 18, invariant: 'unsettled' },
  'only the model that a rule has chosen serves': { seed: 42, invariant: 'refused' },
  'each request has a credential of its own': { seed: 6, invariant: 'spread' },
}

describe.each(Object.entries(seeds))('%s', (name, { seed, invariant }) => {
  it(`breaks the world of seed ${seed}`, async () => {
    const hole = Object.entries(holes).find(([each]) => each === name)?.[1]
    expect(await find(seed, hole)).toBe(invariant)
  })
})

interface Oversight extends Found {
  what: string
  inTools?: (body: Body) => Body
  inContent?: (body: Body) => Body
}

const oversights: readonly Oversight[] = [
  {
    what: 'tools in an item of the input',
    inTools: withoutToolItems,
    seed: 38,
    invariant: 'bound with searches',
  },
  {
    what: 'the history of a conversation that goes on',
    inContent: withoutHistory,
    seed: 57,
    invariant: 'bound with searches',
  },
  {
    what: 'members that no format has',
    inContent: withoutUnknown,
    seed: 5,
    invariant: 'bound with searches',
  },
]

describe.each(oversights)('overlooking $what', ({ seed, invariant, ...overlook }) => {
  it(`breaks the world of seed ${seed}`, async () => {
    Object.assign(overlooked, overlook)
    expect(await find(seed)).toBe(invariant)
  })
})
