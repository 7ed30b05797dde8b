// A setting is a row of data, from which the page, its index, its search and the command palette are made.

import { createContext, type ReactNode, type RefObject, use, useEffect, useRef } from 'react'
import { useLocationProperty } from 'wouter/use-browser-location'
import type { Account, GatewayInfo, Plan, Settings } from '../../../shared/api/account.ts'
import type { DesktopState } from '../../../shared/desktop/desktop.ts'
import type { UpdateState } from '../../../shared/desktop/updates.ts'
import { saveWithUndo, type UndoableChange } from '../../data/save-with-undo.ts'
import type { ApiError } from '../../kit/api-error.ts'
import { cn } from '../../kit/cn.ts'
import { ErrorText } from '../../kit/notice.tsx'
import { SegmentedControl } from '../../kit/segmented-control.tsx'
import { type Option, Select } from '../../kit/select.tsx'
import { Switch } from '../../kit/switch.tsx'
import { useSubmit } from '../../kit/use-submit.ts'
import { SavedField, type SavedFieldProps } from './saved-field.tsx'

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
      className={cn('scroll-mt-10 px-4 py-3', isTarget && 'bg-sunken shadow-[inset_3px_0_0_var(--accent)]')}
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
