// The MCP server of the built program, called by the official client over the pipes of a process.
import { resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect } from '@playwright/test'
import { test } from '../app.ts'

const CLI = resolve(import.meta.dirname, '../../out/main/cli.js')

test('the built program serves MCP, as the owner of the computer', async ({ launcher }) => {
  const { dataDir } = await launcher.serve()
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [CLI, 'mcp', '--data-dir', dataDir],
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' },
    }),
  )
  try {
    const price = await client.callTool({ name: 'get_model_price', arguments: { model: 'sandbox-small' } })
    expect(price.structuredContent).toMatchObject({ inputPerMillionUsd: expect.any(Number) })
    const spend = await client.callTool({ name: 'get_spend', arguments: {} })
    expect(spend.structuredContent).toMatchObject({ usd: 0 })
  } finally {
    await client.close()
  }
})
