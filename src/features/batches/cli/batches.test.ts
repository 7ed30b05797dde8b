import { expect, test } from 'vitest'
import { startCommandHost } from '../../../cli/testing/command-host.ts'
import { forFile } from '../../../gateway/testing/lifetime.ts'

const command = await forFile(startCommandHost())

test('without a batch it says so, and an unknown one cannot be canceled', async () => {
  const { tollgate } = command
  expect(await tollgate('batches')).toMatchObject({ code: 0, stdout: '' })
  expect((await tollgate('batches', '--all')).stderr).toBe('There are no batches.\n')
  expect(JSON.parse((await tollgate('batches', '--json')).stdout)).toEqual({ data: [] })
  const canceled = await tollgate('batches', 'cancel', 'batch_none')
  expect([canceled.code, canceled.stderr]).toEqual([
    1,
    expect.stringContaining('There is no batch "batch_none"'),
  ])
})
