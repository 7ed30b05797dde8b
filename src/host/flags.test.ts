import { describe, expect, test } from 'vitest'
import { FlagError, readFlags } from './flags.ts'

const env = {}

describe('readFlags', () => {
  test('reads port, data dir and credentials', () => {
    const flags = readFlags(['--port', '9000', '--data-dir=/d', '--credentials', 'memory'], { env })
    expect(flags).toEqual({ port: 9000, dataDir: '/d', credentials: 'memory' })
  })

  test('prefers a flag over the environment', () => {
    const asked = { env: { TOLLGATE_CREDENTIALS: 'env' } }
    expect(readFlags([], asked).credentials).toBe('env')
    expect(readFlags(['--credentials', 'memory'], asked).credentials).toBe('memory')
  })

  test.each([
    [['--port', 'many'], /--port takes a number/],
    [['--port', '65536'], /--port takes a number/],
    [['--credentials', 'paper'], /keychain, memory, env/],
    [['--prot', '1'], /--prot/],
    [['again'], /again/],
    [['--port'], /--port/],
  ])('refuses %j', (args, message) => {
    expect(() => readFlags(args, { env })).toThrow(FlagError)
    expect(() => readFlags(args, { env })).toThrow(message)
  })

  test('leaves Chromium’s switches alone when not strict', () => {
    const args = ['--no-sandbox', '--inspect=0', '/app', '--port=0']
    expect(readFlags(args, { strict: false, env })).toEqual({ port: 0 })
  })
})
