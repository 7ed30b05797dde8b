import { useEffect } from 'react'
import { toast } from 'sonner'
import { z } from 'zod'
import { pauseAll, pauseKey } from '../data/mutations.ts'
import { Dialog } from '../kit/dialog.tsx'
import { Form, useForm } from '../kit/form.tsx'
import { quoteName } from '../kit/format.ts'
import { lazyView } from '../kit/lazy-view.tsx'
import { useAddressParam } from '../kit/use-address-param.ts'
import { setAddProviderOpen, useAddProvider } from '../parts/controls/add-provider.ts'
import { LimitDialog } from '../parts/limits/limit-form.tsx'
import { closePauseDialog, openPauseDialog, usePauseDialog } from '../parts/pausing/pausing.ts'
import { ShortcutList } from './help/shortcut-list.tsx'
import { useShortcutStore, useShortcuts } from './use-shortcuts.ts'

const addProvider = lazyView(async () => (await import('../features/providers/add-provider.tsx')).AddProvider)

/** The overlays that keys, toasts and menus open over any view. */
export function Overlays() {
  const isAdding = useAddProvider(({ isOpen }) => isOpen)
  return (
    <>
      <Shortcuts />
      <LimitDialog />
      <PauseDialog />
      {isAdding ? <addProvider.View onClose={() => setAddProviderOpen(false)} /> : null}
    </>
  )
}

/** The keys of the whole window, and the list of them that ? shows. */
export function Shortcuts() {
  useShortcuts()
  const listed = useShortcutStore((store) => store.listed)
  return (
    <Dialog
      open={listed}
      onClose={() => useShortcutStore.setState({ listed: false })}
      title="Keyboard shortcuts"
      wide
    >
      <ShortcutList />
    </Dialog>
  )
}

/** The choices for the requests that providers are answering. */
const CHOICES = [
  { running: 'finish', label: 'Let running requests finish', text: 'They are charged as usual.' },
  { running: 'end', label: 'End running requests', text: 'You pay for what they consumed so far.' },
] as const
const Pausing = z.object({ running: z.enum(CHOICES.map(({ running }) => running)) })

/** Opened by the menu of the app, the tray icon, the palette, or the menu of a key. */
export function PauseDialog() {
  const pausing = usePauseDialog((state) => state.pausing)
  useOpenFromAddress()
  if (pausing === null) return null
  const all = pausing === 'everything'
  return (
    <Dialog
      open
      onClose={closePauseDialog}
      title={all ? 'Pause everything?' : `Pause ${quoteName(pausing.name)}?`}
      description={
        all
          ? 'New requests are blocked until you resume. Tools get an error that says so.'
          : 'No new request with this key is sent to a model until you resume it. Tools get an error that says so.'
      }
    >
      <PauseForm pausing={pausing} />
    </Dialog>
  )
}

/** The menu of the app and the tray icon open an address. */
function useOpenFromAddress(): void {
  const [asked, setAsked] = useAddressParam('pause')
  useEffect(() => {
    if (asked === null) return
    openPauseDialog('everything')
    setAsked(null)
  })
}

function PauseForm({ pausing }: { pausing: { id: string; name: string } | 'everything' }) {
  const form = useForm(Pausing, () => ({ running: CHOICES[0].running }))
  const all = pausing === 'everything'
  return (
    <Form
      form={form}
      action={all ? 'Pause everything' : 'Pause key'}
      save={async ({ running }) => {
        if (all) return await pauseAll(running)
        await pauseKey(pausing.id, running)
        toast.success(`${quoteName(pausing.name)} is paused.`)
      }}
      onSaved={closePauseDialog}
      onClose={closePauseDialog}
      className="gap-3"
    >
      <fieldset className="flex flex-col gap-2">
        <legend className="sr-only">Running requests</legend>
        {CHOICES.map((choice) => (
          <label
            key={choice.running}
            className="flex items-start gap-2.5 rounded-lg border border-line px-3 py-2.5 hover:bg-sunken has-checked:border-accent has-checked:bg-accent-soft"
          >
            <input
              type="radio"
              name="running"
              className="mt-0.5 size-3.5 accent-accent"
              checked={form.draft.running === choice.running}
              onChange={() => form.change({ running: choice.running })}
            />
            <span>
              <span className="block font-medium">{choice.label}</span>
              <span className="block text-ink-2 text-sm">{choice.text}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </Form>
  )
}
