import { Upload } from 'lucide-react'
import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import { Button } from '../../../renderer/kit/button.tsx'
import { cn } from '../../../renderer/kit/cn.ts'

interface FileDropProps {
  /** The accessible name of the choice of a file, such as "Usage export". */
  label: string
  /** The text of the button. */
  action: string
  /** The file types, as in an input of type file. */
  accept: string
  pending?: boolean
  onFile: (file: File) => void
  children: ReactNode
}

/** A place for a file: it can be dropped here, or chosen with the button. */
export function FileDrop({ label, action, accept, pending = false, onFile, children }: FileDropProps) {
  const input = useRef<HTMLInputElement>(null)
  const [over, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const [file] = event.dataTransfer.files
    if (file && !pending) onFile(file)
  }
  const choose = ({ files }: HTMLInputElement) => {
    const file = files?.[0]
    if (file) onFile(file)
    // Reset, so that selecting the same file fires a change event.
    if (input.current) input.current.value = ''
  }
  return (
    <section
      aria-label={label}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={cn(
        'flex flex-col items-center gap-3 rounded-lg border border-dashed px-6 py-8 text-center',
        over ? 'border-accent bg-accent-soft' : 'border-line-strong bg-surface',
      )}
    >
      <div className="max-w-md text-balance text-ink-2">{children}</div>
      <input
        ref={input}
        type="file"
        accept={accept}
        aria-label={label}
        hidden
        onChange={({ target }) => choose(target)}
      />
      <Button icon={Upload} pending={pending} onClick={() => input.current?.click()}>
        {action}
      </Button>
    </section>
  )
}
