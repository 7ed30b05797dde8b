import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import type { DesktopBridge } from '../../../shared/desktop/desktop.ts'
import type { FilePreview, ToolChoice, ToolPreview, ToolSetup } from '../../../shared/tools/tool-setup.ts'
import { FakeGateway, modelList } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { gatewayInfo, keyRow, modelRow } from '../../testing/rows.ts'
import { Connect } from './connect.tsx'

const file: FilePreview = {
  path: '~/.codex/config.toml',
  exists: true,
  problem: null,
  warnings: [],
  diff: [
    { kind: 'same', text: '# mine' },
    { kind: 'removed', text: 'model = "o3"' },
    { kind: 'added', text: 'model = "gpt-5.5"' },
  ],
}
const preview: ToolPreview = {
  choice: { tool: 'codex', model: null, extras: [] },
  name: 'Codex',
  model: 'gpt-5.5',
  files: [file],
  offers: [],
  keyName: null,
  reviewed: 'digest',
}
const done: ToolSetup = {
  tool: 'codex',
  extras: [],
  paths: ['~/.codex/config.toml'],
  keyId: 'key_1',
}

/** The desktop's side, whose setups change as the window calls it. */
function createDesktop(part: Partial<DesktopBridge> = {}, setups: ToolSetup[] = []) {
  return {
    listToolSetups: vi.fn(async () => setups),
    previewToolSetup: vi.fn(async () => preview),
    applyToolSetup: vi.fn(async () => {
      setups.push(done)
      return {
        keyId: 'key_1',
        secret: 'tg-new',
        next: 'Start codex again.',
        test: { passed: true, message: 'The key works.' },
      }
    }),
    undoToolSetup: vi.fn(async () => {
      setups.pop()
      return { kept: ['model in ~/.codex/config.toml'], problems: [], keyRevoked: true }
    }),
    ...part,
  }
}

function renderConnect(desktop: Partial<DesktopBridge> | undefined, tool = 'codex') {
  Object.assign(window, { desktop })
  const gateway = new FakeGateway()
    .on('getGateway', () => gatewayInfo)
    .on('listModels', () => modelList([modelRow('gpt-5.5')]))
    .on('listKeys', () => ({ data: [keyRow('key_1', { name: 'Codex' })] }))
  return renderView(<Connect />, { gateway, path: `/connect?tool=${tool}` })
}

afterEach(() => {
  Object.assign(window, { desktop: undefined })
})

test('it shows the changes, writes them with the name and cap of the key, and says whether it works', async () => {
  const desktop = createDesktop()
  const { user, history } = renderConnect(desktop)
  await user.click(await screen.findByRole('button', { name: 'Set up for me' }))
  const dialog = await screen.findByRole('dialog', { name: 'Set up Codex' })
  const figure = await within(dialog).findByRole('figure')
  expect(document.activeElement).toBe(within(dialog).getByLabelText('Name of the new key'))
  expect(figure.textContent).toContain('+model = "gpt-5.5"')
  expect(figure.textContent).toContain('−model = "o3"')
  expect(desktop.previewToolSetup).toHaveBeenCalledWith({ tool: 'codex', model: null, extras: [] })

  const cap = within(dialog).getByLabelText('Spend cap (USD)')
  await user.clear(cap)
  await user.type(cap, '12{Enter}')
  expect(await screen.findByRole('dialog', { name: 'Codex is set up' })).toBeDefined()
  expect(desktop.applyToolSetup).toHaveBeenCalledWith({
    tool: 'codex',
    model: null,
    extras: [],
    reviewed: 'digest',
    keyName: 'Codex',
    spendLimitUsd: 12,
  })
  expect(screen.getByText('The key works.')).toBeDefined()
  expect(screen.getByText('Start codex again.')).toBeDefined()
  expect(history.at(-1)).toContain('key=key_1')
  await user.click(screen.getByRole('button', { name: 'Done' }))
  expect(await screen.findByRole('button', { name: 'Undo setup' })).toBeDefined()
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Set up again'))
})

test('an extra is added on request, after showing what that changes', async () => {
  const added = { kind: 'added' as const, text: '[mcp_servers.tollgate]' }
  const previewToolSetup = vi.fn(async (choice: ToolChoice) => ({
    ...preview,
    choice,
    offers: ['plan' as const, 'mcp' as const],
    files: choice.extras.includes('mcp') ? [{ ...file, diff: [added] }] : [file],
  }))
  const desktop = createDesktop({ previewToolSetup })
  const { user } = renderConnect(desktop)
  await user.click(await screen.findByRole('button', { name: 'Set up for me' }))
  await user.click(await screen.findByRole('switch', { name: 'Let the agent ask about its costs' }))
  await waitFor(() => expect(screen.getByRole('figure').textContent).toContain('[mcp_servers.tollgate]'))
  expect(screen.getByText('gpt-5.5', { selector: 'span.font-mono' })).toBeDefined()
  await user.click(screen.getByRole('switch', { name: 'Let the plan pay' }))
  await waitFor(() => expect(screen.queryByText('gpt-5.5', { selector: 'span.font-mono' })).toBeNull())
  await user.click(screen.getByRole('button', { name: 'Write the file' }))
  await screen.findByRole('dialog', { name: 'Codex is set up' })
  expect(desktop.applyToolSetup).toHaveBeenCalledWith(expect.objectContaining({ extras: ['mcp', 'plan'] }))
})

test('a setup is undone after a confirmation', async () => {
  const desktop = createDesktop({}, [done])
  const { user } = renderConnect(desktop)
  await user.click(await screen.findByRole('button', { name: 'Undo setup' }))
  const dialog = screen.getByRole('alertdialog', { name: 'Undo the setup of Codex?' })
  expect(dialog.textContent).toContain('~/.codex/config.toml')
  await user.click(within(dialog).getByRole('button', { name: 'Undo setup' }))
  expect(await screen.findByText(/Left as changed since: model in ~\/\.codex\/config\.toml/)).toBeDefined()
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Undo setup' })).toBeNull())
})

test('a file that failed to be restored is reported, and the setup stays', async () => {
  const problem = 'It is not valid TOML.'
  const undoToolSetup = async () => ({
    kept: [],
    problems: [problem],
    keyRevoked: false,
  })
  const { user } = renderConnect(createDesktop({ undoToolSetup }, [done]))
  await user.click(await screen.findByRole('button', { name: 'Undo setup' }))
  const dialog = screen.getByRole('alertdialog')
  await user.click(within(dialog).getByRole('button', { name: 'Undo setup' }))
  expect((await within(dialog).findByRole('alert')).textContent).toContain(problem)
})

test('a file that cannot be read is not written, and the text to paste remains', async () => {
  const blocked = { ...file, problem: 'It is not valid TOML.', diff: [] }
  const previewToolSetup = async () => ({ ...preview, files: [blocked] })
  const { user } = renderConnect(createDesktop({ previewToolSetup }))
  await user.click(await screen.findByRole('button', { name: 'Set up for me' }))
  expect((await screen.findByRole('alert')).textContent).toMatch(/not valid TOML.*paste the text/)
  expect(screen.getByRole('button', { name: 'Write the file' })).toHaveProperty('disabled', true)
})

test('files that need no change are not said to be written', async () => {
  const previewToolSetup = async () => ({ ...preview, files: [{ ...file, diff: [] }], keyName: 'Mine' })
  const { user } = renderConnect(createDesktop({ previewToolSetup }))
  await user.click(await screen.findByRole('button', { name: 'Set up for me' }))
  expect((await screen.findByRole('figure')).textContent).toContain('Already as needed')
  await user.click(screen.getByRole('button', { name: 'Test' }))
  expect((await screen.findByRole('status')).textContent).toBe('The key works.')
})

test('it shows warnings about a file, and the key that is kept', async () => {
  const doubtful = { ...file, warnings: ['Other users of this computer can read it.'] }
  const previewToolSetup = async () => ({ ...preview, files: [doubtful], keyName: 'Mine' })
  const { user } = renderConnect(createDesktop({ previewToolSetup }))
  await user.click(await screen.findByRole('button', { name: 'Set up for me' }))
  expect(await screen.findByText('Other users of this computer can read it.')).toBeDefined()
  expect(screen.getByText('It keeps its key “Mine”.')).toBeDefined()
  expect(screen.queryByLabelText('Spend cap (USD)')).toBeNull()
})

test('an error of the desktop is shown in the dialog', async () => {
  const applyToolSetup = async () => {
    throw new Error('The files have changed since you looked.')
  }
  const { user } = renderConnect(createDesktop({ applyToolSetup }))
  await user.click(await screen.findByRole('button', { name: 'Set up for me' }))
  await user.click(await screen.findByRole('button', { name: 'Write the file' }))
  expect((await screen.findByRole('alert')).textContent).toContain('changed since you looked')
})

test('in a browser, and for tools without a documented file, there is only the text to paste', async () => {
  const { unmount } = renderConnect(undefined)
  await screen.findByRole('button', { name: 'Create key for Codex' })
  expect(screen.queryByRole('button', { name: 'Set up for me' })).toBeNull()
  unmount()
  renderConnect(createDesktop(), 'cline')
  await screen.findByRole('button', { name: 'Create key for Cline' })
  expect(screen.queryByRole('button', { name: 'Set up for me' })).toBeNull()
})

test('a record of setups that cannot be read is reported', async () => {
  const listToolSetups = async () => {
    throw new Error('tool-setups.json is damaged.')
  }
  renderConnect(createDesktop({ listToolSetups }))
  expect((await screen.findByRole('alert')).textContent).toContain('damaged')
})
