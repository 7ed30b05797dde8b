// A setting is a row of data, from which the page, its index, its search and the command palette are made.

import {
  createContext,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  use,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
  useState,
} from 'react'
import { useLocationProperty } from 'wouter/use-browser-location'
import type { Account, GatewayInfo, Plan, Settings } from '../../../shared/api/account.ts'
import type { DesktopState } from '../../../shared/desktop/desktop.ts'
import type { UpdateState } from '../../../shared/desktop/updates.ts'
import { saveWithUndo, type UndoableChange } from '../../data/mutations.ts'
import type { ApiError } from '../../kit/api-error.ts'
import { cn } from '../../kit/cn.ts'
import { SegmentedControl, Switch } from '../../kit/controls.tsx'
import { ConfirmDialog } from '../../kit/dialog.tsx'
import { Input } from '../../kit/field.tsx'
import { ErrorText } from '../../kit/notice.tsx'
import { type Option, Select } from '../../kit/select.tsx'
import { useSubmit } from '../../kit/use-submit.ts'

/** What the settings are read from. */
export interface SettingsData {
  settings: Settings | undefined
  account: Account | undefined
  plans: readonly Plan[]
  desktop: DesktopState | null
  info: GatewayInfo | null
  /** Null in a browser; undefined while it is loading. */
  updates: UpdateState | null | undefined
}

interface Setting<Data> {
  /** The heading of its row. */
  name: string
  /** Other words for it, lowercase. */
  keywords: string
  /** Only in the desktop app, not in a browser. */
  desktopOnly?: true
  render(data: Data): ReactNode
}

export interface SettingsSection {
  title: string
  isLoaded(data: SettingsData): boolean
  settings: readonly Setting<SettingsData>[]
}

/** A section whose settings are rendered from a part of the data, once it is there. */
export function section<Part>(
  title: string,
  pick: (data: SettingsData) => Part | null | undefined,
  settings: readonly Setting<Part>[],
): SettingsSection {
  return {
    title,
    isLoaded: (data) => Boolean(pick(data)),
    settings: settings.map((setting) => ({
      ...setting,
      render(data) {
        const part = pick(data)
        return part ? setting.render(part) : null
      },
    })),
  }
}

/** The id of the section or row with this heading. */
export function settingAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}

/** The name of the setting whose row is rendered. */
export const SettingName = createContext('')

interface RowProps {
  /** The explanation. */
  text: ReactNode
  /** Why the last change failed. */
  error?: ApiError | null
  /** The part that does not fit next to the title: a list, a form. */
  below?: ReactNode
  children?: ReactNode
}

/** The row of a setting. The one that the address names is highlighted. */
export function Row({ text, error, below, children }: RowProps) {
  const name = use(SettingName)
  const id = settingAnchor(name)
  const { ref, isTarget } = useHashTarget(id)
  return (
    <div
      ref={ref}
      id={id}
      className={cn(
        'scroll-mt-10 px-4 py-3',
        isTarget && 'bg-sunken shadow-[inset_3px_0_0_var(--color-accent)]',
      )}
    >
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
        <div className="min-w-56 flex-1">
          <h3 className="font-medium">{name}</h3>
          <div className="text-ink-3 text-sm">{text}</div>
          <ErrorText error={error} />
        </div>
        {children ? <div className="flex flex-wrap items-center gap-2">{children}</div> : null}
      </div>
      {below}
    </div>
  )
}

export function useUndoableSave() {
  const { pending, error, submit } = useSubmit()
  return { pending, error, save: (change: UndoableChange) => void submit(() => saveWithUndo(change)) }
}

interface SwitchRowProps extends Omit<RowProps, 'error' | 'children'> {
  /** The label of the switch, if not the name. */
  label?: string
  on: boolean
  save: (on: boolean) => Promise<void>
}

/** A setting that is on or off. */
export function SwitchRow({ label, on, save, ...row }: SwitchRowProps) {
  const { pending, error, save: saveWith } = useUndoableSave()
  const settingName = use(SettingName)
  const name = label ?? settingName
  const change = (next: boolean) =>
    saveWith({
      message: `“${name}” is ${next ? 'on' : 'off'}.`,
      save: () => save(next),
      undo: () => save(on),
    })
  return (
    <Row {...row} error={error}>
      <Switch label={name} on={on} disabled={pending} onChange={change} />
    </Row>
  )
}

interface ChoiceRowProps<Value extends string> extends Omit<RowProps, 'error' | 'children'> {
  value: Value
  options: readonly Option<Value>[]
  /** The options are next to each other instead of in a list. */
  inLine?: boolean
  /** Says what was saved. */
  message: (value: Value) => string
  save: (value: Value) => Promise<void>
  /** Restores what was stored, if that is not to save the current value. */
  undo?: () => Promise<void>
}

/** A setting with a few values. */
export function ChoiceRow<Value extends string>({
  value,
  options,
  inLine = false,
  message,
  save,
  undo = () => save(value),
  ...row
}: ChoiceRowProps<Value>) {
  const { error, save: saveWith } = useUndoableSave()
  const control = {
    label: use(SettingName),
    value,
    options,
    onChange: (next: Value) => saveWith({ message: message(next), save: () => save(next), undo }),
  }
  return (
    <Row {...row} error={error}>
      {inLine ? <SegmentedControl {...control} /> : <Select {...control} className="w-52" />}
    </Row>
  )
}

/** A setting that is typed. */
export function FieldRow<Value>({
  text,
  ...field
}: Pick<RowProps, 'text'> & Omit<SavedFieldProps<Value>, 'label'>) {
  return (
    <Row text={text}>
      <SavedField {...field} label={use(SettingName)} />
    </Row>
  )
}

interface HashTarget {
  ref: RefObject<HTMLDivElement | null>
  isTarget: boolean
}

/** Scrolls to the element when the address names its id. The browser does so only for a click on a link within the page. */
export function useHashTarget(id: string): HashTarget {
  const ref = useRef<HTMLDivElement>(null)
  const isTarget = useLocationProperty(() => window.location.hash === `#${id}`)
  useEffect(() => {
    if (!isTarget) return
    const scroll = () => {
      if (window.location.hash === `#${id}`) ref.current?.scrollIntoView()
    }
    scroll()
    // Wouter's event: the same address again, after the user scrolled on.
    window.addEventListener('pushState', scroll)
    return () => window.removeEventListener('pushState', scroll)
  }, [isTarget, id])
  return { ref, isTarget }
}

interface SaveWarning {
  title: string
  text: ReactNode
  /** The label of the button that saves it anyway. */
  action: string
}

interface SavedFieldProps<T> {
  label: string
  /** The stored value as text. */
  stored: string
  placeholder?: string
  /** Parses the text; returns a string as the error message. */
  parse: (text: string) => { value: T } | string
  save: (value: T) => Promise<void>
  /** A warning to confirm before a value is saved; null for none. */
  warn?: (value: T) => SaveWarning | null
  inputMode?: 'numeric' | 'decimal'
  /** Whether it is as wide as possible, for addresses. */
  wide?: boolean
  /** Values to choose from. The beginning of one is not reported as wrong while it is typed. */
  list?: readonly string[]
}

/** The draft of a setting: checked while it is typed, and saved when it is committed. */
function useDraft<T>({ label, stored, parse, save, warn, list = [] }: SavedFieldProps<T>) {
  /** The draft; null while it shows the stored value. */
  const [draft, setDraft] = useState<string | null>(null)
  const [typing, setTyping] = useState(false)
  const [confirming, setConfirming] = useState<{ value: T; warning: SaveWarning } | null>(null)
  const { pending, error, submit, reset } = useSubmit()

  // The draft, and why it was not saved, ends with the value that was stored then.
  // biome-ignore lint/correctness/useExhaustiveDependencies: on each change of the stored value
  useEffect(() => {
    setDraft(null)
    reset()
  }, [stored, reset])

  const text = draft ?? stored
  const trimmed = text.trim()
  const changed = trimmed !== stored
  const parsed = changed ? parse(trimmed) : null
  const incomplete = typing && list.some((value) => value.toLowerCase().startsWith(trimmed.toLowerCase()))
  const invalid = typeof parsed === 'string' && !incomplete ? parsed : null
  const warning = parsed !== null && typeof parsed !== 'string' ? (warn?.(parsed.value) ?? null) : null

  const store = async (value: T) => {
    const previous = parse(stored)
    if (typeof previous === 'string') await save(value)
    else {
      const undo = () => save(previous.value)
      await saveWithUndo({ message: `${label} saved.`, save: () => save(value), undo })
    }
    setDraft(null)
  }
  const commit = () => {
    setTyping(false)
    if (!changed) setDraft(null)
    if (parsed === null || typeof parsed === 'string' || pending) return
    if (warning) setConfirming({ value: parsed.value, warning })
    else void submit(() => store(parsed.value))
  }
  const restore = () => {
    setConfirming(null)
    setDraft(null)
    reset()
  }
  const saveWhenLeft = useEffectEvent(() => {
    if (!warning && error === null) commit()
  })
  // A shortcut leaves the view without taking the focus from the field first.
  useEffect(() => () => saveWhenLeft(), [])
  const type = (next: string) => {
    setDraft(next)
    setTyping(true)
    reset()
  }
  const problem = invalid ?? error?.message ?? null
  return { text, changed, pending, problem, warning, confirming, type, commit, restore, store }
}

/** A text setting. It is checked while typing, and saved with Enter or when the focus leaves it. Escape restores it. */
export function SavedField<T>(props: SavedFieldProps<T>) {
  const { label, placeholder, inputMode, wide = false, list = [] } = props
  const { text, changed, pending, problem, warning, confirming, type, commit, restore, store } =
    useDraft(props)
  const id = useId()
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      // Else it would press the button of the dialog that opens.
      event.preventDefault()
      commit()
    }
    if (event.key === 'Escape' && changed) {
      event.stopPropagation()
      restore()
    }
  }
  return (
    <div className={cn('flex flex-col items-stretch gap-1', wide ? 'w-full' : 'w-52')}>
      <Input
        aria-label={label}
        aria-invalid={problem !== null}
        aria-busy={pending}
        aria-describedby={problem || warning ? `${id}-note` : undefined}
        value={text}
        list={list.length > 0 ? `${id}-list` : undefined}
        placeholder={placeholder}
        inputMode={inputMode}
        onChange={({ target }) => type(target.value)}
        onKeyDown={onKeyDown}
        onBlur={() => confirming ?? commit()}
      />
      {problem !== null ? (
        <p id={`${id}-note`} role="alert" className="text-bad text-sm">
          {problem}
        </p>
      ) : warning ? (
        <p id={`${id}-note`} role="status" className="text-sm text-warn">
          {warning.text}
        </p>
      ) : null}
      {list.length > 0 ? (
        <datalist id={`${id}-list`}>
          {list.map((value) => (
            <option key={value} value={value} />
          ))}
        </datalist>
      ) : null}
      {confirming ? (
        <ConfirmDialog
          open
          title={confirming.warning.title}
          description={confirming.warning.text}
          action={confirming.warning.action}
          onConfirm={() => store(confirming.value)}
          onClose={restore}
        />
      ) : null}
    </div>
  )
}
