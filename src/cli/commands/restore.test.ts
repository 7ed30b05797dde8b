import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDirForTest } from '../../gateway/testing/temp-dir.ts'
import { GatewayClient } from '../../host/gateway-client.ts'
import { createHostLog } from '../../host/log.ts'
import { startTestHost } from '../../host/testing/test-host.ts'
import { runHere } from '../testing/command-host.ts'

async function useGateway<T>(dataDir: string, use: (client: GatewayClient) => Promise<T>): Promise<T> {
  const host = await startTestHost({ dataDir, log: createHostLog(() => {}), version: '0.0.0-test' })
  try {
    await host.listen(0)
    return await use(new GatewayClient(dataDir))
  } finally {
    await host.close()
  }
}

test.each([
  [[], expect.any(String)],
  [['--keep-keys'], null],
])('an imported backup is listed with its keys, and restored with %j', async (options, revokedAt) => {
  const dataDir = join(tempDirForTest(), 'data')
  const id = await useGateway(dataDir, async (client) => {
    await client.call('createKey', { body: { name: 'CI', scope: 'full' } })
    const own = await client.call('createBackup')
    const file = readFileSync(join(dataDir, 'backups', own.id))
    return (await client.call('importBackup', { file })).id
  })
  const tollgate = (...args: string[]) => runHere(['restore', ...args, '--data-dir', dataDir])
  expect((await tollgate()).stdout).toMatch(new RegExp(`^${id}.* CI$`, 'm'))
  expect(await tollgate(id, ...options)).toMatchObject({ code: 0 })
  const { data } = await useGateway(dataDir, (client) => client.call('listKeys'))
  expect(data).toMatchObject([{ name: 'CI', revokedAt }])
})
