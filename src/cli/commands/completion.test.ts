import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { forFile } from '../../gateway/testing/lifetime.ts'
import { tempDirForTest } from '../../gateway/testing/temp-dir.ts'
import { startCommandHost } from '../testing/command-host.ts'
import { completionScripts } from './completion-scripts.ts'

const command = await forFile(startCommandHost())
const { client } = command
for (const name of ['ci', 'my app', 'gone']) {
  const { id } = await client.call('createKey', { body: { name, scope: 'full', tag: 'shop' } })
  if (name === 'gone') await client.call('revokeKey', { params: { id } })
}

async function complete(...words: string[]): Promise<string[]> {
  const { stdout } = await command.tollgate('complete', '--', ...words)
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')[0] ?? '']))
}

test('commands, options and choices are completed', async () => {
  expect(await complete('lo')).toEqual(['logs'])
  expect(await complete('complete')).toEqual([])
  expect(await complete('keys', 'c')).toEqual(['create'])
  expect(await complete('keys', 'create', 'x', '--sc')).toEqual(['--scope'])
  expect(await complete('keys', 'create', 'x', '--st')).toEqual(['--strict'])
  expect(await complete('keys', 'update', 'x', '--no')).toEqual(['--no-strict'])
  expect(await complete('run', '--st')).toEqual(['--strict'])
  expect(await complete('keys', '--a')).toEqual(['--all'])
  expect(await complete('keys', 'create', 'x', '--scope', 'f')).toEqual(['full'])
  expect(await complete('spend', 'm')).toEqual(['month'])
  expect(await complete('setup', 'cod')).toEqual(['codex'])
})

test('names of keys, models, providers and projects come from the gateway', async () => {
  const [ci, other] = await complete('keys', 'revoke', '')
  expect([other, ci]).toEqual(['ci', expect.stringMatching(/^key_/)])
  expect(await complete('logs', '-f', '--key', 'c')).toEqual(['ci'])
  expect(await complete('run', '--cap', '2', '--model', 'sandbox-l')).toEqual(['sandbox-large'])
  expect(await complete('providers', 'test', '')).toEqual(['sandbox'])
  expect(await complete('logs', '--tag', '')).toEqual(['shop'])
})

test('files are left to the shell', async () => {
  expect(await complete('run', '--receipt', 'r')).toEqual([':files'])
  expect(await complete('reconcile', '')).toEqual([':files'])
  expect(await complete('run', '--', 'ls', '')).toEqual([':files'])
  expect(await complete('run', 'ls', '')).toEqual([':files'])
})

test('the names of commands that run could start are left to the shell', async () => {
  expect(await complete('run', '--cap', '2', '--', 'cla')).toEqual([':commands'])
  expect(await complete('run', 'cla')).toEqual([':commands'])
})

test('bash inserts what is offered, whatever is in the words', () => {
  const dir = tempDirForTest()
  // Prints its arguments, each as an offer.
  writeFileSync(
    join(dir, 'tollgate'),
    `#!/bin/sh\nfor word; do printf '%s\\tdescribed\\n' "\${word:-(empty)}"; done\n`,
  )
  chmodSync(join(dir, 'tollgate'), 0o755)
  const offers = (line: string) =>
    execFileSync(
      'bash',
      [
        '--norc',
        '-c',
        `${completionScripts.bash}${completionScripts.bash}
      COMP_LINE="$LINE"; COMP_POINT=\${#LINE}; _tollgate; printf '%s|' "\${COMPREPLY[@]}"`,
      ],
      {
        env: { PATH: `${dir}:${process.env.PATH}`, LINE: line },
        encoding: 'utf8',
      },
    )
  expect(offers('tollgate logs --key ')).toBe('complete|--|logs|--key|(empty)|')
  expect(offers('tollgate logs $(touch evil) `x`')).toBe('complete|--|logs|$(touch|evil)|`x`|')
  // Bash replaces only what is after the colon.
  expect(offers('tollgate --model llama3:8')).toBe('complete|--|--model|8|')
})
