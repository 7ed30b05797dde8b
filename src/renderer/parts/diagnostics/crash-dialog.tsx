import { type CrashReport, formatCrash } from '../../../shared/desktop/crashes.ts'
import { deleteCrash } from '../../data/crashes.ts'
import { Button } from '../../kit/button.tsx'
import { CopyButton } from '../../kit/copy.tsx'
import { Dialog, DialogActions } from '../../kit/dialog.tsx'
import { useSubmit } from '../../kit/use-submit.ts'

export function CrashDialog({ report, onClose }: { report: CrashReport; onClose: () => void }) {
  const { error, pending, submit } = useSubmit()
  const text = formatCrash(report)
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="Crash report"
      description="It is only on this computer, and has no keys, credentials, prompts or answers. To report the crash, copy it into an issue."
    >
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what scrolls
        tabIndex={0}
        className="max-h-80 overflow-auto whitespace-pre-wrap rounded-lg bg-sunken p-3 font-mono text-ink text-sm"
      >
        {text}
      </pre>
      <DialogActions
        above={
          error ? (
            <p role="alert" className="text-bad">
              {error.message}
            </p>
          ) : undefined
        }
      >
        <Button pending={pending} onClick={() => void submit(() => deleteCrash(report.id), onClose)}>
          Delete report
        </Button>
        <CopyButton primary text={text} label="Copy report" />
      </DialogActions>
    </Dialog>
  )
}
