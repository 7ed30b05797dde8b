import { expect, test } from 'vitest'
import { toolName, toolSearch } from './tool-name.ts'

test('a program goes by its own name', () => {
  expect(toolName('aider')).toBe('aider')
  expect(toolSearch('My Own App')).toBe('My Own App')
})

test('a program that is known by another name goes by that, and is searched for by its own', () => {
  expect(toolName('OpenAI/JS')).toBe('OpenAI for JavaScript')
  expect(toolSearch('OpenAI/JS')).toBe('OpenAI/JS')
})

test('one that gave no name is unknown, and cannot be searched for', () => {
  expect(toolName('')).toBe('Unknown')
  expect(toolSearch('')).toBeNull()
})
