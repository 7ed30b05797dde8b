import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, onTestFinished } from 'vitest'
import { migrateFurther } from '../gateway/testing/newer-data.ts'
import { PROGRAM_FILE } from '../gateway/testing/program.ts'
import { SOURCE_FLAGS } from '../gateway/testing/source-flags.ts'
import { serve, startProgram } from './testing/program.ts'
import { slowRule } from './testing/rule.ts'

slowRule(
  'Headless',
  'On the data of a newer version, serve exits with 3 and names a backup, to which tollgate restore goes back',
  async () => {
    const program = await startProgram()
    const { dataDir } = program
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
    expect((await program.chat({})).status).toBe(200)
    const { id } = (await program.call('POST', '/v1/backups')).json
    const { spendUsd } = (await program.call('GET', '/v1/key')).json
    await program.chat({})
    await program.terminate()
    migrateFurther(dataDir)

    const refused = await serve(['--port', '0', '--data-dir', dataDir, '--credentials', 'memory']).ended
    expect(refused.code).toBe(3)
    expect(refused.stdout).toBe('')
    expect(refused.stderr).toContain('last used by a newer version of Tollgate, 0.1.0.')
    expect(refused.stderr).toContain(`run "tollgate restore ${id}"`)

    const restore = [...SOURCE_FLAGS, PROGRAM_FILE, 'restore', id, '--data-dir', dataDir]
    const { stderr } = await promisify(execFile)(process.execPath, restore)
    expect(stderr).toContain(`The next start restores ${id}.`)
    await program.start()
    expect((await program.call('GET', '/v1/key')).json.spendUsd).toBe(spendUsd)
    await program.terminate()
  },
)
