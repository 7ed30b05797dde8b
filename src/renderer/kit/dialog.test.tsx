import { act, screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { renderView } from '../testing/render.tsx'
import { ApiError } from './api-error.ts'
import { Button } from './button.tsx'
import { ConfirmDialog, Dialog, DialogActions } from './dialog.tsx'
import { TextField } from './field.tsx'
import { Menu } from './menu.tsx'

function Opener({ ignoreOutsideClick = false }: { ignoreOutsideClick?: boolean }) {
  const [open, setOpen] = useState(false)
  const [name, setName] = useState('')
  return (
    <>
      <Button onClick={() => setOpen(true)}>Open</Button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title="Create key"
        description="One for each tool."
        ignoreOutsideClick={ignoreOutsideClick}
      >
        <TextField label="Name" value={name} onChange={setName} />
        <DialogActions>
          <Button onClick={() => setOpen(false)}>Cancel</Button>
        </DialogActions>
      </Dialog>
    </>
  )
}

test('a dialog has a name and a description, and focuses its first field', async () => {
  const { user } = renderView(<Opener />)
  await user.click(screen.getByRole('button', { name: 'Open' }))
  const dialog = screen.getByRole('dialog', { name: 'Create key', description: 'One for each tool.' })
  expect(dialog.contains(document.activeElement)).toBe(true)
  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Name' }))
})

test('the focus stays in the dialog, and Escape closes it and returns the focus', async () => {
  const { user } = renderView(<Opener />)
  await user.click(screen.getByRole('button', { name: 'Open' }))
  const dialog = screen.getByRole('dialog')
  for (let presses = 0; presses < 4; presses += 1) {
    await user.tab()
    expect(dialog.contains(document.activeElement)).toBe(true)
  }
  await user.keyboard('{Escape}')
  expect(screen.queryByRole('dialog')).toBeNull()
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Open' })))
})

function Steps() {
  const [step, setStep] = useState(0)
  const [name, setName] = useState('')
  return (
    <>
      <Button onClick={() => setStep(1)}>Open</Button>
      {step === 1 ? (
        <Dialog key="first" open onClose={() => setStep(0)} title="Choose">
          <Button onClick={() => setStep(2)}>Next</Button>
        </Dialog>
      ) : null}
      {step === 2 ? (
        <Dialog key="second" open onClose={() => setStep(0)} title="Enter">
          <TextField label="Name" value={name} onChange={setName} autoFocus />
        </Dialog>
      ) : null}
    </>
  )
}

test('a dialog that takes the place of another has the focus, and returns it to the first control', async () => {
  const { user } = renderView(<Steps />)
  await user.click(screen.getByRole('button', { name: 'Open' }))
  await user.click(screen.getByRole('button', { name: 'Next' }))
  // Radix returns the focus of the first in a timeout.
  await act(() => new Promise((done) => setTimeout(done, 0)))
  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Name' }))
  await user.keyboard('{Escape}')
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Open' })))
})

test('the close button closes it', async () => {
  const { user } = renderView(<Opener />)
  await user.click(screen.getByRole('button', { name: 'Open' }))
  await user.click(screen.getByRole('button', { name: 'Close' }))
  expect(screen.queryByRole('dialog')).toBeNull()
})

test.each([true, false])('a click outside with ignoreOutsideClick=%s', async (ignoreOutsideClick) => {
  const { user, baseElement } = renderView(<Opener ignoreOutsideClick={ignoreOutsideClick} />)
  await user.click(screen.getByRole('button', { name: 'Open' }))
  const overlay = baseElement.querySelector('.bg-overlay')
  if (!overlay) throw new Error('no overlay')
  await user.click(overlay)
  expect(screen.queryByRole('dialog') !== null).toBe(ignoreOutsideClick)
})

/** A list with one confirmation dialog, which can be opened for another key. */
function renderConfirm(onConfirm: () => Promise<void>) {
  let openFor: (name: string) => void = () => {}
  function List() {
    const [name, setName] = useState<string | null>('one')
    openFor = setName
    return (
      <ConfirmDialog
        open={name !== null}
        onClose={() => setName(null)}
        title={`Revoke ${name}?`}
        description="This cannot be undone."
        action="Revoke key"
        onConfirm={onConfirm}
      />
    )
  }
  return { ...renderView(<List />), openFor: (name: string) => act(() => openFor(name)) }
}

const findConfirm = () => screen.queryByRole('alertdialog')

test('a confirmation focuses Cancel, so that Enter does nothing irreversible', async () => {
  const onConfirm = vi.fn(() => Promise.resolve())
  const { user } = renderConfirm(onConfirm)
  expect(screen.getByRole('alertdialog', { name: 'Revoke one?' })).toBeDefined()
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Cancel' }))
  await user.keyboard('{Enter}')
  expect(findConfirm()).toBeNull()
  expect(onConfirm).not.toHaveBeenCalled()
})

test('a confirmation closes on Escape without confirming', async () => {
  const onConfirm = vi.fn(() => Promise.resolve())
  const { user } = renderConfirm(onConfirm)
  await user.keyboard('{Escape}')
  expect(findConfirm()).toBeNull()
  expect(onConfirm).not.toHaveBeenCalled()
})

test('two clicks confirm once, and the dialog closes afterwards', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const onConfirm = vi.fn(() => promise)
  const { user } = renderConfirm(onConfirm)
  await user.dblClick(screen.getByRole('button', { name: 'Revoke key' }))
  expect(screen.getByRole('button', { name: 'Revoke key' })).toHaveProperty('disabled', true)
  expect(findConfirm()).not.toBeNull()
  resolve()
  await waitFor(() => expect(findConfirm()).toBeNull())
  expect(onConfirm).toHaveBeenCalledTimes(1)
})

test('a failed confirmation stays open with the error, which is cleared when it opens again', async () => {
  const failure = new ApiError({ status: 500, type: 'server_error', message: 'The disk is full.' })
  const { user, openFor } = renderConfirm(() => Promise.reject(failure))
  await user.click(screen.getByRole('button', { name: 'Revoke key' }))
  expect((await screen.findByRole('alert')).textContent).toBe('The disk is full.')
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  openFor('two')
  expect(screen.getByRole('alertdialog', { name: 'Revoke two?' })).toBeDefined()
  expect(screen.queryByRole('alert')).toBeNull()
})

test('the focus returns to the button of the menu that opened the dialog', async () => {
  function List() {
    const [open, setOpen] = useState(false)
    return (
      <>
        <Menu label="More" items={[{ label: 'Edit', onSelect: () => setOpen(true) }]} />
        <Dialog open={open} onClose={() => setOpen(false)} title="Edit">
          <TextField label="Name" autoFocus value="" onChange={() => {}} />
        </Dialog>
      </>
    )
  }
  const { user } = renderView(<List />)
  await user.click(screen.getByRole('button', { name: 'More' }))
  await user.click(screen.getByRole('menuitem', { name: 'Edit' }))
  expect(document.activeElement).toBe(await screen.findByRole('textbox', { name: 'Name' }))
  await user.keyboard('{Escape}')
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'More' })))
})
