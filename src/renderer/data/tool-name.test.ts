import { expect, test } from 'vitest'
import { getToolName, isTool } from './session-name.ts'

test('a program is shown by its own name', () => {
  expect(getToolName('aider')).toBe('aider')
})

test('a program that is known by another name is shown by that', () => {
  expect(getToolName('OpenAI/JS')).toBe('OpenAI for JavaScript')
})

test('a program that sent no name is unknown', () => {
  expect(getToolName('')).toBe('Unknown')
})

test.each([
  ['claude-cli', { id: 'claude-code', name: 'Claude Code' }, true],
  ['codex_exec', { id: 'codex', name: 'Codex' }, true],
  ['GeminiCLI', { id: 'gemini', name: 'Gemini CLI' }, true],
  ['QwenCode', { id: 'qwen', name: 'Qwen Code' }, true],
  ['OpenAI/Python', { id: 'python', name: 'Python' }, false],
  ['opencode', { id: 'codex', name: 'Codex' }, false],
  [null, { id: 'codex', name: 'Codex' }, false],
])('whether %s is the tool %o', (client, tool, expected) => {
  expect(isTool(client, tool)).toBe(expected)
})
