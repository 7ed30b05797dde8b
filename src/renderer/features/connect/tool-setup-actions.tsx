import { useQuery } from '@tanstack/react-query'
import { Undo2, WandSparkles } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { toast } from 'sonner'
import type { ToolPreview } from '../../../shared/tools/tool-setup.ts'
import { findTool } from '../../../shared/tools/tool-table.ts'
import { previewToolSetup, toolSetups, undoToolSetup } from '../../data/tool-setups.ts'
import { ApiError } from '../../kit/api-error.ts'
import { Button } from '../../kit/button.tsx'
import { ConfirmDialog } from '../../kit/dialog.tsx'
import { InlineError } from '../../kit/notice.tsx'
import { useSubmit } from '../../kit/use-submit.ts'
import { SetUpTool } from './set-up-tool.tsx'

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
          void submit(() => previewToolSetup({ tool, model, mcp: setup?.mcp ?? false }), setPreview)
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
