import { useQuery } from '@tanstack/react-query'
import { Undo2, WandSparkles } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { toast } from 'sonner'
import type {
  FilePreview,
  ToolApply,
  ToolChoice,
  ToolOutcome,
  ToolPreview,
  UndoOutcome,
} from '../../../shared/tools/tool-setup.ts'
import { findTool } from '../../../shared/tools/tool-table.ts'
import { shellPath } from '../../../shared/values/text.ts'
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

interface ToolSetupActionsProps {
  tool: string
  name: string
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
          void submit(
            () =>
              previewToolSetup({ tool, model, mcp: setup?.mcp ?? false, ...(setup?.git && { git: true }) }),
            setPreview,
          )
        }
      >
        {setup ? 'Set up again' : 'Set up for me'}
      </Button>
      {preview ? (
        <SetUpTool
          preview={preview}
          model={model}
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
  const outcome = await undoToolSetup(tool)
  const files = outcome?.files ?? []
  const problems = files.flatMap(({ path, problem }) => (problem === null ? [] : [`${path}: ${problem}`]))
  if (problems.length > 0) {
    throw new ApiError({ status: 0, type: 'server_error', message: problems.join(' ') })
  }
  const kept = files.flatMap((file) => file.kept.map((setting) => `${setting} in ${file.path}`))
  toast.success(
    kept.length === 0
      ? `The setup of ${name} is undone.`
      : `The setup of ${name} is undone. Left as changed since: ${kept.join(', ')}.`,
  )
}

interface SetUpToolProps {
  preview: ToolPreview
  /** The user's choice; null for the model that suits the tool. */
  model: string | null
  /** Another choice changes what will be written. */
  onPreview: (preview: ToolPreview | null) => void
  onClose: () => void
  onDone: (keyId: string) => void
}

/** Shows what will be written, writes it, and shows whether it works. */
function SetUpTool({ preview, model, onPreview, onClose, onDone }: SetUpToolProps) {
  const [outcome, setOutcome] = useState<ToolOutcome | null>(null)
  if (outcome) {
    return (
      // Its own key: a new dialog sets the focus again.
      <Dialog key="done" open onClose={onClose} title={`${preview.name} is set up`}>
        <Done outcome={outcome} onClose={onClose} />
      </Dialog>
    )
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
      <Review
        preview={preview}
        model={model}
        onPreview={onPreview}
        onClose={onClose}
        onApplied={(done) => {
          setOutcome(done)
          onDone(done.keyId)
        }}
      />
    </Dialog>
  )
}

interface ReviewProps {
  preview: ToolPreview
  model: string | null
  onPreview: (preview: ToolPreview | null) => void
  onClose: () => void
  onApplied: (outcome: ToolOutcome) => void
}

function Review({ preview, model, onPreview, onClose, onApplied }: ReviewProps) {
  const form = useForm(NewKey, () => ({ name: preview.name, spendLimitUsd: String(DEFAULT_CAP_USD) }))
  const { tool, name, reviewed, mcp, git, plan, files } = preview
  const isOnPlan = plan?.on ?? false
  const current: ToolChoice = {
    tool,
    model,
    mcp: mcp ?? false,
    ...(git && { git: true }),
    ...(isOnPlan && { plan: true }),
  }
  const choices = [
    {
      on: plan === null || !(plan.on || plan.isSignedIn) ? null : plan.on,
      label: 'Let the plan pay',
      text: `${name} keeps the sign-in of its plan. Requests cost nothing, and you see what they are worth.`,
      change: (on: boolean) => ({ plan: on }),
    },
    {
      on: mcp,
      label: 'Let the agent ask about its costs',
      text: 'With Tollgate’s MCP server it can ask what it has spent, what is left and what a task costs.',
      change: (on: boolean) => ({ mcp: on }),
    },
    {
      on: git,
      label: 'Record branches and commits',
      text: 'Hooks tell Tollgate on which branch a session works, so that Usage shows what each branch and commit has cost.',
      change: (on: boolean) => ({ git: on }),
    },
  ]
  return (
    <Form
      form={form}
      action={labelSubmit(files)}
      disabled={files.some(({ problem }) => problem !== null)}
      save={({ name: keyName, spendLimitUsd }) =>
        applyToolSetup({ ...current, reviewed, keyName, spendLimitUsd })
      }
      onSaved={(outcome) => outcome && onApplied(outcome)}
      onClose={onClose}
    >
      {preview.keyName === null ? (
        <div className="grid grid-cols-2 gap-3">
          {form.field('name', { label: 'Name of the new key' })}
          {form.field('spendLimitUsd')}
        </div>
      ) : (
        <p className="text-ink-2">{`It keeps its key ${quoteName(preview.keyName)}.`}</p>
      )}
      {choices.map(({ on, label, text, change }) =>
        on === null ? null : (
          <div key={label} className="flex items-start gap-3">
            <Switch
              label={label}
              on={on}
              disabled={form.pending}
              onChange={(next) =>
                void form.submit(() => previewToolSetup({ ...current, ...change(next) }), onPreview)
              }
            />
            <div>
              <p>{label}</p>
              <p className="text-ink-3 text-sm">{text}</p>
            </div>
          </div>
        ),
      )}
      {files.map((file) => (
        <FileChanges key={file.path} file={file} />
      ))}
      {files.some(({ hasFolder, problem }) => !hasFolder && problem === null) ? (
        <p className="text-sm text-warn">{`The folder of ${name} does not exist yet. Is the tool installed?`}</p>
      ) : null}
      <p className="text-ink-3 text-sm">
        {isOnPlan ? null : (
          <>
            Model: <span className="font-mono">{preview.model}</span>.{' '}
          </>
        )}
        The files are shown as they are, with the keys they contain
        {preview.keyName === null ? '; tg-… is the new key' : ''}.
      </p>
    </Form>
  )
}

function describeChange({ exists, diff }: FilePreview): string {
  if (!exists) return 'New file'
  return diff.length > 0 ? 'Changed' : 'Already as needed'
}

/** Without a change, there is still the key to test. */
function labelSubmit(files: readonly FilePreview[]): string {
  const changed = files.filter(({ diff, problem }) => diff.length > 0 || problem !== null).length
  if (changed === 0) return 'Test'
  return changed === 1 ? 'Write the file' : `Write ${changed} files`
}

function FileChanges({ file }: { file: FilePreview }) {
  const { path, readableByOthers, problem, diff } = file
  if (problem !== null) {
    return (
      <InlineError
        error={`Tollgate does not change ${path}. ${problem} Close this and paste the text into the file instead.`}
      />
    )
  }
  const command = <code className="font-mono">chmod 600 {shellPath(path)}</code>
  return (
    <div className="flex flex-col gap-1.5">
      <Diff title={path} note={describeChange(file)} lines={diff} />
      {readableByOthers ? (
        <p className="text-sm text-warn">
          Other users of this computer can read this file, and so the key in it. To prevent that, run{' '}
          {command}.
        </p>
      ) : null}
    </div>
  )
}

function Done({ outcome: { test, next }, onClose }: { outcome: ToolOutcome; onClose: () => void }) {
  return (
    <div className="flex flex-col gap-3">
      <p role="status">
        <StatusDot tone={test.passed ? 'good' : 'bad'}>{test.message}</StatusDot>
      </p>
      <p className="text-ink-2">{next}</p>
      <DialogActions>
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </div>
  )
}

// The configuration of tools that the desktop app writes. A browser cannot.

/** Null in a browser. */
const toolSetups = query(
  ['tool-setups'],
  async () => (await window.desktop?.listToolSetups().catch(throwDesktopError)) ?? null,
)

/** The files that would be written; null in a browser. */
async function previewToolSetup(choice: ToolChoice): Promise<ToolPreview | null> {
  return (await window.desktop?.previewToolSetup(choice).catch(throwDesktopError)) ?? null
}

/** Throws ApiError, and has then changed nothing. */
async function applyToolSetup(request: ToolApply): Promise<ToolOutcome | null> {
  const outcome = await window.desktop?.applyToolSetup(request).catch(throwDesktopError)
  if (!outcome) return null
  useNewSecrets.getState().addSecret(outcome.keyId, outcome.secret)
  await Promise.all([refresh(toolSetups), refresh(queries.keys)])
  return outcome
}

async function undoToolSetup(tool: string): Promise<UndoOutcome | null> {
  const outcome = await window.desktop?.undoToolSetup(tool).catch(throwDesktopError)
  await Promise.all([refresh(toolSetups), refresh(queries.keys)])
  return outcome ?? null
}
