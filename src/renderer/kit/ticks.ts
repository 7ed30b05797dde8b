const STEPS = [1, 2, 2.5, 5, 10]

/** Ticks from zero to at least `most`, in 3 to 5 steps of 1, 2, 2.5 or 5 times a power of ten; fewer if they must be whole. */
export function roundTicks(most: number, whole = false): number[] {
  if (!(most > 0)) return [0, 1]
  const rough = Math.max(most / 4, whole ? 1 : 0)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step =
    (STEPS.find(
      (factor) => factor * power >= rough * 0.999 && (!whole || Number.isInteger(factor * power)),
    ) ?? 10) * power
  const count = Math.ceil(most / step - 1e-9)
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)))
}
