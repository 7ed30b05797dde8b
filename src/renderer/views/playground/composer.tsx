// Owns the box to write in. Enter sends, Shift+Enter makes a line.
import { ArrowUp, Square } from 'lucide-react'
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { usePlayground } from '../../stores/playground.ts'

const TALLEST_PX = 200

export function Composer({ model, noModels }: { model: string; noModels: boolean }) {
  const { streaming, send, stop, change } = usePlayground()
  const [text, setText] = useState('')
  const box = useRef<HTMLTextAreaElement>(null)
  const ready = text.trim() !== '' && model !== '' && !streaming

  // biome-ignore lint/correctness/useExhaustiveDependencies: its height follows its text
  useLayoutEffect(() => {
    if (!box.current) return
    box.current.style.height = 'auto'
    box.current.style.height = `${Math.min(TALLEST_PX, box.current.scrollHeight)}px`
  }, [text])

  const submit = () => {
    if (!ready) return
    change({ model })
    void send(text.trim())
    setText('')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    submit()
  }

  return (
    <div className="shrink-0 px-6 pb-4">
      <div className="mx-auto max-w-3xl">
        <div className="flex items-end gap-2 rounded-xl border border-line-strong bg-surface p-2 pl-3.5 shadow-card focus-within:border-accent">
          <textarea
            ref={box}
            rows={1}
            aria-label="Message"
            placeholder={model ? `Message ${model}` : 'Message'}
            value={text}
            // biome-ignore lint/a11y/noAutofocus: writing is what this view is opened for
            autoFocus
            onChange={(event) => setText(event.target.value)}
            onKeyDown={onKeyDown}
            className="min-h-8 flex-1 resize-none bg-transparent py-1.5 outline-none placeholder:text-ink-3"
          />
          {streaming ? (
            <RoundButton label="Stop" onClick={stop}>
              <Square size={12} aria-hidden fill="currentColor" />
            </RoundButton>
          ) : (
            <RoundButton label="Send" onClick={submit} disabled={!ready}>
              <ArrowUp size={16} aria-hidden />
            </RoundButton>
          )}
        </div>
        <p className="mt-1.5 text-center text-ink-3 text-xs">
          {noModels ? (
            <>
              No model can be served now.{' '}
              <Link href="/providers?add=1" className="text-accent-ink hover:underline">
                Add a provider
              </Link>
            </>
          ) : (
            'Enter sends, Shift+Enter makes a line. Chats stay on this computer.'
          )}
        </p>
      </div>
    </div>
  )
}

function RoundButton({
  label,
  children,
  ...rest
}: {
  label: string
  onClick: () => void
  disabled?: boolean
  children: React.ReactNode
}) {
  return (
    <button
      type="button"
      aria-label={label}
      className="flex size-8 shrink-0 items-center justify-center rounded-lg bg-accent text-white hover:bg-accent-hover disabled:bg-sunken disabled:text-ink-3"
      {...rest}
    >
      {children}
    </button>
  )
}
