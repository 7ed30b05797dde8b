import { expect, test } from 'vitest'
import { getToolName, getToolSearch } from './tool-name.ts'

test('a program is shown by its own name', () => {
  expect(getToolName('aider')).toBe('aider')
  expect(getToolSearch('My Own App')).toBe('My Own App')
})

test('a program that is known by another name is shown by that, and searched for by its own', () => {
  expect(getToolName('OpenAI/JS')).toBe('OpenAI for JavaScript')
  expect(getToolSearch('OpenAI/JS')).toBe('OpenAI/JS')
})

test('a program that sent no name is unknown, and cannot be searched for', () => {
  expect(getToolName('')).toBe('Unknown')
  expect(getToolSearch('')).toBeNull()
})
