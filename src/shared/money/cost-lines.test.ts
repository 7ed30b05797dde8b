import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { AppliedPrice, UsageBuckets } from '../api/requests.ts'
import { addNano, itemizeCost, scaleNano } from './cost-lines.ts'
import { nanoUsd } from './money.ts'

const count = fc.nat(2_000_000)
const rate = fc.integer({ min: 0, max: 500_000 }).map((thousandths) => thousandths / 1_000)

it('lines, discount, rest and rounding always add up to the charge', () => {
  fc.assert(
    fc.property(
      fc.record({
        input: count,
        cacheRead: count,
        output: count,
        audioPart: fc.nat(100),
        webSearches: count,
      }),
      fc.record({ input: rate, output: rate, cache: rate, audio: rate, fee: rate }),
      fc.record({
        percent: fc.integer({ min: 0, max: 99 }),
        total: fc.nat(2 ** 31 - 1),
        reported: fc.boolean(),
      }),
      ({ audioPart, ...used }, rates, { percent, total, reported }) => {
        const usage: UsageBuckets = {
          ...{ cacheWrite5m: 0, cacheWrite1h: 0, audioInput: 0, audioOutput: 0, reasoning: 0 },
          ...used,
          cacheReadAudio: Math.min(audioPart, used.cacheRead),
        }
        const price: AppliedPrice = {
          pricing: {
            inputPerMillion: rates.input,
            outputPerMillion: rates.output,
            cacheReadPerMillion: rates.cache,
            cacheReadAudioPerMillion: rates.audio,
            perThousandRequests: rates.fee,
          },
          origin: { source: 'user', match: 'exact', asOf: null },
          plan: 'bundle',
          discountPercent: percent,
          reportedByProvider: reported,
        }
        const { lines, reportedNano, discount, otherNano, roundingNano } = itemizeCost(
          usage,
          price,
          nanoUsd(total),
        )
        const parts = [...lines.map(({ nano }) => nano), reportedNano, discount?.nano ?? null]
        expect(addNano([...parts, otherNano, roundingNano])).toBe(scaleNano(total))
        expect(otherNano === null || roundingNano === null).toBe(true)
      },
    ),
  )
})

it('reads only amounts as it writes them', () => {
  expect(addNano(['1.5', '-0.25', null])).toBe(125_000_000n)
  for (const text of ['', '1e3', '0x10', '1,5', ' 1', '1.123456789']) expect(addNano([text])).toBeNull()
})
