// The browser APIs that components need and jsdom lacks.
class NoResizeObserver implements ResizeObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}

/** Everything is in sight. */
class SeesAll extends NoResizeObserver {
  readonly #report: (entries: { isIntersecting: boolean }[]) => void
  constructor(report: (entries: { isIntersecting: boolean }[]) => void) {
    super()
    this.#report = report
  }
  override observe(): void {
    queueMicrotask(() => this.#report([{ isIntersecting: true }]))
  }
}

Object.assign(globalThis, { ResizeObserver: NoResizeObserver, IntersectionObserver: SeesAll })
window.matchMedia = (media) => ({
  matches: false,
  media,
  onchange: null,
  addEventListener: () => {},
  removeEventListener: () => {},
  addListener: () => {},
  removeListener: () => {},
  dispatchEvent: () => false,
})
// The height of a list, by which it knows how many rows are in view.
Object.defineProperty(HTMLElement.prototype, 'clientHeight', { value: 800 })
Element.prototype.scrollIntoView = () => {}
Element.prototype.scrollTo = () => {}
Element.prototype.hasPointerCapture = () => false
Element.prototype.setPointerCapture = () => {}
Element.prototype.releasePointerCapture = () => {}
