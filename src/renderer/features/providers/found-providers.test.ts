import { describe, expect, it } from 'vitest'
import { listAddableServers, listImportableCredentials } from './found-providers.tsx'

const provider = (id: string, parts: { configured?: boolean; hasCredential?: boolean } = {}) => ({
  id,
  configured: false,
  hasCredential: false,
  ...parts,
})

const server = (id: string, running: boolean) => ({
  id,
  name: id,
  baseUrl: 'http://127.0.0.1:1/v1',
  configured: false,
  running,
  modelCount: 2,
})

describe('found on this computer', () => {
  it('offers running servers', () => {
    const found = listAddableServers([server('a', true), server('b', false)], [provider('a'), provider('b')])
    expect(found.map(({ id }) => id)).toEqual(['a'])
  })

  it('does not offer a configured server', () => {
    expect(listAddableServers([server('a', true)], [provider('a', { configured: true })])).toEqual([])
  })

  it('offers a credential to any provider without one, also to a configured one', () => {
    const found = { id: 'a', name: 'A', variable: 'A_API_KEY' }
    expect(listImportableCredentials([found], [provider('a', { configured: true })])).toEqual([found])
    expect(
      listImportableCredentials([found], [provider('a', { configured: true, hasCredential: true })]),
    ).toEqual([])
  })
})
