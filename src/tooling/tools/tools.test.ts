import { expect, test } from 'vitest'
import { HISTORY_TOOLS } from '../../shared/api/history-tools.ts'
import { tools } from './tools.ts'

test('every agent whose log is imported is tried, and its log is compared with the requests', () => {
  const compared = tools.filter(({ agent }) => agent !== null && agent.log !== false).map(({ id }) => id)
  expect(compared.toSorted()).toEqual(HISTORY_TOOLS.toSorted())
})
