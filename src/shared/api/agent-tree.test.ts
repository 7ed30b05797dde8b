import { expect, test } from 'vitest'
import { createAgentTree, nameBranch } from './agent-tree.ts'
import type { RequestAgent } from './requests.ts'

const place = (part: Partial<RequestAgent>): RequestAgent => ({
  id: null,
  parentId: null,
  type: null,
  role: 'main',
  toolMs: {},
  ...part,
})
const row = (agent: RequestAgent | null, costUsd = 1) => ({
  agent,
  costUsd,
  worthUsd: null,
  count: 1,
  tokensIn: 1,
  tokensOut: 1,
  timings: { queueMs: 0, firstByteMs: 1, totalMs: 10 },
})

test('each agent is below the one that started it, with the sums of its requests', () => {
  const tree = createAgentTree([
    row(place({ toolMs: { Bash: 5 } })),
    row(place({ id: 'deep', parentId: 'wide', type: 'Plan', role: 'subagent' }), 4),
    row(place({ id: 'wide', type: 'Explore', role: 'subagent', toolMs: { Read: 1 } }), 2),
    row(place({ role: 'compaction' }), 8),
    row(null, 16),
    row(place({ id: 'wide', role: 'subagent', toolMs: { Read: 2, Bash: 9 } }), 2),
  ])
  expect(tree.map((branch) => [nameBranch(branch), branch.depth, branch.requests, branch.costUsd])).toEqual([
    ['Main agent', 0, 2, 17],
    ['Explore', 1, 2, 4],
    ['Plan', 2, 1, 4],
    ['Compaction', 1, 1, 8],
  ])
  expect(tree[1]).toMatchObject({
    modelMs: 20,
    toolMs: 12,
    tools: [
      ['Bash', 9],
      ['Read', 3],
    ],
  })
})

test('agents that name each other, or an unknown one, are all in the tree once', () => {
  const agents = [
    place({ id: 'a', parentId: 'b', role: 'subagent' }),
    place({ id: 'b', parentId: 'a', role: 'subagent' }),
    place({ id: 'c', parentId: 'gone', role: 'subagent' }),
    place({ id: 'd', parentId: 'd', role: 'subagent' }),
  ]
  const keys = createAgentTree(agents.map((agent) => row(agent))).map(({ key }) => key)
  expect(keys.toSorted()).toEqual(['a', 'b', 'c', 'd'])
  expect(createAgentTree([row(null)])).toEqual([])
})
