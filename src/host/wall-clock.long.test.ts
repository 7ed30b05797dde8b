// The clock of the computer is moved while the program runs: limits neither open too early nor a second time.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { forEachTest } from '../gateway/testing/lifetime.ts'
import { PreloadedPrograms } from './testing/preloaded.ts'

const DAY_S = 24 * 60 * 60

const programs = forEachTest(async () => new PreloadedPrograms())

async function start() {
  const clockFile = join(programs.folder, 'clock')
  /** Sets the clock to so many days after noon (UTC) of the 10th of the next month. */
  const setDay = (days: number) => {
    const now = new Date()
    const noon = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 10, 12)
    writeFileSync(clockFile, String(Math.round((noon - now.getTime()) / 1000) + days * DAY_S))
  }
  setDay(0)
  const run = () => programs.start('wall-clock', { CLOCK_FILE: clockFile })
  const program = await run()
  await program.call('PATCH', '/v1/settings', { body: { timeZone: 'UTC' } })
  const price: number = (await program.chat({})).json.usage.cost
  return { program, run, setDay, price }
}

test.skipIf(process.platform !== 'linux').each(['day', 'month'] as const)(
  'a limit per %s opens once, whatever the clock does',
  async (per) => {
    const { program, run, setDay, price } = await start()
    const key = await program.createKey({
      ...{ name: 'limited', scope: 'full' },
      spendLimits: [{ usd: price * 1.5, per }],
    })
    let current = program
    const ask = async () => (await current.chat({}, { as: key.secret })).status
    const expectUsedUp = async (day: number) => {
      setDay(day)
      for (let n = 0; n < 5; n += 1) expect(await ask(), `day ${day}`).toBe(402)
    }
    const expectOpens = async (day: number) => {
      setDay(day)
      await expect.poll(ask, { message: `day ${day}` }).toBe(200)
      expect([await ask(), await ask()], `day ${day}`).toEqual([200, 402])
    }
    await expectOpens(0)
    const later = per === 'day' ? [1, 2, 40] : [40]
    for (const day of later) {
      await expectOpens(day)
      // Not again when the clock goes back, for as far as it was ahead, and for years.
      for (const back of [0, day, 0, -1, day]) await expectUsedUp(back)
    }
    // Two years back is another period, which takes nothing from the later ones.
    setDay(-730)
    await ask()
    for (const day of [...later, 0]) await expectUsedUp(day)
    const spent = async () => (await current.getAccount()).spendUsd
    const before = await spent()
    current.child.kill('SIGTERM')
    await current.ended
    current = await run()
    await expectUsedUp(0)
    expect(await spent()).toBe(before)
    const byDay = (await current.call('GET', '/v1/usage?groupBy=day')).json.total.costUsd
    expect(byDay).toBeCloseTo(before, 9)
    current.child.kill('SIGTERM')
    await current.ended
  },
)
