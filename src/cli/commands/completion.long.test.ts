// The completion scripts in the shells themselves, with the real program and a running gateway.

import { execFile } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { forFile } from '../../gateway/testing/lifetime.ts'
import { SOURCE_FLAGS } from '../../gateway/testing/source-flags.ts'
import { tempDirForFile } from '../../gateway/testing/temp-dir.ts'
import { startCommandHost } from '../testing/command-host.ts'

const dir = tempDirForFile()
const command = await forFile(startCommandHost())
const { client } = command
await client.call('createKey', { body: { name: 'llama3:8b', scope: 'full' } })
const words = [process.execPath, ...SOURCE_FLAGS, join(import.meta.dirname, '../cli.ts')]
writeFileSync(join(dir, 'tollgate'), `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(' ')} "$@"\n`)
chmodSync(join(dir, 'tollgate'), 0o755)
writeFileSync(join(dir, 'export.csv'), '')

async function shell(program: string, args: readonly string[]): Promise<string> {
  const { PATH, TOLLGATE_DATA_DIR } = command.env
  const env = { PATH: `${dir}:${PATH}`, HOME: dir, TERM: 'xterm', TOLLGATE_DATA_DIR }
  return (await promisify(execFile)(program, [...args], { cwd: dir, env })).stdout
}

/** The completions that bash inserts, one a line. */
const inBash = (line: string) =>
  shell('bash', [
    '--norc',
    '-c',
    `source <(tollgate completion bash); COMP_LINE=$1; COMP_POINT=\${#1}; _tollgate; printf '%s\\n' "\${COMPREPLY[@]}"`,
    'bash',
    line,
  ])

/** The completions that fish offers, with descriptions. */
const inFish = (line: string) =>
  shell('fish', ['--no-config', '-c', 'tollgate completion fish | source; complete -C $argv[1]', line])

/** The line after Tab, in a terminal of zsh's own. A key binding prints it. */
const ZSH = `
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z 'PS1=; autoload -Uz compinit; compinit -u -D; source <(tollgate completion zsh)
  report() { print -r -- "<<$BUFFER>>" }; zle -N report; bindkey "^X" report; print RE""ADY'
zpty -r z out '*READY*'
zpty -w -n z "$1"$'\\t\\x18'
zpty -r z out '*>>*'
print -r -- "$out"
`
async function inZsh(line: string): Promise<string | undefined> {
  const [, buffer] = /<<(.*)>>/.exec(await shell('zsh', ['-f', '-c', ZSH, 'zsh', line])) ?? []
  return buffer
}

test('bash', async () => {
  expect(await inBash('tollgate lo')).toBe('logs\n')
  // Bash replaces what is after the colon.
  expect(await inBash('tollgate keys show llama3:')).toBe('8b\n')
  expect((await inBash('tollgate run -- tollg')).split('\n')).toContain('tollgate')
})

test('zsh', async () => {
  expect(await inZsh('tollgate lo')).toBe('tollgate logs ')
  expect(await inZsh('tollgate keys show lla')).toBe('tollgate keys show llama3:8b ')
  expect(await inZsh('tollgate reconcile ex')).toBe('tollgate reconcile export.csv ')
  expect(await inZsh('tollgate run -- tollg')).toBe('tollgate run -- tollgate ')
})

test('fish', async () => {
  expect(await inFish('tollgate lo')).toMatch(/^logs\tthe last requests/)
  expect(await inFish('tollgate keys show lla')).toMatch(/^llama3:8b\tkey_/)
  expect(await inFish('tollgate reconcile ex')).toMatch(/^export\.csv/)
  expect(await inFish('tollgate run -- tollg')).toMatch(/^tollgate\b/)
})
