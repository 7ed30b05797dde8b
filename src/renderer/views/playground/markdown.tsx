// Owns showing markdown as it streams. Nothing in it may reach the network: images become links, and links open
// outside or are copied.
import './markdown.css'
import { type ComponentProps, isValidElement, type ReactNode } from 'react'
import { type Components, Streamdown } from 'streamdown'
import { CopyIcon } from '../../components/copy.tsx'
import { openExternal } from '../../components/external.ts'

const components: Components = {
  a: ({ href, children }) => <Outside href={href}>{children}</Outside>,
  img: ({ src, alt }) => <Outside href={typeof src === 'string' ? src : undefined}>{alt || 'image'}</Outside>,
  pre: ({ children }) => <Fence>{children}</Fence>,
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

export function Markdown({ text, streaming }: { text: string; streaming: boolean }) {
  return (
    <Streamdown
      mode={streaming ? 'streaming' : 'static'}
      className="markdown"
      components={components}
      controls={false}
      lineNumbers={false}
      linkSafety={{ enabled: false }}
    >
      {text}
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

function Fence({ children }: { children?: ReactNode }) {
  const code = textOf(children).replace(/\n$/, '')
  return (
    <div className="fence">
      <div className="fence-copy">
        <CopyIcon text={code} label="Copy code" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable from the keyboard */}
      <pre tabIndex={0}>{children}</pre>
    </div>
  )
}

function textOf(node: ReactNode): string {
  if (typeof node === 'string' || typeof node === 'number') return String(node)
  if (Array.isArray(node)) return node.map(textOf).join('')
  return isValidElement<ComponentProps<'code'>>(node) ? textOf(node.props.children) : ''
}
