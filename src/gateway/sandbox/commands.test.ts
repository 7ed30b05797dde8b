import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readCommands, sandboxCommands } from './commands.ts'
import {
  answer,
  answerEvents,
  answerText,
  createRequest,
  findFailure,
  textOfEvents,
} from './testing/ask-sandbox.ts'
import { countTokens } from './tokens.ts'

describe('a command in the prompt', () => {
  it('is documented in the manual', () => {
    const manual = readFileSync('docs/api.md', 'utf8')
    for (const { example, effect } of sandboxCommands)
      expect(manual).toContain(`| \`${example}\` | ${effect} |`)
  })

  it('fails with the commanded status', async () => {
    expect(await findFailure(answer(createRequest('Hi [[sandbox:error 503]]')))).toMatchObject({
      kind: 'status',
      status: 503,
    })
    expect(await findFailure(answerEvents(createRequest('[[sandbox:error 400]]')))).toMatchObject({
      status: 400,
    })
  })

  it.each(['[[sandbox:a ', '[[sandbox:', '[[sandbox:echo '])(
    'is looked for once in %s… without an end: again from each place would take longer than a test may',
    (text) => {
      const long = text.repeat(40_000)
      expect(readCommands(long).rest).toBe(long.trim())
    },
  )

  it('is one of at most 1,000', () => {
    const { commands } = readCommands('[[sandbox:tool a]]'.repeat(60_000))
    expect(commands.tools).toHaveLength(1_000)
    expect(readCommands('[[sandbox:echo a\nb]] c [[sandbox:x y]]')).toMatchObject({
      commands: { echo: 'a\nb' },
      rest: 'c [[sandbox:x y]]',
    })
  })

  it('interrupts a stream in the middle', async () => {
    const all = await answerEvents(createRequest('[[sandbox:cut]] Tell me a story'))
    expect(all.at(-1)).toMatchObject({ type: 'failed', failure: { kind: 'network' } })
    expect(textOfEvents(all).length).toBeGreaterThan(10)
    expect(await findFailure(answer(createRequest('[[sandbox:cut]]')))).toMatchObject({ kind: 'network' })
  })

  it('stalls until the stall limit', async () => {
    const all = await answerEvents(createRequest('[[sandbox:stall]] Tell me a story'), { stallTimeoutMs: 20 })
    expect(all.at(-1)).toMatchObject({ type: 'failed', failure: { kind: 'timeout' } })
  })

  it('waits, at most until the first-byte limit', async () => {
    const startedAt = performance.now()
    await answer(createRequest('[[sandbox:slow 60]]'))
    expect(performance.now() - startedAt).toBeGreaterThan(50)
    expect(
      await findFailure(answer(createRequest('[[sandbox:slow 60]]'), { firstByteTimeoutMs: 20 })),
    ).toMatchObject({ kind: 'timeout' })
  })

  it('answers with exactly so many tokens', async () => {
    const { usage, completion } = await answer(createRequest('[[sandbox:tokens 200]]'))
    expect(usage?.buckets.output).toBe(200)
    expect(countTokens(completion.choices[0]?.message.content ?? '')).toBe(200)
  })

  it('echoes, filters, and reports no usage', async () => {
    expect(await answerText(createRequest('[[sandbox:echo a  b\nc]]'))).toBe('a  b\nc')
    expect((await answer(createRequest('[[sandbox:filter]] Hi'))).completion.choices[0]?.finish_reason).toBe(
      'content_filter',
    )
    expect((await answer(createRequest('[[sandbox:no-usage]] Hi'))).usage).toBeNull()
    expect(
      (await answerEvents(createRequest('[[sandbox:no-usage]] Hi'))).some((event) => event.type === 'usage'),
    ).toBe(false)
  })
})
