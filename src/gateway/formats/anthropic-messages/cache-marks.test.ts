import { describe, expect, it } from 'vitest'
import { type MarkedPrompt, markPrompt } from './cache-marks.ts'

const text = (words: string, mark?: object) => ({
  type: 'text',
  text: words,
  ...(mark && { cache_control: mark }),
})
const user = (...content: ReturnType<typeof text>[]) => ({ role: 'user', content })
const assistant = (...content: ReturnType<typeof text>[]) => ({ role: 'assistant', content })
const FIVE = { type: 'ephemeral' }
const HOUR = { type: 'ephemeral', ttl: '1h' }

function mark(prompt: Partial<MarkedPrompt>, lifetime: '5m' | '1h' = '5m') {
  const whole = { tools: [], system: [], messages: [], ...prompt }
  markPrompt(whole, lifetime)
  return whole
}

/** The texts with a mark, in order. */
function listMarked({ tools, system, messages }: MarkedPrompt): unknown[] {
  return [...tools, ...system, ...messages.flatMap(({ content }) => content)]
    .filter(({ cache_control }) => cache_control)
    .map(({ text: words, name }) => words ?? name)
}

const conversation = () => [
  user(text('one')),
  assistant(text('first answer')),
  user(text('two'), text('more of it')),
  assistant(text('second answer')),
  user(text('three')),
]

describe('marks', () => {
  it('the last tool, the instructions and the last two turns of the user', () => {
    const prompt = {
      tools: [{ name: 'a' }, { name: 'b' }],
      system: [text('Be brief.')],
      messages: conversation(),
    }
    expect(listMarked(mark(prompt))).toEqual(['b', 'Be brief.', 'more of it', 'three'])
  })

  it('nothing of a first question without tools, which is not sent again', () => {
    expect(listMarked(mark({ system: [text('Be brief.')], messages: [user(text('one'))] }))).toEqual([])
    expect(listMarked(mark({ tools: [{ name: 'a' }], messages: [user(text('one'))] }))).toEqual(['a', 'one'])
    expect(listMarked(mark({ messages: conversation() }))).toEqual(['more of it', 'three'])
  })

  it('no more than four, with those of the client', () => {
    const messages = [
      user(text('one', FIVE), text('two', FIVE)),
      assistant(text('answer', FIVE)),
      user(text('three')),
    ]
    const prompt = { tools: [{ name: 'a' }], system: [text('Be brief.')], messages }
    expect(listMarked(mark(prompt))).toEqual(['one', 'two', 'answer', 'three'])
    const full = [user(...['1', '2', '3', '4', '5'].map((each) => text(each, FIVE)), text('last'))]
    expect(listMarked(mark({ tools: [{ name: 'a' }], messages: full }))).toEqual(['1', '2', '3', '4', '5'])
  })

  it('for the lifetime of the client’s own, and none next to a mixture', () => {
    const messages = conversation()
    mark({ system: [text('Be brief.', HOUR)], messages })
    expect(messages[4]?.content[0]).toMatchObject({ cache_control: HOUR })
    const others = conversation()
    mark({ messages: others }, '1h')
    expect(others[4]?.content[0]).toMatchObject({ cache_control: HOUR })
    const mixed = [user(text('one', FIVE)), ...conversation().slice(1)]
    const prompt = mark({ system: [text('Be brief.', HOUR)], messages: mixed })
    expect(listMarked(prompt)).toEqual(['Be brief.', 'one'])
  })
})
