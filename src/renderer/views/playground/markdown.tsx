// Owns showing markdown as it streams. Nothing in it may reach the network: images become links, and links open
// outside or are copied.
import './markdown.css'
import { createMathPlugin } from '@streamdown/math'
import type { ReactNode } from 'react'
import { type Components, Streamdown } from 'streamdown'
import { openExternal } from '../../components/external.ts'
import { HighlightedCode } from './highlighted-code.tsx'
import { normaliseMath } from './math-text.ts'

const components: Components = {
  a: ({ href, children }) => <Outside href={href}>{children}</Outside>,
  img: ({ src, alt }) => <Outside href={typeof src === 'string' ? src : undefined}>{alt || 'image'}</Outside>,
  pre: ({ children }) => <HighlightedCode>{children}</HighlightedCode>,
  code: ({ className, children }) => <code className={className}>{children}</code>,
  inlineCode: ({ children }) => <code>{children}</code>,
  table: ({ children }) => (
    <div className="overflow-x-auto">
      <table>{children}</table>
    </div>
  ),
  thead: ({ children }) => <thead>{children}</thead>,
  tbody: ({ children }) => <tbody>{children}</tbody>,
  tr: ({ children }) => <tr>{children}</tr>,
  th: ({ children }) => <th>{children}</th>,
  td: ({ children }) => <td>{children}</td>,
}

const plugins = { math: createMathPlugin({ errorColor: 'var(--bad)' }) }

export function Markdown({ text, streaming }: { text: string; streaming: boolean }) {
  return (
    <Streamdown
      mode={streaming ? 'streaming' : 'static'}
      className="markdown"
      components={components}
      plugins={plugins}
      controls={false}
      lineNumbers={false}
      linkSafety={{ enabled: false }}
    >
      {normaliseMath(text)}
    </Streamdown>
  )
}

function Outside({ href, children }: { href: string | undefined; children: ReactNode }) {
  if (!href || !/^https?:\/\//.test(href)) return <span>{children}</span>
  return (
    <a
      href={href}
      title={href}
      rel="noopener noreferrer"
      onClick={(event) => {
        event.preventDefault()
        openExternal(href)
      }}
    >
      {children}
    </a>
  )
}
