// The files in resources/deploy agree with the program that they start.

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { JSDOM } from 'jsdom'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { listen } from '../gateway/testing/listen.ts'
import { tempDirForTest } from '../gateway/testing/temp-dir.ts'
import { EXIT } from '../host/exit-codes.ts'
import { readFlags } from '../host/flags.ts'
import { readSecretFiles } from '../host/provider-secrets.ts'
import { root, run } from './commands.ts'

const dir = join(root, 'resources/deploy')
const read = (name: string) => readFileSync(join(dir, name), 'utf8')

/** The instructions of the last stage, with continued lines joined. */
const stage = (
  read('Dockerfile')
    .split(/^FROM /m)
    .at(-1) ?? ''
).replaceAll('\\\n', ' ')
const instruction = (name: string) => new RegExp(`^\\s*${name}\\s+(.*)$`, 'm').exec(stage)?.[1] ?? ''
const Strings = z.array(z.string())

test('the container runs as a user without rights, and starts the gateway with flags that exist', () => {
  expect(instruction('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/)
  const [command, ...flags] = Strings.parse(JSON.parse(instruction('CMD')))
  expect([instruction('ENTRYPOINT'), command]).toEqual(['["tollgate"]', 'serve'])
  const env = Object.fromEntries(
    [...instruction('ENV').matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
  )
  expect(readFlags(flags, { env })).toEqual({ listen: '0.0.0.0', noAdminKey: true, credentials: 'env' })
  expect(instruction('VOLUME')).toBe(env.TOLLGATE_DATA_DIR)
})

test.each([
  [200, 0],
  [503, 1],
  [null, 1],
])('the health check of a gateway that answers %s ends with %i', async (status, expected) => {
  const server = createServer((_, response) => response.writeHead(status ?? 0).end())
  onTestFinished(() => void server.close())
  const port = await listen(server)
  if (status === null) await new Promise((resolve) => server.close(resolve))
  const [, command = ''] = /CMD\s+(\[.*\])$/.exec(instruction('HEALTHCHECK')) ?? []
  const [program, ...args] = Strings.parse(JSON.parse(command))
  expect(program).toBe('node')
  expect(args.join(' ')).toContain('127.0.0.1:8655/healthz')
  const { code } = await run(
    process.execPath,
    args.map((each) => each.replace('8655', String(port))),
    { stdio: 'pipe' },
  )
  expect(code).toBe(expected)
})

const Compose = z.object({
  services: z.object({
    tollgate: z.object({
      build: z.object({ context: z.string(), dockerfile: z.string() }),
      ports: z.array(z.string()),
      environment: z.record(z.string(), z.string()),
      secrets: z.array(z.string()),
      volumes: z.array(z.string()),
      read_only: z.literal(true),
      cap_drop: z.tuple([z.literal('ALL')]),
      security_opt: z.tuple([z.literal('no-new-privileges:true')]),
    }),
  }),
})

test('compose publishes the gateway on this computer only, and gives it the credential as a file', () => {
  const { tollgate } = Compose.parse(parse(read('compose.yaml'))).services
  expect(tollgate.ports).toEqual(['127.0.0.1:8655:8655'])
  expect(tollgate.volumes).toEqual([`data:${instruction('VOLUME')}`])
  expect(existsSync(join(dir, tollgate.build.context, tollgate.build.dockerfile))).toBe(true)
  expect(readFlags([], { env: tollgate.environment })).toEqual({ allowHost: ['tollgate'] })
  const [secret] = tollgate.secrets
  const path = `/run/secrets/${secret}`
  expect(Object.values(tollgate.environment)).toContain(path)
  // The variable is one that the program reads: here, the file does not exist.
  expect(() => readSecretFiles(tollgate.environment)).toThrow(path)
})

/** Other starts would end in the same way. */
const FINAL = [EXIT.badFlags, EXIT.dataDir, EXIT.portTaken, EXIT.oldNode]

test('the unit starts the gateway with flags that exist, and not again when that cannot help', () => {
  const unit = read('tollgate.service')
  const setting = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? ''
  const [env, command, serve, ...flags] = setting('ExecStart').split(' ')
  expect([env, command, serve]).toEqual(['/usr/bin/env', 'tollgate', 'serve'])
  expect(readFlags(flags, { env: {} })).toEqual({ noAdminKey: true })
  expect(setting('RestartPreventExitStatus')).toBe(FINAL.join(' '))
  expect(setting('ReadWritePaths')).toBe(`%E/${setting('ConfigurationDirectory')}`)
})

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

test.skipIf(!hasSystemd)('systemd accepts the unit, and finds that little is exposed', () => {
  const runtime = tempDirForTest()
  const env = { ...process.env, XDG_RUNTIME_DIR: runtime }
  const analyze = (...args: string[]) =>
    execFileSync('systemd-analyze', [...args, join(dir, 'tollgate.service')], {
      env,
      encoding: 'utf8',
      stdio: 'pipe',
    })
  expect(analyze('verify', '--user')).toBe('')
  const exposure = /exposure level for tollgate\.service: ([\d.]+)/.exec(
    analyze('security', '--user', '--offline=true'),
  )
  expect(Number(exposure?.[1])).toBeLessThan(2.5)
})

test('the agent for launchd is a property list that starts the gateway', () => {
  const { DOMParser } = new JSDOM('').window
  const list = new DOMParser().parseFromString(read('dev.tollgate.serve.plist'), 'application/xml')
  expect(list.querySelector('parsererror')).toBeNull()
  const [dict] = list.documentElement.children
  const pairs = [...(dict?.children ?? [])]
  const findEntry = (key: string) => pairs[pairs.findIndex((each) => each.textContent === key) + 1]
  expect(findEntry('Label')?.textContent).toBe('dev.tollgate.serve')
  const [env, command, serve, ...flags] = [...(findEntry('ProgramArguments')?.children ?? [])].map(
    (each) => each.textContent,
  )
  expect([env, command, serve]).toEqual(['/usr/bin/env', 'tollgate', 'serve'])
  expect(readFlags(flags.map(String), { env: {} })).toEqual({ noAdminKey: true })
  expect(findEntry('RunAtLoad')?.tagName).toBe('true')
})
