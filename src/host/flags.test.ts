import { describe, expect, test } from 'vitest'
import { FlagError } from './exit-codes.ts'
import { readFlags } from './flags.ts'

const env = {}

describe('readFlags', () => {
  test('reads port, data dir, credentials and log level', () => {
    const args = ['--port', '9000', '--data-dir=/d', '--credentials', 'memory', '--log-level', 'debug']
    expect(readFlags(args, { env })).toEqual({
      port: 9000,
      dataDir: '/d',
      credentials: 'memory',
      logLevel: 'debug',
    })
  })

  test('prefers a flag to the environment', () => {
    const options = { env: { TOLLGATE_CREDENTIALS: 'env', TOLLGATE_LOG_LEVEL: 'warn' } }
    expect(readFlags([], options)).toEqual({ credentials: 'env', logLevel: 'warn' })
    expect(readFlags(['--credentials', 'memory', '--log-level', 'error'], options)).toEqual({
      credentials: 'memory',
      logLevel: 'error',
    })
  })

  test.each([
    [['--port', 'many'], /--port takes a number/],
    [['--port', '65536'], /--port takes a number/],
    [['--credentials', 'paper'], /keychain, memory, env/],
    [['--log-level', 'loud'], /debug, info, warn, error/],
    [['--prot', '1'], /--prot/],
    [['again'], /again/],
    [['--listen', 'localhost'], /--listen .* takes an IP address/],
    [['--allow-host', '*'], /--allow-host .* takes names/],
    [['--allow-host', 'https://a.example'], /--allow-host .* takes names/],
    [['--port'], /--port/],
  ])('rejects %j', (args, message) => {
    expect(() => readFlags(args, { env })).toThrow(FlagError)
    expect(() => readFlags(args, { env })).toThrow(message)
  })

  test('reads where to listen and under which names', () => {
    const args = [
      '--listen',
      '0.0.0.0',
      '--allow-host',
      'A.example,b:80',
      '--allow-host',
      '[::1]:9',
      '--open',
    ]
    expect(readFlags([...args, '--no-admin-key'], { env })).toEqual({
      listen: '0.0.0.0',
      allowHost: ['a.example', 'b:80', '[::1]:9'],
      open: true,
      noAdminKey: true,
    })
    const fromEnv = { env: { TOLLGATE_LISTEN: '::', TOLLGATE_ALLOW_HOST: 'a,b' } }
    expect(readFlags([], fromEnv)).toEqual({ listen: '::', allowHost: ['a', 'b'] })
  })

  test.each([
    ['0:0:0:0:0:0:0:0', '::'],
    ['FD00:0:0::0A', 'fd00::a'],
    ['::FFFF:10.0.0.7', '::ffff:10.0.0.7'],
    ['192.168.1.7', '192.168.1.7'],
  ])('takes --listen %s as the system writes it', (given, listen) =>
    expect(readFlags(['--listen', given], { env })).toEqual({ listen }),
  )

  test('ignores Chromium’s switches when not strict', () => {
    const args = ['--no-sandbox', '--inspect=0', '/app', '--port=0']
    expect(readFlags(args, { strict: false, env })).toEqual({ port: 0 })
  })
})
