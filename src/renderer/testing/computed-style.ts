// A `getComputedStyle` for a page without style sheets. That of jsdom matches each element against all rules of its own sheet;
// queries by role and clicks ask for the style of every element that they pass.
const HIDDEN_TAGS = new Set(
  'area base datalist head link meta noscript script style template title'.split(' '),
)
const INLINE_TAGS = new Set(
  'a abbr b bdi bdo br canvas cite code data del dfn em embed i iframe img ins kbd label map mark meter object output picture progress q s samp select small span strong sub sup svg textarea time u var video wbr'.split(
    ' ',
  ),
)
const INHERITED = new Map([
  ['visibility', 'visible'],
  ['pointer-events', 'auto'],
  ['pointerEvents', 'auto'],
])
const UNSTYLED = document.createElement('span').style

window.getComputedStyle = (element) => {
  const read = (name: string): string => {
    if (name === 'display') return readDisplay(element)
    const initial = INHERITED.get(name)
    return initial === undefined ? readOwn(element, name) : readInherited(element, name, initial)
  }
  return new Proxy(UNSTYLED, {
    get: (_, key) => (key === 'getPropertyValue' ? read : typeof key === 'string' ? read(key) : undefined),
  })
}

function readDisplay(element: Element): string {
  const tag = element.localName
  if (HIDDEN_TAGS.has(tag) || element.hasAttribute('hidden')) return 'none'
  if (tag === 'dialog' && !element.hasAttribute('open')) return 'none'
  return readOwn(element, 'display') || (INLINE_TAGS.has(tag) ? 'inline' : 'block')
}

function readInherited(element: Element, name: string, initial: string): string {
  for (let next: Element | null = element; next; next = next.parentElement) {
    const value = readOwn(next, name)
    if (value !== '') return value
  }
  return initial
}

function readOwn(element: Element, name: string): string {
  if (!element.hasAttribute('style')) return ''
  return String(Reflect.get((element as HTMLElement).style, name) ?? '')
}
