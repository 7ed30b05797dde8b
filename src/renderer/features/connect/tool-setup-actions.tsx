import { useQuery } from '@tanstack/react-query'
import { Undo2, WandSparkles } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { toast } from 'sonner'
import type { DesktopBridge } from '../../../shared/desktop/desktop.ts'
import {
  type FilePreview,
  TOOL_EXTRAS,
  type ToolExtra,
  type ToolOutcome,
  type ToolPreview,
} from '../../../shared/tools/tool-setup.ts'
import { findTool } from '../../../shared/tools/tool-table.ts'
import { useNewSecrets } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { query, refresh } from '../../data/query-client.ts'
import { ApiError, throwDesktopError } from '../../kit/api-error.ts'
import { StatusDot } from '../../kit/badge.tsx'
import { Button } from '../../kit/button.tsx'
import { Switch } from '../../kit/controls.tsx'
import { ConfirmDialog, Dialog, DialogActions } from '../../kit/dialog.tsx'
import { Diff } from '../../kit/diff.tsx'
import { Form, useForm } from '../../kit/form.tsx'
import { quoteName } from '../../kit/format.ts'
import { InlineError } from '../../kit/notice.tsx'
import { useSubmit } from '../../kit/use-submit.ts'
import { NewKey } from '../../parts/keys/key-draft.ts'
import { DEFAULT_CAP_USD } from '../../parts/limits/default-cap.ts'

/** What the desktop has set up; null in a browser, which cannot write files. */
const toolSetups = query(
  ['tool-setups'],
  async () => (await window.desktop?.listToolSetups().catch(throwDesktopError)) ?? null,
)

/** Calls the desktop. Throws ApiError, and has then changed nothing. */
async function callDesktop<T>(call: (desktop: DesktopBridge) => Promise<T>): Promise<T> {
  const { desktop } = window
  if (!desktop) throw new Error('Only the desktop app writes files.')
  return call(desktop).catch(throwDesktopError)
}

function refreshSetups() {
  return Promise.all([refresh(toolSetups), refresh(queries.keys)])
}

interface ToolSetupActionsProps {
  tool: string
  name: string
  /** The user's choice; null for the model that suits the tool. */
  model: string | null
  onDone: (keyId: string) => void
}

/** Sets the tool up and undoes it. Nothing in a browser, and for tools without a documented file. */
export function ToolSetupActions({ tool, name, model, onDone }: ToolSetupActionsProps) {
  const { data: setups = null, error: listError } = useQuery(toolSetups)
  const [preview, setPreview] = useState<ToolPreview | null>(null)
  const [undoing, setUndoing] = useState(false)
  const { pending, error, submit } = useSubmit()
  const button = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  // The button was disabled while the preview was made, and so lost the focus that the dialog would return.
  useEffect(() => {
    if (wasOpen.current && preview === null) button.current?.focus()
    wasOpen.current = preview !== null
  }, [preview])
  if (findTool(tool) === null) return null
  if (listError) return <InlineError error={listError} />
  if (setups === null) return null
  const setup = setups.find((each) => each.tool === tool)
  const choice = { tool, model, extras: setup?.extras ?? [] }
  return (
    <>
      <InlineError error={error} />
      {setup ? (
        <Button icon={Undo2} onClick={() => setUndoing(true)}>
          Undo setup
        </Button>
      ) : null}
      <Button
        ref={button}
        needsGateway
        variant={setup ? 'secondary' : 'primary'}
        icon={WandSparkles}
        pending={pending}
        onClick={() =>
          void submit(() => callDesktop((desktop) => desktop.previewToolSetup(choice)), setPreview)
        }
      >
        {setup ? 'Set up again' : 'Set up for me'}
      </Button>
      {preview ? (
        <SetUpTool
          preview={preview}
          onPreview={setPreview}
          onClose={() => setPreview(null)}
          onDone={onDone}
        />
      ) : null}
      <ConfirmDialog
        open={undoing}
        onClose={() => setUndoing(false)}
        title={`Undo the setup of ${name}?`}
        description={
          <>
            Restores {setup?.paths.join(' and ')}, except for what was changed since. If a key was created for
            it, that key is revoked.
          </>
        }
        action="Undo setup"
        onConfirm={() => undo(tool, name)}
      />
    </>
  )
}

async function undo(tool: string, name: string): Promise<void> {
  const { kept, problems } = await callDesktop((desktop) => desktop.undoToolSetup(tool))
  if (problems.length > 0) {
    throw new ApiError({ status: 0, type: 'server_error', message: problems.join(' ') })
  }
  await refreshSetups()
  const rest = kept.length > 0 ? ` Left as changed since: ${kept.join(', ')}.` : ''
  toast.success(`The setup of ${name} is undone.${rest}`)
}

interface SetUpToolProps {
  preview: ToolPreview
  /** Another choice changes what will be written. */
  onPreview: (preview: ToolPreview) => void
  onClose: () => void
  onDone: (keyId: string) => void
}

/** Shows what will be written, writes it, and shows whether it works. */
function SetUpTool({ preview, onDone, ...props }: SetUpToolProps) {
  const [outcome, setOutcome] = useState<ToolOutcome | null>(null)
  const { onClose } = props
  if (outcome) {
    return (
      // Its own key: a new dialog sets the focus again.
      <Dialog key="done" open onClose={onClose} title={`${preview.name} is set up`}>
        <div className="flex flex-col gap-3">
          <p role="status">
            <StatusDot tone={outcome.test.passed ? 'good' : 'bad'}>{outcome.test.message}</StatusDot>
          </p>
          <p className="text-ink-2">{outcome.next}</p>
          <DialogActions>
            <Button variant="primary" onClick={onClose}>
              Done
            </Button>
          </DialogActions>
        </div>
      </Dialog>
    )
  }
  const onApplied = async (applied: ToolOutcome) => {
    useNewSecrets.getState().addSecret(applied.keyId, applied.secret)
    setOutcome(applied)
    onDone(applied.keyId)
    await refreshSetups()
  }
  return (
    <Dialog
      open
      wide
      ignoreOutsideClick
      onClose={onClose}
      title={`Set up ${preview.name}`}
      description="Tollgate changes only the lines shown. It keeps a backup of each file, and you can undo it here."
    >
      <Review preview={preview} onApplied={(applied) => void onApplied(applied)} {...props} />
    </Dialog>
  )
}

interface ReviewProps extends Omit<SetUpToolProps, 'onDone'> {
  onApplied: (outcome: ToolOutcome) => void
}

function Review({ preview, onPreview, onClose, onApplied }: ReviewProps) {
  const form = useForm(NewKey, () => ({ name: preview.name, spendLimitUsd: String(DEFAULT_CAP_USD) }))
  const { choice, model, files, offers, keyName, reviewed } = preview
  const change = (extra: ToolExtra, on: boolean) => {
    const extras = choice.extras.filter((each) => each !== extra)
    const changed = { ...choice, extras: on ? [...extras, extra] : extras }
    void form.submit(() => callDesktop((desktop) => desktop.previewToolSetup(changed)), onPreview)
  }
  return (
    <Form
      form={form}
      action={labelSubmit(files)}
      disabled={files.some(({ problem }) => problem !== null)}
      save={(key) =>
        callDesktop((desktop) =>
          desktop.applyToolSetup({
            ...choice,
            reviewed,
            keyName: key.name,
            spendLimitUsd: key.spendLimitUsd,
          }),
        )
      }
      onSaved={onApplied}
      onClose={onClose}
    >
      {keyName === null ? (
        <div className="grid grid-cols-2 gap-3">
          {form.field('name', { label: 'Name of the new key' })}
          {form.field('spendLimitUsd')}
        </div>
      ) : (
        <p className="text-ink-2">{`It keeps its key ${quoteName(keyName)}.`}</p>
      )}
      {offers.map((extra) => (
        <Extra
          key={extra}
          extra={extra}
          on={choice.extras.includes(extra)}
          disabled={form.pending}
          onChange={(on) => change(extra, on)}
        />
      ))}
      {files.map((file) => (
        <FileChanges key={file.path} file={file} />
      ))}
      <p className="text-ink-3 text-sm">
        {choice.extras.includes('plan') ? null : (
          <>
            Model: <span className="font-mono">{model}</span>.{' '}
          </>
        )}
        The files are shown as they are, with the keys they contain
        {keyName === null ? `; tg-… is the new key` : ''}.
      </p>
    </Form>
  )
}

interface ExtraProps {
  extra: ToolExtra
  on: boolean
  disabled: boolean
  onChange: (on: boolean) => void
}

function Extra({ extra, ...props }: ExtraProps) {
  const { label, hint } = TOOL_EXTRAS[extra]
  return (
    <div className="flex items-start gap-3">
      <Switch label={label} {...props} />
      <div>
        <p>{label}</p>
        <p className="text-ink-3 text-sm">{hint}</p>
      </div>
    </div>
  )
}

/** Without a change, there is still the key to test. */
function labelSubmit(files: readonly FilePreview[]): string {
  const changed = files.filter(({ diff, problem }) => diff.length > 0 || problem !== null).length
  if (changed === 0) return 'Test'
  return changed === 1 ? 'Write the file' : `Write ${changed} files`
}

function FileChanges({ file: { path, exists, problem, warnings, diff } }: { file: FilePreview }) {
  if (problem !== null) {
    return (
      <InlineError
        error={`Tollgate does not change ${path}. ${problem} Close this and paste the text into the file instead.`}
      />
    )
  }
  const note = !exists ? 'New file' : diff.length > 0 ? 'Changed' : 'Already as needed'
  return (
    <div className="flex flex-col gap-1.5">
      <Diff title={path} note={note} lines={diff} />
      {warnings.map((warning) => (
        <p key={warning} className="text-sm text-warn">
          {warning}
        </p>
      ))}
    </div>
  )
}
