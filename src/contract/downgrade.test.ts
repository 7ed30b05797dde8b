import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, onTestFinished } from 'vitest'
import { migrateFurther } from '../gateway/testing/newer-data.ts'
import { PROGRAM_FILE } from '../gateway/testing/program-file.ts'
import { SOURCE_FLAGS } from '../gateway/testing/source-flags.ts'
import { serve, startProgram } from './testing/program.ts'
import { slowRule } from './testing/rule.ts'

slowRule(
  'Headless',
  'On the data of a newer version, serve exits with 3 and names a backup, to which tollgate restore goes back',
  async () => {
    const first = await startProgram()
    const { dataDir, admin } = first
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
    expect((await first.chat({})).status).toBe(200)
    const { id } = (await first.call('POST', '/v1/backups')).json
    const { spendUsd } = (await first.call('GET', '/v1/key')).json
    await first.chat({})
    await first.terminate()
    migrateFurther(dataDir)

    const refused = await serve(['--port', '0', '--data-dir', dataDir, '--credentials', 'memory']).ended
    expect(refused.code).toBe(3)
    expect(refused.stdout).toBe('')
    expect(refused.stderr).toContain('last used by a newer version of Tollgate, 0.1.0.')
    expect(refused.stderr).toContain(`run "tollgate restore ${id}"`)

    const restore = [...SOURCE_FLAGS, PROGRAM_FILE, 'restore', id, '--data-dir', dataDir]
    const { stderr } = await promisify(execFile)(process.execPath, restore)
    expect(stderr).toContain(`The next start restores ${id}.`)
    const again = await startProgram({ dataDir, admin })
    expect((await again.call('GET', '/v1/key')).json.spendUsd).toBe(spendUsd)
    await again.terminate()
  },
)
