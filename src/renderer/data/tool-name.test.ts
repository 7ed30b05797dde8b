import { expect, test } from 'vitest'
import { getToolName } from './tool-name.ts'

test('a program is shown by its own name', () => {
  expect(getToolName('aider')).toBe('aider')
})

test('a program that is known by another name is shown by that', () => {
  expect(getToolName('OpenAI/JS')).toBe('OpenAI for JavaScript')
})

test('a program that sent no name is unknown', () => {
  expect(getToolName('')).toBe('Unknown')
})
