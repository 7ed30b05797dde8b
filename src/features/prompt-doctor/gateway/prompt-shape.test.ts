import { expect, test } from 'vitest'
import { findServer, readPromptShape } from './prompt-shape.ts'

const PICTURE = `data:image/png;base64,${'A'.repeat(50_000)}`
const tool = (name: string) => ({
  type: 'function' as const,
  function: { name, description: 'x'.repeat(100) },
})

test('a prompt is divided into instructions, tools by server, history, results by tool, and images', () => {
  const shape = readPromptShape({
    tools: [tool('mcp__git__log'), tool('mcp__git__diff'), tool('bash')],
    messages: [
      { role: 'system', content: 's'.repeat(500) },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'u'.repeat(50) },
          { type: 'image_url', image_url: { url: PICTURE } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: '1', function: { name: 'bash', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: '1', content: 'r'.repeat(900) },
    ],
  })
  const { git, '': own } = Object.fromEntries(shape.servers)
  expect(git?.tools).toBe(2)
  expect(own?.tools).toBe(1)
  expect(shape.sizes.tools).toBe((git?.size ?? 0) + (own?.size ?? 0))
  expect(shape.sizes.system).toBe(500)
  // The ids and names of calls are part of it.
  expect(shape.sizes.history).toBeGreaterThanOrEqual(50)
  expect(shape.sizes.history).toBeLessThan(70)
  expect(Object.fromEntries(shape.results).bash).toBe(shape.sizes.results)
  expect(shape.sizes.results).toBeGreaterThanOrEqual(900)
  expect(shape.sizes.media).toBe(6_000)
  expect([...shape.called]).toEqual(['bash'])
})

test('a server is read from the names that agents give to tools', () => {
  expect(findServer('mcp__github__create_issue')).toBe('github')
  expect(findServer('mcp__my__files__read')).toBe('my')
  expect(findServer('mcp_github_create_issue')).toBe('github')
  expect(findServer('read_file')).toBe('')
})

test('marks and the form of a text do not change its hash; another length or text does', () => {
  const hashes = (content: unknown) =>
    readPromptShape({ messages: [{ role: 'user', content }] } as Parameters<typeof readPromptShape>[0])
      .messages
  const long = 'word '.repeat(5_000)
  const mark = { cache_control: { type: 'ephemeral' } }
  expect(hashes([{ type: 'text', text: long, ...mark }])).toEqual(hashes(long))
  expect(hashes(`${long}x`)).not.toEqual(hashes(long))
  expect(hashes('a')).not.toEqual(hashes('b'))
  expect(hashes(['ab', 'c'])).not.toEqual(hashes(['a', 'bc']))
  const instructed = (content: string) => readPromptShape({ messages: [{ role: 'system', content }] }).system
  expect(instructed(`${long}12:00`)).not.toEqual(instructed(`${long}12:01`))
})
