import { type ComponentProps, isValidElement, type ReactNode, useEffect, useState } from 'react'
import { CopyIconButton } from '../../kit/copy.tsx'
import type { Lines, Tokenize } from './highlighter.ts'

export function HighlightedCode({ children }: { children?: ReactNode }) {
  const code = readText(children).replace(/\n$/, '')
  const language = readLanguage(children)
  const lines = useTokenizer(language)?.(code) ?? null
  return (
    <div className="highlighted-code">
      <div className="highlighted-code-header">
        <span>{language}</span>
        <CopyIconButton text={code} label="Copy code" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable from the keyboard */}
      <pre tabIndex={0}>
        <code>{lines === null ? code : lines.map(renderLine)}</code>
      </pre>
    </div>
  )
}

function renderLine(line: Lines[number], index: number) {
  return (
    <span key={index}>
      {index > 0 ? '\n' : null}
      {line.map((token) => (
        <span key={token.offset} style={token.htmlStyle}>
          {token.content}
        </span>
      ))}
    </span>
  )
}

/** Null until the language has been loaded, and for one that is not highlighted. */
function useTokenizer(language: string): Tokenize | null {
  const [loaded, setLoaded] = useState<{ language: string; tokenize: Tokenize | null } | null>(null)
  useEffect(() => {
    if (language === '') return
    let current = true
    void import('./highlighter.ts')
      .then(({ createTokenizer }) => createTokenizer(language))
      .then((tokenize) => current && setLoaded({ language, tokenize }))
    return () => {
      current = false
    }
  }, [language])
  return loaded?.language === language ? loaded.tokenize : null
}

function readLanguage(node: ReactNode): string {
  if (!isValidElement<ComponentProps<'code'>>(node)) return ''
  return /language-([\w+#-]+)/.exec(node.props.className ?? '')?.[1]?.toLowerCase() ?? ''
}

function readText(node: ReactNode): string {
  if (typeof node === 'string' || typeof node === 'number') return String(node)
  if (Array.isArray(node)) return node.map(readText).join('')
  return isValidElement<ComponentProps<'code'>>(node) ? readText(node.props.children) : ''
}
