import { CopyIconButton } from './copy.tsx'

interface CodeBlockProps {
  code: string
  /** Where to paste it: a file's path, or "Terminal". */
  title?: string | undefined
  /** The accessible name of the copy button. */
  copyLabel?: string
  onCopied?: () => void
}

export function CodeBlock({ code, title, copyLabel = 'Copy code', onCopied }: CodeBlockProps) {
  return (
    <figure className="overflow-hidden rounded-lg border border-line bg-surface">
      <figcaption className="flex h-9 items-center justify-between gap-2 border-line border-b bg-canvas pr-1 pl-3 text-ink-2 text-sm">
        <span className="truncate">{title}</span>
        <CopyIconButton text={code} label={copyLabel} {...(onCopied ? { onCopied } : {})} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable from the keyboard */}
      <pre tabIndex={0} className="overflow-x-auto p-3 font-mono text-sm -outline-offset-2">
        <code>{code}</code>
      </pre>
    </figure>
  )
}
