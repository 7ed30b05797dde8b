import { expect, test } from 'vitest'
import { mergeLimits } from './main-limit.ts'

const cap = (usd: number) => ({ usd, per: 'lifetime' as const })
const daily = { usd: 1, per: 'day' as const }
const weekly = { usd: 3, per: 'week' as const }

test.each([
  ['nothing', {}, [cap(5), daily]],
  ['another cap', { mainUsd: 9 }, [cap(9), daily]],
  ['no cap', { mainUsd: null }, [daily]],
  ['other limits', { limits: [weekly] }, [cap(5), weekly]],
  ['no other limits', { limits: [] }, [cap(5)]],
  ['the cap in the list', { limits: [weekly, cap(7)] }, [weekly, cap(7)]],
  ['a lower cap in the list', { mainUsd: 9, limits: [weekly, cap(7)] }, [weekly, cap(7)]],
  ['a higher cap in the list', { mainUsd: 9, limits: [cap(11), weekly] }, [cap(9), weekly]],
  ['two caps in the list', { limits: [cap(8), weekly, cap(6)] }, [cap(6), weekly]],
  ['no cap, and one in the list', { mainUsd: null, limits: [cap(7)] }, [cap(7)]],
  ['no cap, and other limits', { mainUsd: null, limits: [weekly] }, [weekly]],
])('an update with %s', (_name, update, expected) => {
  expect(mergeLimits([cap(5), daily], update, 'lifetime')).toEqual(expected)
})

test('a new cap is the last limit, and no cap leaves none', () => {
  expect(mergeLimits([daily], { mainUsd: 2 }, 'lifetime')).toEqual([daily, cap(2)])
  expect(mergeLimits([daily], { mainUsd: null }, 'lifetime')).toEqual([daily])
})
