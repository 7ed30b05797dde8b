/** The percentages of a cap that have a checkbox. */
export const PRESET_THRESHOLDS = [50, 80, 100] as const
/** The gateway accepts five thresholds, three of which are the presets. */
const MAX_CUSTOM = 2

function isPreset(percent: number): boolean {
  return PRESET_THRESHOLDS.some((preset) => preset === percent)
}

export function listCustomThresholds(thresholds: readonly number[]): number[] {
  return thresholds.filter((percent) => !isPreset(percent)).toSorted((a, b) => a - b)
}

export function toggleThreshold(thresholds: readonly number[], percent: number, on: boolean): number[] {
  const others = thresholds.filter((other) => other !== percent)
  return (on ? [...others, percent] : others).toSorted((a, b) => a - b)
}

export function replaceCustomThresholds(thresholds: readonly number[], custom: readonly number[]): number[] {
  return [...new Set([...thresholds.filter(isPreset), ...custom])].toSorted((a, b) => a - b)
}

/** Parses "90" or "65, 90"; blank is an empty list. Returns an error message for anything else. */
export function parseThresholds(text: string): { value: number[] } | string {
  const parts = text.split(/[\s,;%]+/).filter(Boolean)
  const thresholds = [...new Set(parts.map(Number))]
  if (!thresholds.every((threshold) => Number.isInteger(threshold) && threshold >= 1 && threshold <= 100)) {
    return 'Enter a whole number from 1 to 100.'
  }
  if (listCustomThresholds(thresholds).length > MAX_CUSTOM) return 'Enter at most two.'
  return { value: thresholds }
}
