import { Children, type ReactNode, useEffect } from 'react'
import { type Components, Streamdown } from 'streamdown'
import { Link } from 'wouter'
import type { HelpHref } from '../../../shared/desktop/views.ts'
import { ExternalLink, plainElements } from '../../kit/markdown-elements.tsx'
import { helpTexts, toHeadingId, toHelpLink } from './help-pages.ts'

const getText = (children: ReactNode): string =>
  Children.toArray(children)
    .filter((part) => typeof part === 'string')
    .join('')

const components: Components = {
  ...plainElements,
  h1: ({ children }) => <h2 id={toHeadingId(getText(children))}>{children}</h2>,
  h2: ({ children }) => <h3 id={toHeadingId(getText(children))}>{children}</h3>,
  h3: ({ children }) => <h4 id={toHeadingId(getText(children))}>{children}</h4>,
  a: ({ href, children }) => <DocumentLink href={href ?? ''}>{children}</DocumentLink>,
  img: () => null,
  // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what scrolls
  pre: ({ children }) => <pre tabIndex={0}>{children}</pre>,
}

const linkSafety = { enabled: false }
/** The documents are our own: their relative links need not be removed. */
const noRehypePlugins: [] = []

/** A document of the repository, with links to other documents of the help. Mounted again for each. */
export function Document({ text }: { text: string }) {
  useEffect(() => {
    const { hash } = window.location
    if (hash) document.getElementById(hash.slice(1))?.scrollIntoView()
  }, [])
  return (
    <div lang="en">
      <Streamdown
        mode="static"
        className="markdown"
        components={components}
        rehypePlugins={noRehypePlugins}
        controls={false}
        lineNumbers={false}
        linkSafety={linkSafety}
      >
        {text}
      </Streamdown>
    </div>
  )
}

function DocumentLink({ href, children }: { href: string; children: ReactNode }) {
  const page = toHelpLink(href)
  if (page?.startsWith('#')) return <a href={page}>{children}</a>
  if (page) return <Link href={page}>{children}</Link>
  // Documents that are not part of the help are in the repository only.
  return <ExternalLink href={href}>{children}</ExternalLink>
}

/** The paragraph that reaches this length is the last. */
const ENOUGH = 240

interface HelpSectionProps {
  page: HelpHref
  heading: string
}

/** The beginning of a section of the help, with a link to all of it. */
export function HelpSection({ page, heading }: HelpSectionProps) {
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what scrolls */}
      <div tabIndex={0} className="max-h-80 overflow-y-auto">
        <Document text={findParagraphs(helpTexts[page] ?? '', heading).join('\n\n')} />
      </div>
      <Link
        href={`${page}#${toHeadingId(heading)}`}
        className="mt-3 inline-block font-medium text-accent-ink hover:underline"
      >
        Read more
      </Link>
    </>
  )
}

/** The first paragraphs below a heading of a document in Markdown, without tables, lists and code. */
export function findParagraphs(text: string, heading: string): string[] {
  const [, below = ''] = text.split(new RegExp(`^#+ ${heading}$`, 'm'))
  const [section = ''] = below.split(/^#+ /m)
  return (
    section
      .split(/\n{2,}/)
      // The list that a colon announces is left out.
      .map((block) => block.trim().replace(/:$/, '.'))
      .filter((block) => /^[\p{L}*`“]/u.test(block))
      .filter((_, index, blocks) => blocks.slice(0, index).join('').length < ENOUGH)
  )
}
