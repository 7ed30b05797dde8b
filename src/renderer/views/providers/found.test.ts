import { describe, expect, it } from 'vitest'
import { countedModels, notYetAdded, notYetImported } from './found.ts'

const provider = (id: string, parts: { configured?: boolean; hasCredential?: boolean } = {}) => ({
  ...{ id, configured: false, hasCredential: false },
  ...parts,
})

const server = (id: string, running: boolean) => ({
  ...{ id, name: id, baseUrl: 'http://127.0.0.1:1/v1', configured: false, running, modelCount: 2 },
})

describe('what was found on this computer', () => {
  it('offers servers that run', () => {
    const found = notYetAdded([server('a', true), server('b', false)], [provider('a'), provider('b')])
    expect(found.map(({ id }) => id)).toEqual(['a'])
  })

  it('no longer offers a server once it is set up', () => {
    expect(notYetAdded([server('a', true)], [provider('a', { configured: true })])).toEqual([])
  })

  it('offers a credential until the provider has one, even when it is set up already', () => {
    const found = { id: 'a', name: 'A', variable: 'A_API_KEY' }
    expect(notYetImported([found], [provider('a', { configured: true })])).toEqual([found])
    expect(notYetImported([found], [provider('a', { configured: true, hasCredential: true })])).toEqual([])
  })

  it('counts one model as one', () => {
    expect([0, 1, 2].map(countedModels)).toEqual(['0 models', '1 model', '2 models'])
  })
})
