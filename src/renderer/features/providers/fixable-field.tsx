import { Lightbulb } from 'lucide-react'
import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from 'react'
import { locateHost } from '../../../shared/values/hosts.ts'
import { Button } from '../../kit/button.tsx'
import { TextField } from '../../kit/field.tsx'

interface FixableFieldProps extends ComponentProps<typeof TextField> {
  /** Says that what was typed is not what was meant. */
  problem: string
  /** The text that was meant, and the label of the button for it; null if nothing is wrong. */
  fix: (text: string) => { action: string; fixed: string } | null
}

/** A field that offers to correct what was pasted, once it is left. */
export function FixableField({ problem, fix, value, onChange, ...rest }: FixableFieldProps) {
  const { typing, startTyping, fieldProps } = useTyping()
  const meant = typing ? null : fix(value)
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-1.5">
      <TextField
        value={value}
        onChange={(text) => {
          startTyping()
          onChange(text)
        }}
        {...fieldProps}
        {...rest}
      />
      {meant === null ? null : (
        <FixOffer action={meant.action} onFix={() => onChange(meant.fixed)}>
          {problem}
        </FixOffer>
      )}
    </div>
  )
}

interface FixOfferProps {
  /** The problem; nothing where it is said already. */
  children?: ReactNode
  /** The text of the button, such as "Use http://…". */
  action: string
  disabled?: boolean
  onFix: () => void
}

/** A mistake in a field, and the button that corrects it. */
export function FixOffer({ children, action, disabled = false, onFix }: FixOfferProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1.5 text-ink-2 text-sm">
      {children ? (
        <span className="flex min-w-0 gap-1.5">
          <Lightbulb size={14} aria-hidden className="mt-0.5 shrink-0 text-warn" />
          {children}
        </span>
      ) : null}
      <Button small onClick={onFix} disabled={disabled} className="max-w-full">
        <span className="truncate">{action}</span>
      </Button>
    </div>
  )
}

/**
 * Whether the user changes a field: from the first change until the field is left. A press elsewhere ends that only once it is
 * over: what then appears would move the button that is pressed away from the pointer. A click into the field does not begin it:
 * what then disappears would move the field.
 */
function useTyping() {
  const [typing, setTyping] = useState(false)
  const pressing = useRef(false)
  const left = useRef(false)
  useEffect(() => {
    const down = () => {
      pressing.current = true
    }
    const up = () => {
      pressing.current = false
      // The click follows in the same task.
      setTimeout(() => left.current && setTyping(false))
    }
    document.addEventListener('pointerdown', down, true)
    document.addEventListener('pointerup', up, true)
    document.addEventListener('pointercancel', up, true)
    return () => {
      document.removeEventListener('pointerdown', down, true)
      document.removeEventListener('pointerup', up, true)
      document.removeEventListener('pointercancel', up, true)
    }
  }, [])
  return {
    typing,
    startTyping: () => setTyping(true),
    fieldProps: {
      onFocus: () => {
        left.current = false
      },
      onBlur: () => {
        left.current = true
        if (!pressing.current) setTyping(false)
      },
    },
  }
}

// Mistakes in pasted base URLs and keys, with what was meant.

/** Paths of requests, which Tollgate appends to the base URL itself. */
const REQUEST_PATHS =
  /\/(chat\/completions|completions|responses|messages|embeddings|models(\/[^/]+:\w+)?|models)$/

/** The base URL that was meant; null if nothing is wrong with this one, or if that is uncertain. */
export function fixBaseUrl(text: string): string | null {
  const entered = text.trim()
  const whole = addScheme(entered.replace(/\s+/g, '').replace(/^["'<]+|["'>]+$/g, ''))
  if (!URL.canParse(whole)) return null
  const { protocol, host, pathname, hostname } = new URL(whole)
  if ((protocol !== 'http:' && protocol !== 'https:') || hostname === '') return null
  const path = pathname.replace(/\/+$/, '').replace(REQUEST_PATHS, '').replace(/\/+$/, '')
  const fixed = `${protocol}//${host}${path}`
  return fixed === entered.replace(/\/+$/, '') || fixed === withoutDefaults(entered) ? null : fixed
}

/** `localhost:8080` would be parsed as a scheme and a path. */
function addScheme(text: string): string {
  if (text === '' || /^[a-z]+:\/\//i.test(text)) return text
  const address = text.replace(/^\/+/, '')
  const host = /^(\[[^\]]*\]|[^/:?#]*)/.exec(address)?.[0] ?? ''
  if (!/^(\[|[\w.-]+$)/.test(host) || !/[.:]|^localhost/.test(address)) return text
  return `${locateHost(host) === 'public' ? 'https' : 'http'}://${address}`
}

/** In the form that `URL` gives it: a lower-case host without the port of its scheme. There is nothing to fix in that. */
function withoutDefaults(text: string): string {
  if (!URL.canParse(text)) return text
  const { protocol, host, pathname, search, hash, username } = new URL(text)
  if (search || hash || username) return ''
  return `${protocol}//${host}${pathname.replace(/\/+$/, '')}`
}

interface KeyMistake {
  /** The excess characters, as in "Remove the quotes". */
  excess: string
  fixed: string
}

const KEY_MISTAKES: readonly { pattern: RegExp; excess: (matched: string) => string }[] = [
  {
    pattern: /^(?:export\s+|set\s+)?[A-Z][A-Z0-9_]*\s*=\s*/,
    excess: (matched) => `“${matched.trim()}”`,
  },
  {
    pattern: /^(?:authorization|x-api-key|api-key|x-goog-api-key)\s*:\s*/i,
    excess: () => 'the header’s name',
  },
  { pattern: /^["'“”‘’`]+|["'“”‘’`]+$/g, excess: () => 'the quotes' },
  { pattern: /^bearer\s+/i, excess: () => '“Bearer”' },
  { pattern: /\s+/g, excess: () => 'the spaces' },
]

/** The key that was meant; null if nothing is wrong. JSON is a key file, and stays as it is. */
export function fixKey(text: string): KeyMistake | null {
  const entered = text.trim()
  if (entered === '' || entered.startsWith('{')) return null
  let fixed = entered
  const excess: string[] = []
  // A second pass for what is inside: quotes around a key with `Bearer`.
  for (const { pattern, excess: describe } of [...KEY_MISTAKES, ...KEY_MISTAKES]) {
    const [matched] = fixed.match(pattern) ?? []
    const rest = fixed.replace(pattern, '')
    if (matched === undefined || rest === '') continue
    fixed = rest
    if (!excess.includes(describe(matched))) excess.push(describe(matched))
  }
  return excess.length === 0 ? null : { excess: excess.join(' and '), fixed }
}
