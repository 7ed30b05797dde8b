import { memo, type ReactNode, useEffect, useState } from 'react'
import { type Components, type PluginConfig, Streamdown } from 'streamdown'
import { openExternal } from '../../components/external.ts'
import { HighlightedCode } from './highlighted-code.tsx'
import { normaliseMath } from './math-text.ts'

const components: Components = {
  a: ({ href, children }) => <ExternalLink href={href}>{children}</ExternalLink>,
  img: ({ src, alt }) => (
    <ExternalLink href={typeof src === 'string' ? src : undefined}>{alt || 'image'}</ExternalLink>
  ),
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

const noPlugins: PluginConfig = {}
const linkSafety = { enabled: false }

export interface MarkdownProps {
  text: string
  /** The text is still growing. */
  streaming: boolean
}

/**
 * Renders an answer. Images are shown as links, so that an answer cannot make the window fetch anything. Only the blocks
 * that changed are parsed again, also when the answer ends: a long text takes hundreds of milliseconds.
 */
export const Markdown = memo(function Markdown({ text, streaming }: MarkdownProps) {
  const markdown = normaliseMath(text)
  const plugins = useMathPlugin(markdown.includes('$$'))
  return (
    <Streamdown
      mode="streaming"
      parseIncompleteMarkdown={streaming}
      className="markdown"
      components={components}
      plugins={plugins}
      controls={false}
      lineNumbers={false}
      linkSafety={linkSafety}
    >
      {markdown}
    </Streamdown>
  )
})

/** The plugin for mathematics, which is loaded when an answer first contains some. */
function useMathPlugin(needed: boolean): PluginConfig {
  const [plugins, setPlugins] = useState(noPlugins)
  useEffect(() => {
    if (!needed) return
    let current = true
    // Until then the source of a formula is shown.
    void import('./math-plugin.ts').then(({ math }) => current && setPlugins({ math }))
    return () => {
      current = false
    }
  }, [needed])
  return plugins
}

function ExternalLink({ href, children }: { href: string | undefined; children: ReactNode }) {
  if (!href || !/^https?:\/\//.test(href)) return <span>{children}</span>
  return (
    <a
      href={href}
      title={href}
      rel="noopener noreferrer"
      onClick={(event) => {
        event.preventDefault()
        void openExternal(href)
      }}
    >
      {children}
    </a>
  )
}
