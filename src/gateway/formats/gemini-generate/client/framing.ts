// Google streams server-sent events for `alt=sse`, and otherwise one JSON array, written element by element.

export interface Framing {
  mediaType: string
  /** What is sent while the answer is silent. */
  keepAlive: string
  element(json: string): string
  /** The end of the stream. */
  end(): string
}

export function sseFraming(): Framing {
  return {
    mediaType: 'text/event-stream; charset=utf-8',
    keepAlive: ': keep-alive\n\n',
    element: (json) =>
      `${json
        .split('\n')
        .map((line) => `data: ${line}\n`)
        .join('')}\n`,
    end: () => '',
  }
}

export function arrayFraming(): Framing {
  let isOpen = false
  return {
    mediaType: 'application/json; charset=utf-8',
    keepAlive: '\n',
    element(json) {
      const before = isOpen ? ',\n' : '['
      isOpen = true
      return before + json
    },
    end: () => (isOpen ? '\n]\n' : '[]\n'),
  }
}
