/** Selectors that match, and that do not match, once the window's Overview shows its numbers. The controls come later. */
export const OVERVIEW_PAINTED = {
  shown: ['figure[aria-label="Spend over time"] rect[data-series]'],
  gone: ['.animate-pulse[aria-hidden]:not(header *)', '[role=status][aria-label=Loading]'],
} as const
